// GTM's match size (Melamed, Green & Turian 2003): how much of a text its references cover.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "references.hpp"

namespace weigh {

// A row is the match size, the hypothesis' length and the mean length of the references. Runs of
// words that hypothesis and references have in common are taken longest first, the later one of
// equals, each word at most once, until they are as long as the mean reference; the match size is
// (Σ length^exponent)^(1/exponent).
class MatchSizeCounter : public References {
 public:
  using Value = double;

  MatchSizeCounter(std::size_t sets, double exponent, Scheme scheme)
      : References(sets, scheme), exponent_(exponent) {
    if (!(exponent >= 1)) throw std::invalid_argument("the exponent is at least 1");
  }

  std::size_t width() const { return 3; }

  class Worker {
   public:
    explicit Worker(const MatchSizeCounter& counter)
        : counter_(counter), tokenizer_(counter.scheme()) {}

    void row(Text text, std::size_t segment, Value* out) {
      counter_.number(tokenizer_.words(text), ids_);
      const std::size_t words = counter_.size(segment);
      const double length = static_cast<double>(ids_.size());
      const double mean = static_cast<double>(words) / static_cast<double>(counter_.sets());
      hypothesis_taken_.assign(ids_.size(), false);
      reference_taken_.assign(words, false);
      lengths_.clear();
      room_ = std::min(length, mean);
      find_runs(segment);
      take_runs();
      take_words(segment);
      out[0] = match_size();
      out[1] = length;
      out[2] = mean;
    }

   private:
    // Where a run begins in the hypothesis and among all words of the references. The order of
    // members is the order of runs: longer, then later in the hypothesis, then in the references.
    struct Run {
      std::size_t length;
      std::size_t hypothesis;
      std::size_t reference;
      auto operator<=>(const Run&) const = default;
    };

    // Finds the runs that can be extended on neither side. Those inside them matter only when
    // part of the longer one is taken, which leaves them over; single words are counted last.
    void find_runs(std::size_t segment) {
      runs_.clear();
      for (std::size_t set = 0; set < counter_.sets(); ++set) {
        const Words reference = counter_.words(segment, set);
        const std::size_t start = counter_.start(segment, set) - counter_.start(segment, 0);
        for (std::size_t i = 0; i < ids_.size(); ++i) {
          for (std::size_t j = 0; j < reference.size(); ++j) {
            if (ids_[i] != reference[j]) continue;
            if (i > 0 && j > 0 && ids_[i - 1] == reference[j - 1]) continue;
            std::size_t length = 1;
            while (i + length < ids_.size() && j + length < reference.size() &&
                   ids_[i + length] == reference[j + length]) {
              ++length;
            }
            if (length > 1) runs_.push_back(Run{length, i, start + j});
          }
        }
      }
      std::make_heap(runs_.begin(), runs_.end());
    }

    // Takes runs of two words and more. Of a run that is not free any more, the free parts go back
    // among the others; they are shorter than all that were looked at before, so order is kept.
    void take_runs() {
      while (!runs_.empty() && room_ > 0) {
        std::pop_heap(runs_.begin(), runs_.end());
        const Run run = runs_.back();
        runs_.pop_back();
        if (free_words(run, 0) == run.length) {
          std::fill_n(hypothesis_taken_.begin() + static_cast<std::ptrdiff_t>(run.hypothesis),
                      run.length, true);
          std::fill_n(reference_taken_.begin() + static_cast<std::ptrdiff_t>(run.reference),
                      run.length, true);
          take(static_cast<double>(run.length));
          continue;
        }
        for (std::size_t at = 0; at < run.length;) {
          const std::size_t length = free_words(run, at);
          if (length > 1) {
            runs_.push_back(Run{length, run.hypothesis + at, run.reference + at});
            std::push_heap(runs_.begin(), runs_.end());
          }
          at += length + 1;
        }
      }
    }

    // How many words of a run, from the one at `at`, are free on both sides.
    std::size_t free_words(const Run& run, std::size_t at) const {
      std::size_t end = at;
      while (end < run.length && !hypothesis_taken_[run.hypothesis + end] &&
             !reference_taken_[run.reference + end]) {
        ++end;
      }
      return end - at;
    }

    // Takes the single words that are left on both sides; which of equals does not matter.
    void take_words(std::size_t segment) {
      const Words references =
          counter_.all_words().subspan(counter_.start(segment, 0), reference_taken_.size());
      keep_free(ids_, hypothesis_taken_, left_);
      keep_free(references, reference_taken_, right_);
      for (std::size_t i = 0, j = 0; i < left_.size() && j < right_.size() && room_ > 0;) {
        if (left_[i] == right_[j]) {
          take(1), ++i, ++j;
        } else {
          left_[i] < right_[j] ? ++i : ++j;
        }
      }
    }

    static void keep_free(Words words, const std::vector<std::uint8_t>& taken,
                          std::vector<WordId>& kept) {
      kept.clear();
      for (std::size_t i = 0; i < words.size(); ++i) {
        if (!taken[i]) kept.push_back(words[i]);
      }
      std::sort(kept.begin(), kept.end());
    }

    // The last run is cut, if need be to part of a word.
    void take(double length) {
      lengths_.push_back(std::min(length, room_));
      room_ -= lengths_.back();
    }

    double match_size() const {
      double sum = 0;
      if (counter_.exponent_ == 1 || lengths_.empty()) {
        for (const double length : lengths_) sum += length;
        return sum;
      }
      // In units of the longest run no power is too large.
      const double longest = *std::max_element(lengths_.begin(), lengths_.end());
      for (const double length : lengths_) sum += std::pow(length / longest, counter_.exponent_);
      return longest * std::pow(sum, 1 / counter_.exponent_);
    }

    const MatchSizeCounter& counter_;
    Tokenizer tokenizer_;
    std::vector<WordId> ids_;
    std::vector<Run> runs_;                       // a heap, the next run first
    std::vector<std::uint8_t> hypothesis_taken_;  // by position
    std::vector<std::uint8_t> reference_taken_;
    std::vector<WordId> left_, right_;
    std::vector<double> lengths_;  // of the runs taken
    double room_ = 0;
  };

 private:
  double exponent_;
};

}  // namespace weigh
