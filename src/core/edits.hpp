// Edit distances between two sequences of words, and the rates that are built on them alone.
#pragma once

#include <algorithm>
#include <vector>

#include "references.hpp"

namespace weigh {

// Insertions, deletions and substitutions at cost 1 (Levenshtein 1966).
class WordEdits {
 public:
  std::size_t operator()(Words hypothesis, Words reference) {
    row_.resize(reference.size() + 1);
    for (std::size_t j = 0; j < row_.size(); ++j) row_[j] = j;
    for (const WordId word : hypothesis) {
      std::size_t diagonal = row_[0]++;
      for (std::size_t j = 1; j < row_.size(); ++j) {
        const std::size_t kept = diagonal + (word != reference[j - 1]);
        diagonal = row_[j];
        row_[j] = std::min({kept, row_[j] + 1, row_[j - 1] + 1});
      }
    }
    return row_.back();
  }

 private:
  std::vector<std::size_t> row_;
};

// Words that differ whatever their position: the longer length less the common words.
class PositionIndependentEdits {
 public:
  std::size_t operator()(Words hypothesis, Words reference) {
    left_.assign(hypothesis.begin(), hypothesis.end());
    right_.assign(reference.begin(), reference.end());
    std::sort(left_.begin(), left_.end());
    std::sort(right_.begin(), right_.end());
    std::size_t common = 0;
    for (std::size_t i = 0, j = 0; i < left_.size() && j < right_.size();) {
      if (left_[i] == right_[j]) {
        ++common, ++i, ++j;
      } else {
        left_[i] < right_[j] ? ++i : ++j;
      }
    }
    return std::max(left_.size(), right_.size()) - common;
  }

 private:
  std::vector<WordId> left_;
  std::vector<WordId> right_;
};

// Edits and block moves (Leusch, Ueffing & Ney 2006): the reference is covered in order, and a
// long jump to any place of the hypothesis costs 1.
class BlockMoveEdits {
 public:
  std::size_t operator()(Words hypothesis, Words reference) {
    row_.assign(hypothesis.size() + 1, 1);
    row_[0] = 0;
    for (const WordId word : reference) {
      std::size_t diagonal = row_[0]++;
      std::size_t lowest = row_[0];
      for (std::size_t l = 1; l < row_.size(); ++l) {
        const std::size_t kept = diagonal + (word != hypothesis[l - 1]);
        diagonal = row_[l];
        row_[l] = std::min({kept, row_[l] + 1, row_[l - 1] + 1});
        lowest = std::min(lowest, row_[l]);
      }
      for (std::size_t& cost : row_) cost = std::min(cost, lowest + 1);
    }
    return row_.back();
  }

 private:
  std::vector<std::size_t> row_;
};

// Edits and length of the reference with the lowest rate, the first on ties. Against an empty
// reference the rate is 1 if there are edits.
template <typename Edits>
class EditCounter : public References {
 public:
  using Value = std::int64_t;

  using References::References;

  std::size_t width() const { return 2; }

  class Worker {
   public:
    explicit Worker(const EditCounter& counter)
        : references_(counter), tokenizer_(references_.scheme()) {}

    void row(Text text, std::size_t segment, Value* out) {
      references_.number(tokenizer_.words(text), ids_);
      for (std::size_t set = 0; set < references_.sets(); ++set) {
        const Words reference = references_.words(segment, set);
        const auto edits = static_cast<Value>(count_(ids_, reference));
        const auto length = static_cast<Value>(reference.size());
        if (set == 0 || lower_rate(edits, length, out[0], out[1])) {
          out[0] = edits;
          out[1] = length;
        }
      }
    }

   private:
    static bool lower_rate(Value edits, Value length, Value other_edits, Value other_length) {
      if (length == 0) length = std::max<Value>(edits, 1);
      if (other_length == 0) other_length = std::max<Value>(other_edits, 1);
      return edits * other_length < other_edits * length;
    }

    const References& references_;
    Tokenizer tokenizer_;
    Edits count_;
    std::vector<WordId> ids_;
  };
};

}  // namespace weigh
