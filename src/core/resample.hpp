// Sums of rows over resampled units: over those whose coin says so, or over draws with
// replacement. Knows nothing of what the rows mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <variant>
#include <vector>

#include "clones.hpp"
#include "philox.hpp"

namespace weigh {

// How many values of a type make one vector of 32 bytes.
template <typename Value>
inline constexpr std::size_t lanes = 32 / sizeof(Value);

// Units are taken eight at a time: all 256 sums of subsets of eight rows are tabulated, and each
// trial adds the one that its eight coins choose. Four such groups are added at once.
inline constexpr std::size_t group = 8;
inline constexpr std::size_t groups_at_once = 4;
inline constexpr std::size_t units_at_once = group * groups_at_once;

#if defined(__GNUC__)
// One vector in memory, aligned or not. (As an alias template clang would lose the alignment.)
template <typename Value>
struct LanesOf {
  typedef Value Type [[gnu::vector_size(32), gnu::aligned(alignof(Value)), gnu::may_alias]];
};
template <typename Value>
using Lanes = typename LanesOf<Value>::Type;
static_assert(alignof(Lanes<double>) == alignof(double));
#else
template <typename Value>
struct Lanes {
  Value values[lanes<Value>];
  Lanes operator+(const Lanes& other) const {
    Lanes sum;
    for (std::size_t i = 0; i < lanes<Value>; ++i) sum.values[i] = values[i] + other.values[i];
    return sum;
  }
  Lanes operator*(Value factor) const {
    Lanes product;
    for (std::size_t i = 0; i < lanes<Value>; ++i) product.values[i] = values[i] * factor;
    return product;
  }
};
#endif

template <typename Value>
WEIGH_INLINE void add_subsets_of(const Value* rows, const std::uint8_t* const* coins,
                                 std::size_t trials, Value* WEIGH_RESTRICT tables,
                                 Value* WEIGH_RESTRICT sums) {
  using Row = Lanes<Value>;
  auto* const table = reinterpret_cast<Row*>(tables);
  const auto* const members = reinterpret_cast<const Row*>(rows);
  std::fill_n(tables, groups_at_once * 256 * lanes<Value>, Value{0});
  for (std::size_t g = 0; g < groups_at_once; ++g) {
    Row* const subsets = table + g * 256;
    for (std::size_t bit = 0; bit < group; ++bit) {
      const std::size_t half = std::size_t{1} << bit;
      for (std::size_t subset = 0; subset < half; ++subset) {
        subsets[half + subset] = subsets[subset] + members[g * group + bit];
      }
    }
  }
  auto* const sum = reinterpret_cast<Row*>(sums);
  for (std::size_t t = 0; t < trials; ++t) {
    const Row first = table[coins[0][t]] + table[256 + coins[1][t]];
    const Row second = table[512 + coins[2][t]] + table[768 + coins[3][t]];
    sum[t] = sum[t] + (first + second);
  }
}

WEIGH_CLONES inline void add_subsets(const std::int16_t* rows, const std::uint8_t* const* coins,
                                     std::size_t trials, std::int16_t* WEIGH_RESTRICT tables,
                                     std::int16_t* WEIGH_RESTRICT sums) {
  add_subsets_of(rows, coins, trials, tables, sums);
}
WEIGH_CLONES inline void add_subsets(const std::int32_t* rows, const std::uint8_t* const* coins,
                                     std::size_t trials, std::int32_t* WEIGH_RESTRICT tables,
                                     std::int32_t* WEIGH_RESTRICT sums) {
  add_subsets_of(rows, coins, trials, tables, sums);
}
WEIGH_CLONES inline void add_subsets(const std::int64_t* rows, const std::uint8_t* const* coins,
                                     std::size_t trials, std::int64_t* WEIGH_RESTRICT tables,
                                     std::int64_t* WEIGH_RESTRICT sums) {
  add_subsets_of(rows, coins, trials, tables, sums);
}
WEIGH_CLONES inline void add_subsets(const double* rows, const std::uint8_t* const* coins,
                                     std::size_t trials, double* WEIGH_RESTRICT tables,
                                     double* WEIGH_RESTRICT sums) {
  add_subsets_of(rows, coins, trials, tables, sums);
}

// Empties sums into wider ones.
template <typename Value, typename Wide>
WEIGH_INLINE void empty_into_of(Value* WEIGH_RESTRICT sums, std::size_t size,
                                Wide* WEIGH_RESTRICT wide) {
  for (std::size_t i = 0; i < size; ++i) {
    wide[i] += static_cast<Wide>(sums[i]);
    sums[i] = Value{0};
  }
}

WEIGH_CLONES inline void empty_into(std::int16_t* sums, std::size_t size, std::int32_t* wide) {
  empty_into_of(sums, size, wide);
}
WEIGH_CLONES inline void empty_into(std::int32_t* sums, std::size_t size, std::int64_t* wide) {
  empty_into_of(sums, size, wide);
}
WEIGH_CLONES inline void empty_into(std::int64_t* sums, std::size_t size, std::int64_t* wide) {
  empty_into_of(sums, size, wide);
}
WEIGH_CLONES inline void empty_into(double* sums, std::size_t size, double* wide) {
  empty_into_of(sums, size, wide);
}

// Weighted sums of four columns of narrow integers at once.
WEIGH_CLONES inline void add_products(const std::int16_t* weights, const std::int16_t* columns,
                                      std::size_t stride, std::size_t units, std::int64_t* sums) {
  const std::int16_t* const a = columns;
  const std::int16_t* const b = columns + stride;
  const std::int16_t* const c = columns + 2 * stride;
  const std::int16_t* const d = columns + 3 * stride;
  std::int32_t sum_a = 0, sum_b = 0, sum_c = 0, sum_d = 0;
  for (std::size_t u = 0; u < units; ++u) {
    const std::int32_t weight = weights[u];
    sum_a += weight * a[u];
    sum_b += weight * b[u];
    sum_c += weight * c[u];
    sum_d += weight * d[u];
  }
  sums[0] += sum_a;
  sums[1] += sum_b;
  sums[2] += sum_c;
  sums[3] += sum_d;
}

// How many trials are weighted at once: few enough that all their weights stay in the cache.
inline constexpr std::size_t weighted_at_once = 4;

// Weighted sums of rows for some trials, unit after unit: the order is always the same. Rows and
// sums have columns in whole vectors.
template <typename Sum>
WEIGH_INLINE void add_weighted_of(const Sum* rows, const std::int16_t* weights, std::size_t units,
                                  std::size_t columns, std::size_t stride,
                                  Sum* WEIGH_RESTRICT sums) {
  using Row = Lanes<Sum>;
  for (std::size_t c = 0; c < columns; c += lanes<Sum>) {
    Row sum[weighted_at_once] = {};
    for (std::size_t u = 0; u < units; ++u) {
      const Row row = *reinterpret_cast<const Row*>(rows + u * columns + c);
      for (std::size_t t = 0; t < weighted_at_once; ++t) {
        sum[t] = sum[t] + row * static_cast<Sum>(weights[t * stride + u]);
      }
    }
    for (std::size_t t = 0; t < weighted_at_once; ++t) {
      *reinterpret_cast<Row*>(sums + t * columns + c) = sum[t];
    }
  }
}

WEIGH_CLONES inline void add_weighted(const double* rows, const std::int16_t* weights,
                                      std::size_t units, std::size_t columns, std::size_t stride,
                                      double* WEIGH_RESTRICT sums) {
  add_weighted_of(rows, weights, units, columns, stride, sums);
}
WEIGH_CLONES inline void add_weighted(const std::int64_t* rows, const std::int16_t* weights,
                                      std::size_t units, std::size_t columns, std::size_t stride,
                                      std::int64_t* WEIGH_RESTRICT sums) {
  add_weighted_of(rows, weights, units, columns, stride, sums);
}

// The largest magnitude of some numbers; of doubles, whose sums cannot wrap around, none.
template <typename Value>
std::uint64_t largest_of(const Value* values, std::size_t size) {
  std::uint64_t largest = 0;
  if constexpr (std::is_integral_v<Value>) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto bits = static_cast<std::uint64_t>(values[i]);
      largest = std::max(largest, values[i] < 0 ? 0 - bits : bits);
    }
  }
  return largest;
}

// Whether so many times so many numbers of this magnitude can be added up in 64 bits.
inline bool sums_fit(std::uint64_t largest, std::size_t times, std::size_t numbers) {
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return largest == 0 || (times <= most / largest && numbers <= most / largest / times);
}

// Where the numbers of a matrix (units × columns) lie: steps are from one to the next.
template <typename Value>
struct Rows {
  const Value* data;
  std::size_t units;
  std::size_t columns;
  std::ptrdiff_t unit_step;
  std::ptrdiff_t column_step;

  Value at(std::size_t unit, std::size_t column) const {
    return data[static_cast<std::ptrdiff_t>(unit) * unit_step +
                static_cast<std::ptrdiff_t>(column) * column_step];
  }
};

// One matrix, prepared for either kind of resampling. `Sum` is the type of its numbers and of their
// sums: 64-bit integers, summed exactly, or doubles, in a fixed order. Sums come out column by
// column, each for all trials.
template <typename Sum>
class Resampler {
 public:
  explicit Resampler(const Rows<Sum>& rows) : units_(rows.units), columns_(rows.columns) {
    if constexpr (std::is_same_v<Sum, double>) {
      blocks_ = blocks_of<double>(rows);
      copy(rows);
    } else {
      for (std::size_t c = 0; c < columns_; ++c) {
        for (std::size_t u = 0; u < units_; ++u) {
          const Sum value = rows.at(u, c);
          largest_ = std::max(largest_, largest_of(&value, 1));
        }
      }
      check_sums(1);
      // Narrow values, if all their sums fit 32 bits however the draws fall.
      constexpr std::uint64_t most = std::numeric_limits<std::int32_t>::max();
      if (fits<std::int16_t>() && padded_units() <= most / std::max<std::uint64_t>(largest_, 1)) {
        blocks_ = blocks_of<std::int16_t>(rows);
        prepare_products(rows);
      } else {
        if (fits<std::int32_t>()) {
          blocks_ = blocks_of<std::int32_t>(rows);
        } else {
          blocks_ = blocks_of<std::int64_t>(rows);
        }
        copy(rows);
      }
    }
  }

  std::size_t columns() const { return columns_; }

  // Throws unless all units, each there so many times, can be counted and added up.
  void check_sums(std::size_t repeats) const {
    if (repeats > (std::size_t{1} << 40) / units_) throw std::invalid_argument("too many repeats");
    if (!sums_fit(largest_, repeats, units_))
      throw std::invalid_argument("sums of so large numbers exceed 64 bits");
  }

  // For every trial from `first` on: the sum over the units whose coin shows heads. Each unit is
  // there `repeats` times, one whole set after another, with a coin of its own each time.
  void swapped(const Philox& philox, std::size_t first, std::size_t trials, std::size_t repeats,
               Sum* out) const {
    std::visit([&](const auto& blocks) { swapped_in(blocks, philox, first, trials, repeats, out); },
               blocks_);
  }

  // For every trial from `first` on: the sum over as many units as there are, drawn with
  // replacement.
  void bootstrap(const Philox& philox, std::size_t first, std::size_t trials, Sum* out) const {
    const std::size_t padded = padded_units();
    const std::size_t at_once = products_.empty() ? weighted_at_once : samples_at_once;
    std::vector<std::int16_t> weights(at_once * padded);
    std::vector<Sum> sums(products_.empty() ? at_once * padded_columns() : 0);
    for (std::size_t start = 0; start < trials; start += at_once) {
      const std::size_t count = std::min(at_once, trials - start);
      draw(philox, first + start, count, weights.data());
      if (products_.empty()) {
        add_weighted(rows_.data(), weights.data(), units_, padded_columns(), padded, sums.data());
        for (std::size_t c = 0; c < columns_; ++c) {
          for (std::size_t t = 0; t < count; ++t) {
            out[c * trials + start + t] = sums[t * padded_columns() + c];
          }
        }
      } else if constexpr (std::is_same_v<Sum, std::int64_t>) {
        for (std::size_t c = 0; c < columns_; c += 4) {
          for (std::size_t t = 0; t < count; ++t) {
            std::int64_t four[4] = {0, 0, 0, 0};
            add_products(&weights[t * padded], &products_[c * padded], padded, padded, four);
            for (std::size_t i = 0; i < std::min<std::size_t>(4, columns_ - c); ++i) {
              out[(c + i) * trials + start + t] = four[i];
            }
          }
        }
      }
    }
  }

 private:
  static constexpr std::size_t trials_at_once = 2048;
  static constexpr std::size_t most_coins = std::size_t{1} << 28;
  static constexpr std::size_t samples_at_once = 16;

  // How often each unit is drawn in each of some trials.
  void draw(const Philox& philox, std::size_t first, std::size_t trials,
            std::int16_t* weights) const {
    std::fill_n(weights, trials * padded_units(), std::int16_t{0});
    // Blocks of four draws, several at once: one is done while others wait for their products.
    constexpr std::size_t at_once = 4;
    for (std::size_t t = 0; t < trials; ++t, weights += padded_units()) {
      std::size_t drawn = 0;
      for (; drawn + 4 * at_once <= units_; drawn += 4 * at_once) {
        std::uint64_t places[4 * at_once];
        for (std::size_t block = 0; block < at_once; ++block) {
          const Draws draws = philox(first + t, drawn / 4 + block);
          for (std::size_t i = 0; i < 4; ++i) {
            places[4 * block + i] = multiply(draws[i], units_).high;
          }
        }
        for (const std::uint64_t place : places) ++weights[place];
      }
      for (; drawn < units_; drawn += 4) {
        const Draws draws = philox(first + t, drawn / 4);
        for (std::size_t i = 0; i < std::min<std::size_t>(4, units_ - drawn); ++i) {
          ++weights[multiply(draws[i], units_).high];
        }
      }
    }
  }

  // How far apart the coins of one byte's units and of the next stand: no power of two, or all of
  // them would compete for the same few lines of the cache.
  static std::size_t stride_of(std::size_t trials) { return trials + 64; }

  // Whether sums over four groups of units fit the type.
  template <typename Value>
  bool fits() const {
    return largest_ <=
           static_cast<std::uint64_t>(std::numeric_limits<Value>::max()) / units_at_once;
  }

  static std::size_t padded(std::size_t units) {
    return (units + units_at_once - 1) / units_at_once * units_at_once;
  }
  std::size_t padded_units() const { return padded(units_); }
  std::size_t padded_columns() const {
    return (columns_ + lanes<Sum> - 1) / lanes<Sum> * lanes<Sum>;
  }

  // Columns in blocks that fill a vector, one block's rows after another.
  template <typename Value>
  std::vector<Value> blocks_of(const Rows<Sum>& rows) const {
    constexpr std::size_t width = lanes<Value>;
    std::vector<Value> blocks((columns_ + width - 1) / width * padded_units() * width);
    for (std::size_t c = 0; c < columns_; ++c) {
      Value* const block = &blocks[c / width * padded_units() * width + c % width];
      for (std::size_t u = 0; u < units_; ++u) {
        block[u * width] = static_cast<Value>(rows.at(u, c));
      }
    }
    return blocks;
  }

  void copy(const Rows<Sum>& rows) {
    rows_.assign(units_ * padded_columns(), Sum{0});
    for (std::size_t u = 0; u < units_; ++u) {
      for (std::size_t c = 0; c < columns_; ++c) rows_[u * padded_columns() + c] = rows.at(u, c);
    }
  }

  void prepare_products(const Rows<Sum>& rows) {
    products_.assign((columns_ + 3) / 4 * 4 * padded_units(), 0);
    for (std::size_t c = 0; c < columns_; ++c) {
      for (std::size_t u = 0; u < units_; ++u) {
        products_[c * padded_units() + u] = static_cast<std::int16_t>(rows.at(u, c));
      }
    }
  }

  template <typename Value>
  void swapped_in(const std::vector<Value>& blocks, const Philox& philox, std::size_t first,
                  std::size_t trials, std::size_t repeats, Sum* out) const {
    constexpr std::size_t width = lanes<Value>;
    using Wide = std::conditional_t<std::is_same_v<Value, std::int16_t>, std::int32_t, Sum>;
    const std::size_t units = units_ * repeats;
    // Fewer at once where there are many units, lest their coins fill the memory.
    const std::size_t most =
        std::min({trials, trials_at_once, std::max<std::size_t>(64, most_coins / padded(units))});
    std::vector<std::uint8_t> coins(padded(units) / group * stride_of(most));
    std::vector<Value> tables(groups_at_once * 256 * width);
    std::vector<Value> sums(most * width);
    std::vector<Wide> wide(most * width);
    for (std::size_t start = 0; start < trials; start += most) {
      const std::size_t count = std::min(most, trials - start);
      toss(philox, first + start, count, padded(units) / group, coins.data());
      for (std::size_t column = 0; column < columns_; column += width) {
        const std::size_t some = std::min(width, columns_ - column);
        for (std::size_t unit = 0; unit < units; unit += padded_units()) {
          std::fill(wide.begin(), wide.end(), Wide{0});
          add_all(&blocks[column * padded_units()], unit,
                  std::min(unit + padded_units(), padded(units)), units, coins.data(), count,
                  tables.data(), sums.data(), wide.data());
          for (std::size_t i = 0; i < some; ++i) {
            Sum* const sum = out + (column + i) * trials + start;
            for (std::size_t t = 0; t < count; ++t) {
              sum[t] = (unit == 0 ? Sum{0} : sum[t]) + wide[t * width + i];
            }
          }
        }
      }
    }
  }

  // Adds up one block of columns for some trials, from one unit to another, of so many in all. The
  // narrow sums are emptied before they overflow.
  template <typename Value, typename Wide>
  void add_all(const Value* block, std::size_t from, std::size_t to, std::size_t units,
               const std::uint8_t* coins, std::size_t trials, Value* tables, Value* sums,
               Wide* wide) const {
    constexpr std::size_t width = lanes<Value>;
    std::size_t most = padded_units();  // units until the sums may overflow
    if constexpr (std::is_integral_v<Value>) {
      const auto limit = static_cast<std::uint64_t>(std::numeric_limits<Value>::max());
      most = std::min<std::uint64_t>(most, limit / std::max<std::uint64_t>(largest_, 1));
    }
    std::fill_n(sums, trials * width, Value{0});
    std::size_t held = 0;
    Value around[units_at_once * width];
    for (std::size_t unit = from; unit < to; unit += units_at_once) {
      if (held + units_at_once > most) {
        empty_into(sums, trials * width, wide);
        held = 0;
      }
      const std::size_t place = unit % units_;
      const Value* rows = block + place * width;
      if (place + units_at_once > units_) {  // the next set's first rows follow, or none
        const std::size_t left = std::min(units_at_once, units - unit);
        for (std::size_t i = 0; i < units_at_once; ++i) {
          Value* const row = around + i * width;
          if (i < left) {
            std::copy_n(block + (unit + i) % units_ * width, width, row);
          } else {
            std::fill_n(row, width, Value{0});
          }
        }
        rows = around;
      }
      const std::uint8_t* chosen[groups_at_once];
      for (std::size_t g = 0; g < groups_at_once; ++g) {
        chosen[g] = coins + (unit / group + g) * stride_of(trials);
      }
      add_subsets(rows, chosen, trials, tables, sums);
      held += units_at_once;
    }
    empty_into(sums, trials * width, wide);
  }

  // Coins of eight units a byte, those of one byte's units for all trials side by side.
  static void toss(const Philox& philox, std::size_t first, std::size_t trials, std::size_t bytes,
                   std::uint8_t* coins) {
    const std::size_t stride = stride_of(trials);
    for (std::size_t byte = 0; byte < bytes; byte += 32) {
      const std::size_t some = std::min<std::size_t>(32, bytes - byte);
      for (std::size_t t = 0; t < trials; ++t) {
        const Draws draws = philox(first + t, byte / 32);
        for (std::size_t i = 0; i < some; ++i) {
          coins[(byte + i) * stride + t] = static_cast<std::uint8_t>(draws[i / 8] >> (8 * (i % 8)));
        }
      }
    }
  }

  std::size_t units_;
  std::size_t columns_;
  std::uint64_t largest_ = 0;
  std::conditional_t<
      std::is_same_v<Sum, double>, std::variant<std::vector<double>>,
      std::variant<std::vector<std::int16_t>, std::vector<std::int32_t>, std::vector<std::int64_t>>>
      blocks_;
  std::vector<std::int16_t> products_;  // narrow columns, one after another, or else
  std::vector<Sum> rows_;               // the rows as they are
};

}  // namespace weigh
