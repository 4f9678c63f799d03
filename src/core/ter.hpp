// Translation edit rate (Snover et al. 2006) with the limits that sacreBLEU sets.
#pragma once

#include <cmath>
#include <cstdlib>

#include "references.hpp"
#include "shifts.hpp"

namespace weigh {

// Edits of a hypothesis against one reference: shifts are made as long as the best one helps, and
// the edit distance is counted then. The distance is computed in a band around the diagonal and
// the number of shifts that are tried is limited, both as in sacreBLEU.
class ShiftEdits : ShiftSearch {
 public:
  std::size_t operator()(Words hypothesis, Words reference) {
    if (reference.empty()) return hypothesis.size();
    load(hypothesis, reference);
    tried_ = 0;
    for (std::size_t shifts = 0;; ++shifts) {
      align(inside_band(bits_.distance()),
            [&](auto order_at) { return banded_distance(order_at); });
      const Shift best = best_shift();
      if (tried_ >= most_tried || best.gain == 0) return shifts + distance_;
      make(best.move);
    }
  }

 private:
  static constexpr std::size_t farthest = 50;
  static constexpr std::size_t most_tried = 1000;
  static constexpr std::size_t band_width = 25;

  struct Shift {
    std::size_t gain = 0;
    std::size_t length = 0;
    std::size_t start = 0;
    std::size_t target = 0;
    Move move{};

    // More gain, then the longer phrase, then the earlier one, then the earlier target.
    bool better_than(const Shift& other) const {
      if (gain != other.gain) return gain > other.gain;
      if (length != other.length) return length > other.length;
      if (start != other.start) return start < other.start;
      return target < other.target;
    }
  };

  // Whether every best path lies inside the band: it strays from the diagonal by no more than
  // half of its cost and the difference in length together.
  bool inside_band(std::size_t distance) const {
    const std::size_t difference = size_ > length_ ? size_ - length_ : length_ - size_;
    return distance + difference + 2 < 2 * band_width;
  }

  Shift best_shift() {
    Shift best;
    for (std::size_t start = 0; start < size_; ++start) {
      const std::size_t first = start > farthest ? start - farthest : 0;
      const std::size_t last = std::min(length_, start + farthest + 1);
      for (std::size_t at = first; at < last; ++at) {
        for (std::size_t length = 1; length <= longest_phrase; ++length) {
          if (start + length > size_ || at + length > length_) break;
          if (!bits_.equal(order_[start + length - 1], at + length - 1)) break;
          try_phrase(start, at, length, best);
          if (tried_ >= most_tried) return best;
        }
      }
    }
    return best;
  }

  // Tries the places before, inside and after the phrase's counterpart in the reference.
  void try_phrase(std::size_t start, std::size_t at, std::size_t length, Shift& best) {
    if (!alignment_.hypothesis_wrong(start, length) || !alignment_.reference_wrong(at, length))
      return;
    const std::ptrdiff_t aligned = alignment_.target(at);
    if (aligned >= static_cast<std::ptrdiff_t>(start) &&
        aligned < static_cast<std::ptrdiff_t>(start + length)) {
      return;
    }
    std::ptrdiff_t previous = -1;
    for (std::size_t place = 0; place <= length; ++place) {
      const std::ptrdiff_t target = at + place == 0 ? 0 : alignment_.target(at + place - 1) + 1;
      if (target == previous) continue;
      previous = target;
      ++tried_;
      try_shift(start, length, static_cast<std::size_t>(target), best);
    }
  }

  void try_shift(std::size_t start, std::size_t length, std::size_t target, Shift& best) {
    Shift shift{0, length, start, target, {}};
    if (target < start) {
      shift.move = Move{target, start, start + length};
    } else if (target > start + length) {
      shift.move = Move{start, start + length, target};
    } else {
      shift.move = Move{start, start + length, std::min(size_, length + target)};
    }
    // Most shifts need no computation: they cannot gain enough.
    shift.gain = distance_ - std::min(distance_, bits_.least_after_moving(length));
    if (shift.gain == 0 || !shift.better_than(best)) return;
    const auto order_at = [&](std::size_t i) { return order_[shift.move.from(i)]; };
    std::size_t distance = bits_.distance(order_at, shift.move.a, shift.move.c);
    if (distance >= distance_) return;
    shift.gain = distance_ - distance;
    if (!shift.better_than(best)) return;
    if (!inside_band(distance)) {
      distance = banded_distance(order_at);
      if (distance >= distance_) return;
      shift.gain = distance_ - distance;
      if (!shift.better_than(best)) return;
    }
    best = shift;
  }

  // The distance with the cells far from the diagonal left out; notes the edits.
  template <typename OrderAt>
  std::size_t banded_distance(OrderAt order_at) {
    const std::size_t columns = length_ + 1;
    clear_matrix(infinite);
    const double ratio =
        size_ == 0 ? 1.0 : static_cast<double>(length_) / static_cast<double>(size_);
    const std::size_t half = static_cast<double>(band_width) < ratio / 2
                                 ? static_cast<std::size_t>(std::ceil(ratio / 2 + band_width))
                                 : band_width;
    for (std::size_t i = 1; i <= size_; ++i) {
      const auto middle = static_cast<std::size_t>(std::floor(static_cast<double>(i) * ratio));
      const std::size_t first = middle > half ? middle - half : 0;
      const std::size_t last = i == size_ ? columns : std::min(columns, middle + half);
      const std::uint32_t* const above = &costs_[(i - 1) * columns];
      std::uint32_t* const row = &costs_[i * columns];
      Edit* const edits = &edits_[i * columns];
      for (std::size_t j = first; j < last; ++j) {
        if (j == 0) {
          row[0] = above[0] + 1;
          edits[0] = Edit::insert;
          continue;
        }
        const bool equal = bits_.equal(order_at(i - 1), j - 1);
        std::uint32_t cost = above[j - 1] + !equal;
        Edit edit = equal ? Edit::keep : Edit::substitute;
        if (above[j] + 1 < cost) {
          cost = above[j] + 1;
          edit = Edit::insert;
        }
        if (row[j - 1] + 1 < cost) {
          cost = row[j - 1] + 1;
          edit = Edit::erase;
        }
        row[j] = std::min(cost, infinite);
        edits[j] = edit;
      }
    }
    return costs_.back();
  }

  std::size_t tried_ = 0;
};

// TER's statistics: the fewest edits against any reference, and the mean reference length.
template <typename Edits>
class ShiftCounter : public References {
 public:
  using Value = double;

  using References::References;

  std::size_t width() const { return 2; }

  class Worker {
   public:
    explicit Worker(const ShiftCounter& counter)
        : references_(counter), tokenizer_(references_.scheme()) {}

    void row(Text text, std::size_t segment, Value* out) {
      references_.number(tokenizer_.words(text), ids_);
      std::size_t fewest = 0;
      std::size_t words = 0;
      for (std::size_t set = 0; set < references_.sets(); ++set) {
        const Words reference = references_.words(segment, set);
        const std::size_t edits = count_(ids_, reference);
        fewest = set == 0 ? edits : std::min(fewest, edits);
        words += reference.size();
      }
      out[0] = static_cast<double>(fewest);
      out[1] = static_cast<double>(words) / static_cast<double>(references_.sets());
    }

   private:
    const References& references_;
    Tokenizer tokenizer_;
    Edits count_;
    std::vector<WordId> ids_;
  };
};

}  // namespace weigh
