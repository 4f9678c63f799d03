// What both variants of TER share: the words in their present order, how they align with the
// reference, and where a phrase may move.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bitdistance.hpp"

namespace weigh {

enum class Edit : std::uint8_t { keep, substitute, insert, erase };  // `insert`: a word too many

// A phrase changes places with its neighbours: words b..c come before words a..b, b <= c.
struct Move {
  std::size_t a, b, c;

  // Which word of the present order stands at place i after the move.
  std::size_t from(std::size_t i) const {
    if (i < a || i >= c) return i;
    return i - a < c - b ? i + (b - a) : i - (c - b);
  }
};

class Alignment {
 public:
  // Reads the edits backwards from the end; `edit_at(i, j)` tells the last edit of the first i
  // words of the hypothesis and the first j of the reference.
  template <typename EditAt>
  void read(std::size_t size, std::size_t length, EditAt edit_at) {
    hypothesis_errors_.assign(size + 1, 0);
    reference_errors_.assign(length + 1, 0);
    targets_.resize(length);
    for (std::size_t i = size, j = length; i > 0 || j > 0;) {
      const Edit edit = edit_at(i, j);
      const bool error = edit != Edit::keep;
      if (edit != Edit::erase) hypothesis_errors_[i] = error;
      if (edit != Edit::insert) {
        reference_errors_[j] = error;
        targets_[j - 1] = static_cast<std::ptrdiff_t>(i) - 1;
      }
      i -= edit != Edit::erase;
      j -= edit != Edit::insert;
    }
    std::partial_sum(hypothesis_errors_.begin(), hypothesis_errors_.end(),
                     hypothesis_errors_.begin());
    std::partial_sum(reference_errors_.begin(), reference_errors_.end(), reference_errors_.begin());
  }

  // The hypothesis word at which reference word j stands: the one that it is aligned with, or the
  // last one before it; -1 before the first.
  std::ptrdiff_t target(std::size_t j) const { return targets_[j]; }

  bool hypothesis_wrong(std::size_t start, std::size_t length) const {
    return hypothesis_errors_[start + length] > hypothesis_errors_[start];
  }
  bool reference_wrong(std::size_t start, std::size_t length) const {
    return reference_errors_[start + length] > reference_errors_[start];
  }

 private:
  std::vector<std::uint32_t> hypothesis_errors_;  // in the first i words
  std::vector<std::uint32_t> reference_errors_;
  std::vector<std::ptrdiff_t> targets_;
};

// The last edit at (i, j) of an unrestricted distance matrix: kept or substituted if that is as
// good as anything, else a word too many, else a word missing.
inline Edit last_edit(const BitDistance& bits, std::span<const std::uint32_t> order, std::size_t i,
                      std::size_t j) {
  if (i == 0) return Edit::erase;
  if (j == 0) return Edit::insert;
  if (bits.equal(order[i - 1], j - 1)) return Edit::keep;
  const std::size_t here = bits.at(i, j);
  if (bits.at(i - 1, j - 1) + 1 == here) return Edit::substitute;
  return bits.at(i - 1, j) + 1 == here ? Edit::insert : Edit::erase;
}

// The hypothesis in its present order against a reference: the state of a search for shifts.
class ShiftSearch {
 protected:
  void load(std::span<const WordId> hypothesis, std::span<const WordId> reference) {
    size_ = hypothesis.size();
    length_ = reference.size();
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), 0u);
    bits_.load(hypothesis, reference);
    bits_.compute(order_);
  }

  void make(const Move& move) {
    std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(move.a),
                order_.begin() + static_cast<std::ptrdiff_t>(move.b),
                order_.begin() + static_cast<std::ptrdiff_t>(move.c));
    bits_.compute(order_, move.a);
  }

  // Notes distance and alignment. If no best path can be touched by what the search leaves out,
  // they are those of the whole matrix; else `limited` computes the distance and notes the edits.
  template <typename Limited>
  void align(bool untouched, Limited limited) {
    if (untouched) {
      distance_ = bits_.distance();
      alignment_.read(size_, length_,
                      [&](std::size_t i, std::size_t j) { return last_edit(bits_, order_, i, j); });
    } else {
      distance_ = limited([&](std::size_t i) { return order_[i]; });
      alignment_.read(size_, length_,
                      [&](std::size_t i, std::size_t j) { return edits_[i * (length_ + 1) + j]; });
    }
  }

  // Makes room for a matrix of costs and edits, whose first row is all words missing.
  void clear_matrix(std::uint32_t cost) {
    costs_.assign((size_ + 1) * (length_ + 1), cost);
    edits_.resize(costs_.size());
    std::iota(costs_.begin(), costs_.begin() + static_cast<std::ptrdiff_t>(length_) + 1, 0u);
    std::fill_n(edits_.begin(), length_ + 1, Edit::erase);
  }

  static constexpr std::size_t longest_phrase = 10;
  static constexpr std::uint32_t infinite = 1u << 30;

  std::size_t size_ = 0;
  std::size_t length_ = 0;
  std::size_t distance_ = 0;
  std::vector<std::uint32_t> order_;
  BitDistance bits_;
  Alignment alignment_;
  std::vector<std::uint32_t> costs_;
  std::vector<Edit> edits_;
};

}  // namespace weigh
