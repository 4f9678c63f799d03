// Translation edit rate (Snover et al. 2006) with the search that the program tercom makes.
#pragma once

#include "references.hpp"
#include "shifts.hpp"

namespace weigh {

// Edits of a hypothesis against one reference. Shifts are tried longest phrase first, and a shift
// that costs as much as it saves is made too, if it is the first that does in its round.
class TercomEdits : ShiftSearch {
 public:
  std::size_t operator()(Words hypothesis, Words reference) {
    if (reference.empty()) return hypothesis.size();
    load(hypothesis, reference);
    for (std::size_t shifts = 0;; ++shifts) {
      align(inside_beam(bits_.distance()), [&](auto order_at) { return beam_distance(order_at); });
      if (!find_shift()) return shifts + distance_;
      make(best_);
    }
  }

 private:
  static constexpr std::ptrdiff_t farthest = 50;
  static constexpr std::size_t beam = 20;

  // Within the beam's width of zero nothing on a best path is ever cut off.
  static bool inside_beam(std::size_t distance) { return distance <= beam; }

  // Whether a shift is worth making: then it is `best_`.
  bool find_shift() {
    taken_ = false;
    fewest_ = distance_;
    for (std::size_t length = std::min({longest_phrase, size_, length_}); length > 0; --length) {
      for (std::size_t start = 0; start + length <= size_; ++start) {
        if (!alignment_.hypothesis_wrong(start, length)) continue;
        for (std::size_t at = 0; at + length <= length_; ++at) {
          if (!same(start, at, length) || !alignment_.reference_wrong(at, length)) continue;
          if (!try_phrase(start, at, length)) return taken_;
        }
      }
    }
    return taken_;
  }

  bool same(std::size_t start, std::size_t at, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i) {
      if (!bits_.equal(order_[start + i], at + i)) return false;
    }
    return true;
  }

  // Returns false once no shift of this length or shorter can do better.
  bool try_phrase(std::size_t start, std::size_t at, std::size_t length) {
    const auto first = static_cast<std::ptrdiff_t>(start);
    const auto last = static_cast<std::ptrdiff_t>(start + length) - 1;
    const std::ptrdiff_t aligned = alignment_.target(at);
    if (aligned >= first && aligned <= last) return true;
    if (aligned - first > farthest || first - aligned > farthest) return true;
    for (std::size_t step = 0; step <= length; ++step) {
      std::size_t place = 0;  // among the other words
      if (at + step > 0) {
        const std::size_t target_word = at + step - 1;
        const std::ptrdiff_t target = alignment_.target(target_word);
        if (target == first || (target_word != at && target == aligned)) continue;
        if (target < first) {
          place = static_cast<std::size_t>(target + 1);
        } else if (target <= last) {
          place = static_cast<std::size_t>(target);
        } else {
          place = static_cast<std::size_t>(target + 1) - length;
        }
      }
      const std::size_t gain = distance_ - fewest_;
      if (gain > 2 * length || (gain == 2 * length && taken_)) return false;
      try_shift(start, length, place);
    }
    return true;
  }

  void try_shift(std::size_t start, std::size_t length, std::size_t place) {
    const Move move = place < start ? Move{place, start, start + length}
                                    : Move{start, start + length, std::min(size_, place + length)};
    // Many shifts need no computation: they cannot save enough.
    if (!improves(bits_.least_after_moving(length) + 1)) return;
    const auto order_at = [&](std::size_t i) { return order_[move.from(i)]; };
    std::size_t distance = bits_.distance(order_at, move.a, move.c);
    if (!improves(distance + 1)) return;
    if (!inside_beam(distance)) {
      distance = beam_distance(order_at);
      if (!improves(distance + 1)) return;
    }
    taken_ = true;
    fewest_ = distance + 1;
    best_ = move;
  }

  bool improves(std::size_t edits) const {
    return edits < fewest_ || (edits == fewest_ && !taken_);
  }

  // The distance without the cells that cost more by the beam's width than the cheapest way to
  // keep or substitute the row's word; notes the edits.
  template <typename OrderAt>
  std::size_t beam_distance(OrderAt order_at) {
    const std::size_t columns = length_ + 1;
    clear_matrix(infinite);
    for (std::size_t i = 1; i <= size_; ++i) {
      const std::uint32_t* const above = &costs_[(i - 1) * columns];
      std::uint32_t* const row = &costs_[i * columns];
      Edit* const edits = &edits_[i * columns];
      const std::uint32_t word = order_at(i - 1);
      std::uint32_t limit = infinite;
      if (i < size_) {
        for (std::size_t j = 0; j < length_; ++j) {
          limit = std::min(limit, above[j] + !bits_.equal(word, j));
        }
        limit += beam;
      }
      for (std::size_t j = 0; j < columns; ++j) {
        std::uint32_t cost = infinite;
        Edit edit = Edit::insert;
        if (j > 0) {
          const bool equal = bits_.equal(word, j - 1);
          cost = above[j - 1] + !equal;
          edit = equal ? Edit::keep : Edit::substitute;
        }
        if (above[j] + 1 < cost) {
          cost = above[j] + 1;
          edit = Edit::insert;
        }
        if (j > 0 && row[j - 1] + 1 < cost) {
          cost = row[j - 1] + 1;
          edit = Edit::erase;
        }
        row[j] = cost > limit ? infinite : cost;
        edits[j] = edit;
      }
    }
    return costs_[size_ * columns + length_];
  }

  std::size_t fewest_ = 0;
  bool taken_ = false;
  Move best_{};
};

}  // namespace weigh
