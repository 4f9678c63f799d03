// Order statistics and counts over random halvings of a test set, for many pairs of systems.
// Knows nothing of what the scores mean.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "clones.hpp"

namespace weigh {

// The differences between two systems in both halves of each trial.
struct HalfDifferences {
  const double* first_a;
  const double* first_b;
  const double* second_a;
  const double* second_b;

  double smaller(std::size_t t) const {
    return std::min(first_a[t] - first_b[t], second_a[t] - second_b[t]);
  }
  double larger(std::size_t t) const {
    return std::max(first_a[t] - first_b[t], second_a[t] - second_b[t]);
  }
};

// Values at one end of a distribution. Vectors are stored whole, so there is room for one more.
struct Tail {
  static constexpr std::size_t vector = 4;

  explicit Tail(std::size_t most) : values(most + vector), cells(most) {}

  std::vector<double> values;
  std::vector<std::uint8_t> cells;  // for select
  std::size_t size = 0;
};

// Append the smaller differences below one bound, and the larger ones above another.
inline void append_tails(const HalfDifferences& halves, std::size_t start, std::size_t stop,
                         double below, double above, Tail& low, Tail& high) {
  for (std::size_t t = start; t < stop; ++t) {
    const double smaller = halves.smaller(t), larger = halves.larger(t);
    low.values[low.size] = smaller;
    low.size += smaller < below ? 1 : 0;
    high.values[high.size] = larger;
    high.size += larger > above ? 1 : 0;
  }
}

WEIGH_DEFAULT inline void collect_tails(const HalfDifferences& halves, std::size_t trials,
                                        double below, double above, Tail& low, Tail& high) {
  low.size = high.size = 0;
  append_tails(halves, 0, trials, below, above, low, high);
}

#ifdef WEIGH_AVX2
// By four bits: the places of the doubles whose bits are set, as pairs of 32-bit words.
constexpr auto words_of_chosen = [] {
  std::array<std::array<std::int32_t, 2 * Tail::vector>, 1 << Tail::vector> words{};
  for (std::size_t bits = 0; bits < words.size(); ++bits) {
    std::size_t next = 0;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(Tail::vector); ++i) {
      if ((bits >> i & 1) == 0) continue;
      words[bits][next++] = 2 * i;
      words[bits][next++] = 2 * i + 1;
    }
  }
  return words;
}();

// Store the chosen values and return where the next ones go.
WEIGH_AVX2 inline double* append(__m256d values, __m256d chosen, double* end) {
  const auto bits = static_cast<unsigned>(_mm256_movemask_pd(chosen));
  const auto* const words = reinterpret_cast<const __m256i*>(words_of_chosen[bits].data());
  const __m256i packed =
      _mm256_permutevar8x32_epi32(_mm256_castpd_si256(values), _mm256_loadu_si256(words));
  _mm256_storeu_pd(end, _mm256_castsi256_pd(packed));
  return end + std::popcount(bits);
}

WEIGH_AVX2 inline void collect_tails(const HalfDifferences& halves, std::size_t trials,
                                     double below, double above, Tail& low, Tail& high) {
  const __m256d lower = _mm256_set1_pd(below), upper = _mm256_set1_pd(above);
  double *low_end = low.values.data(), *high_end = high.values.data();
  const std::size_t whole = trials - trials % Tail::vector;
  for (std::size_t t = 0; t < whole; t += Tail::vector) {
    const __m256d first =
        _mm256_sub_pd(_mm256_loadu_pd(halves.first_a + t), _mm256_loadu_pd(halves.first_b + t));
    const __m256d second =
        _mm256_sub_pd(_mm256_loadu_pd(halves.second_a + t), _mm256_loadu_pd(halves.second_b + t));
    const __m256d smaller = _mm256_min_pd(first, second), larger = _mm256_max_pd(first, second);
    low_end = append(smaller, _mm256_cmp_pd(smaller, lower, _CMP_LT_OQ), low_end);
    high_end = append(larger, _mm256_cmp_pd(larger, upper, _CMP_GT_OQ), high_end);
  }
  low.size = static_cast<std::size_t>(low_end - low.values.data());
  high.size = static_cast<std::size_t>(high_end - high.values.data());
  append_tails(halves, whole, trials, below, above, low, high);
}
#endif

// The k-th value of a tail in an order, k from 1. Values are counted in cells between the outermost
// of a sample and the tail's bound; only the cell with the k-th is sorted. Partial sorting of all
// values takes several times as long, since no processor predicts how they compare with a pivot.
template <typename Order>
double select(Tail& tail, std::size_t k, double outermost, double bound) {
  constexpr std::size_t cells = 256;
  double* const values = tail.values.data();
  std::size_t size = tail.size;
  const double scale = cells / (bound - outermost);
  if (size > cells && std::isfinite(scale)) {
    for (std::size_t i = 0; i < size; ++i) {
      const double cell = std::clamp((values[i] - outermost) * scale, 0.0, cells - 1.0);
      tail.cells[i] = static_cast<std::uint8_t>(static_cast<std::int32_t>(cell));
    }
    std::array<std::size_t, cells> counts{};
    for (std::size_t i = 0; i < size; ++i) ++counts[tail.cells[i]];
    std::size_t cell = 0;
    for (; counts[cell] < k; ++cell) k -= counts[cell];
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size; ++i) {
      values[kept] = values[i];
      kept += tail.cells[i] == cell ? 1 : 0;
    }
    size = kept;
  }
  std::nth_element(values, values + (k - 1), values + size, Order());
  return values[k - 1] + 0.0;  // no negative zero, which ties may or may not have selected
}

// For every pair of systems the k-th smallest of the smaller and the k-th largest of the larger
// difference between the scores of its two halves. Scores are systems × trials.
inline void halving_ends(const double* first, const double* second, std::size_t trials,
                         const std::int64_t* pairs, std::size_t count, std::size_t k,
                         double* ends) {
  // The first trials suggest bounds that hardly more than k lie beyond: three standard errors
  // inside the quantile that is looked for.
  constexpr std::size_t sampled = 64;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double share = static_cast<double>(k) / static_cast<double>(trials);
  const double expected = sampled * share;
  const auto place = static_cast<std::size_t>(expected + 3 * std::sqrt(expected * (1 - share))) + 1;
  const bool is_sampled = trials >= 16 * sampled && place < sampled / 2;
  std::array<double, sampled> smaller{}, larger{};
  Tail low(trials), high(trials);
  for (std::size_t i = 0; i < count; ++i) {
    const auto a = static_cast<std::size_t>(pairs[2 * i]) * trials;
    const auto b = static_cast<std::size_t>(pairs[2 * i + 1]) * trials;
    const HalfDifferences halves{first + a, first + b, second + a, second + b};
    double below = infinity, above = -infinity;
    if (is_sampled) {
      for (std::size_t t = 0; t < sampled; ++t) {
        smaller[t] = halves.smaller(t);
        larger[t] = halves.larger(t);
      }
      std::sort(smaller.begin(), smaller.end());
      std::sort(larger.begin(), larger.end(), std::greater<>());
      below = smaller[place];
      above = larger[place];
    }
    collect_tails(halves, trials, below, above, low, high);
    if (low.size < k || high.size < k) {
      below = infinity;
      above = -infinity;
      collect_tails(halves, trials, below, above, low, high);
    }
    ends[2 * i] = select<std::less<>>(low, k, smaller.front(), below);
    ends[2 * i + 1] = select<std::greater<>>(high, k, larger.front(), above);
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
