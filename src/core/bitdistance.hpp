// The whole edit distance matrix of a hypothesis and a reference, a column a few machine words.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "vocabulary.hpp"

namespace weigh {

// Distances D(i, j) between the first i words of the hypothesis and the first j of the reference,
// kept as the signs of the differences between neighbours (Myers 1999, Hyyrö 2003). All columns
// are kept, so that a changed hypothesis is computed anew only from its first changed word.
class BitDistance {
 public:
  using Bits = std::uint64_t;
  using Order = std::span<const std::uint32_t>;

  // Notes which words of the hypothesis equal which of the reference.
  void load(std::span<const WordId> hypothesis, std::span<const WordId> reference) {
    size_ = hypothesis.size();
    length_ = reference.size();
    blocks_ = (length_ + 63) / 64;
    equal_.assign(size_ * blocks_, 0);
    for (std::size_t i = 0; i < size_; ++i) {
      Bits* const bits = &equal_[i * blocks_];
      for (std::size_t j = 0; j < length_; ++j) {
        bits[j / 64] |= Bits{hypothesis[i] == reference[j]} << (j % 64);
      }
    }
    columns_.resize((size_ + 1) * blocks_);
    bottoms_.resize(size_ + 1);
    other_.resize(blocks_);
    std::fill_n(columns_.begin(), blocks_, Column{~Bits{0}, 0});
    bottoms_[0] = length_;
  }

  bool equal(std::uint32_t word, std::size_t j) const {
    return (equal_[word * blocks_ + j / 64] >> (j % 64)) & 1;
  }

  // Computes the columns of the hypothesis in this order of its words, from column `first` on.
  void compute(Order order, std::size_t first = 0) {
    for (std::size_t i = first; i < size_; ++i) {
      bottoms_[i + 1] = bottoms_[i] + step(&columns_[i * blocks_], &equal_[order[i] * blocks_],
                                           &columns_[(i + 1) * blocks_]);
    }
  }

  std::size_t distance() const { return bottoms_[size_]; }

  // The distance in another order that differs from the computed one in columns first to last.
  template <typename OrderAt>
  std::size_t distance(OrderAt order_at, std::size_t first, std::size_t last) {
    std::copy_n(&columns_[first * blocks_], blocks_, other_.begin());
    std::size_t bottom = bottoms_[first];
    for (std::size_t i = first; i < size_; ++i) {
      if (i == last && std::equal(other_.begin(), other_.end(), &columns_[i * blocks_])) {
        return bottom + bottoms_[size_] - bottoms_[i];
      }
      bottom += step(other_.data(), &equal_[order_at(i) * blocks_], other_.data());
    }
    return bottom;
  }

  // The least that the distance can be after so many words have moved, each of which is worth at
  // most two edits. A distance with cells left out is never less than the whole one.
  std::size_t least_after_moving(std::size_t words) const {
    return distance() - std::min(distance(), 2 * words);
  }

  // D(i, j) as computed.
  std::size_t at(std::size_t i, std::size_t j) const {
    const Column* const column = &columns_[i * blocks_];
    std::size_t value = i;
    for (std::size_t block = 0; block * 64 < j; ++block) {
      const std::size_t rows = j - block * 64;
      const Bits mask = rows >= 64 ? ~Bits{0} : (Bits{1} << rows) - 1;
      value += static_cast<std::size_t>(std::popcount(column[block].plus & mask));
      value -= static_cast<std::size_t>(std::popcount(column[block].minus & mask));
    }
    return value;
  }

 private:
  // Where D grows, and where it falls, from one reference word to the next.
  struct Column {
    Bits plus;
    Bits minus;
    bool operator==(const Column&) const = default;
  };

  // Computes a column from the one before; returns the change of its last distance.
  std::size_t step(const Column* before, const Bits* equal, Column* after) const {
    Bits carry_plus = 1;  // the first row grows by one with every word of the hypothesis
    Bits carry_minus = 0;
    std::size_t change = 0;
    for (std::size_t block = 0; block < blocks_; ++block) {
      const Column column = before[block];
      const Bits match = equal[block];
      const Bits vertical = match | column.minus;
      const Bits falling = match | carry_minus;
      const Bits diagonal = (((falling & column.plus) + column.plus) ^ column.plus) | falling;
      Bits plus = column.minus | ~(diagonal | column.plus);
      Bits minus = column.plus & diagonal;
      const std::size_t last = block + 1 == blocks_ ? (length_ - 1) % 64 : 63;
      const Bits grew = (plus >> last) & 1;
      const Bits fell = (minus >> last) & 1;
      plus = (plus << 1) | carry_plus;
      minus = (minus << 1) | carry_minus;
      after[block] = Column{minus | ~(vertical | plus), plus & vertical};
      carry_plus = grew;
      carry_minus = fell;
      change = static_cast<std::size_t>(grew - fell);
    }
    return change;
  }

  std::size_t size_ = 0;
  std::size_t length_ = 0;
  std::size_t blocks_ = 0;
  std::vector<Bits> equal_;
  std::vector<Column> columns_;
  std::vector<Column> other_;
  std::vector<std::size_t> bottoms_;
};

}  // namespace weigh
