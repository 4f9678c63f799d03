// Order statistics and counts over random halvings of a test set, for many pairs of systems.
// Knows nothing of what the scores mean.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "clones.hpp"

namespace weigh {

// The differences of both halves: the smaller in `low`, the negated larger in `high`.
WEIGH_CLONES inline void half_differences(const double* WEIGH_RESTRICT first_a,
                                          const double* WEIGH_RESTRICT first_b,
                                          const double* WEIGH_RESTRICT second_a,
                                          const double* WEIGH_RESTRICT second_b, std::size_t trials,
                                          double* WEIGH_RESTRICT low, double* WEIGH_RESTRICT high) {
  for (std::size_t t = 0; t < trials; ++t) {
    const double one = first_a[t] - first_b[t];
    const double other = second_a[t] - second_b[t];
    low[t] = one < other ? one : other;
    high[t] = one < other ? -other : -one;
  }
}

// Finds the k-th smallest of many values, k from 1. A sample of them suggests a bound that hardly
// more than k lie below; only these are partially sorted.
class Selection {
 public:
  explicit Selection(std::size_t size) : kept_(size + 1) {}

  double smallest(const double* values, std::size_t size, std::size_t k) {
    constexpr std::size_t sampled = 256;
    if (size >= 4 * sampled && k < size / 4) {
      double sample[sampled];
      for (std::size_t i = 0; i < sampled; ++i) sample[i] = values[i * (size / sampled)];
      // Three standard errors above the quantile that is looked for.
      const double share = static_cast<double>(k) / static_cast<double>(size);
      const double expected = sampled * share;
      const auto place = static_cast<std::size_t>(
          std::min<double>(sampled - 1, expected + 3 * std::sqrt(expected * (1 - share)) + 1));
      std::nth_element(sample, sample + place, sample + sampled);
      const double bound = sample[place];
      std::size_t kept = 0;
      for (std::size_t i = 0; i < size; ++i) {
        kept_[kept] = values[i];
        kept += values[i] < bound ? 1 : 0;
      }
      if (kept >= k) return nth(kept, k);
    }
    std::copy_n(values, size, kept_.begin());
    return nth(size, k);
  }

 private:
  double nth(std::size_t size, std::size_t k) {
    const auto place = kept_.begin() + static_cast<std::ptrdiff_t>(k - 1);
    std::nth_element(kept_.begin(), place, kept_.begin() + static_cast<std::ptrdiff_t>(size));
    return *place;
  }

  std::vector<double> kept_;
};

// For every pair of systems the k-th smallest of the smaller and the k-th largest of the larger
// difference between the scores of its two halves. Scores are systems × trials.
inline void halving_ends(const double* first, const double* second, std::size_t trials,
                         const std::int64_t* pairs, std::size_t count, std::size_t k,
                         double* ends) {
  std::vector<double> low(trials), high(trials);
  Selection selection(trials);
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<std::size_t>(pairs[2 * i]) * trials;
    const auto b = static_cast<std::size_t>(pairs[2 * i + 1]) * trials;
    half_differences(first + a, first + b, second + a, second + b, trials, low.data(), high.data());
    ends[2 * i] = selection.smallest(low.data(), trials, k);
    ends[2 * i + 1] = -selection.smallest(high.data(), trials, k);
  }
}

// How many trials lie at or above one bound, at or below another, and at or beyond a third on
// either side of zero, where a trial is a − b − shift.
WEIGH_CLONES inline void count_extremes(const double* a, const double* b, std::size_t trials,
                                        double shift, double above, double below, double size,
                                        std::int64_t* counts) {
  std::int64_t high = 0, low = 0, far = 0;
  for (std::size_t t = 0; t < trials; ++t) {
    const double value = a[t] - b[t] - shift;
    high += value >= above ? 1 : 0;
    low += value <= below ? 1 : 0;
    far += (value < 0 ? -value : value) >= size ? 1 : 0;
  }
  counts[0] += far;
  counts[1] += high;
  counts[2] += low;
}

}  // namespace weigh
