// BLEU of many sums of statistics at once (Papineni et al. 2002, eq. 2; smoothing of Chen & Cherry
// 2014, as sacreBLEU has it).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "clones.hpp"

namespace weigh {

enum class Smoothing { none, floor, add_k, exp };

inline Smoothing smoothing_named(std::string_view name) {
  if (name == "none") return Smoothing::none;
  if (name == "floor") return Smoothing::floor;
  if (name == "add-k") return Smoothing::add_k;
  if (name == "exp") return Smoothing::exp;
  throw std::invalid_argument("unknown smoothing: " + std::string(name));
}

struct BleuOptions {
  std::size_t order;
  Smoothing smoothing;
  double value;
  bool effective_order;
};

inline constexpr std::size_t scores_at_once = 256;

// For columns of sums: the product of the precisions, and the exponent of the brevity penalty.
WEIGH_CLONES inline void precisions_and_brevity(const double* const* columns, std::size_t order,
                                                double* WEIGH_RESTRICT precision,
                                                double* WEIGH_RESTRICT brevity) {
  const double* const hypothesis = columns[0];
  const double* const reference = columns[1];
  for (std::size_t i = 0; i < scores_at_once; ++i) {
    brevity[i] = std::min(0.0, 1.0 - reference[i] / hypothesis[i]);
  }
  if (order == 4) {  // products of four counts are far from the limits: one division will do
    const double* const c[] = {columns[2], columns[3], columns[4], columns[5]};
    const double* const t[] = {columns[6], columns[7], columns[8], columns[9]};
    for (std::size_t i = 0; i < scores_at_once; ++i) {
      precision[i] =
          ((c[0][i] * c[1][i]) * (c[2][i] * c[3][i])) / ((t[0][i] * t[1][i]) * (t[2][i] * t[3][i]));
      precision[i] = std::sqrt(std::sqrt(precision[i]));  // much faster than a power
    }
    return;
  }
  std::fill_n(precision, scores_at_once, 1.0);
  for (std::size_t n = 0; n < order; ++n) {
    const double* const correct = columns[2 + n];
    const double* const total = columns[2 + order + n];
    for (std::size_t i = 0; i < scores_at_once; ++i) precision[i] *= correct[i] / total[i];
  }
}

class BleuScorer {
 public:
  explicit BleuScorer(const BleuOptions& options)
      : options_(options),
        columns_(2 + 2 * options.order),
        copies_(columns_.size() * scores_at_once, 1.0),
        precision_(scores_at_once),
        brevity_(scores_at_once) {}

  // Scores up to `scores_at_once` sums, which stand `step` apart, their columns `column_step`.
  void score(const double* sums, std::size_t size, std::ptrdiff_t step, std::ptrdiff_t column_step,
             double* out) {
    const std::size_t order = options_.order;
    for (std::size_t c = 0; c < 2 + 2 * order; ++c) {
      const double* const from = sums + static_cast<std::ptrdiff_t>(c) * column_step;
      const bool added = options_.smoothing == Smoothing::add_k && c >= 2 && (c - 2) % order != 0;
      if (step == 1 && size == scores_at_once && !added) {
        columns_[c] = from;
        continue;
      }
      double* const to = &copies_[c * scores_at_once];
      const double more = added ? options_.value : 0.0;
      for (std::size_t i = 0; i < size; ++i) {
        to[i] = from[static_cast<std::ptrdiff_t>(i) * step] + more;
      }
      columns_[c] = to;
    }
    precisions_and_brevity(columns_.data(), order, precision_.data(), brevity_.data());
    for (std::size_t i = 0; i < size; ++i) {
      double precision = precision_[i];
      if (!(precision > 0)) {
        precision = special_precision(i, sums + static_cast<std::ptrdiff_t>(i) * step, column_step);
      } else if (order != 4) {
        precision = std::pow(precision, 1.0 / static_cast<double>(order));
      }
      const double brevity = brevity_[i] < 0 ? std::exp(brevity_[i]) : 1.0;
      out[i] = precision > 0 ? 100.0 * brevity * precision : 0.0;
    }
  }

 private:
  // The mean precision where some order has no match or no n-grams. An order without n-grams ends
  // the product: it and those above count as 0, or are left out if the effective order is wanted.
  double special_precision(std::size_t i, const double* sums, std::ptrdiff_t column_step) const {
    const std::size_t order = options_.order;
    bool any = false;
    for (std::size_t n = 0; n < order; ++n) {
      any |= sums[static_cast<std::ptrdiff_t>(2 + n) * column_step] > 0;
    }
    if (!any) return 0;
    double product = 1;
    double halved = 1;
    std::size_t counted = 0;
    for (; counted < order; ++counted) {
      double correct = columns_[2 + counted][i];
      const double total = columns_[2 + order + counted][i];
      if (!(total > 0)) break;
      if (correct == 0 && options_.smoothing == Smoothing::exp) correct = halved /= 2;
      if (correct == 0 && options_.smoothing == Smoothing::floor) correct = options_.value;
      product *= correct / total;
    }
    if (counted < order && !options_.effective_order) return 0;
    return std::pow(product, 1.0 / static_cast<double>(counted));
  }

  BleuOptions options_;
  std::vector<const double*> columns_;
  std::vector<double> copies_;
  std::vector<double> precision_;
  std::vector<double> brevity_;
};

}  // namespace weigh
