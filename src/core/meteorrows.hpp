// Rows of hypotheses whose words are aligned to those of their references.
#pragma once

#include <utility>

#include "meteorlexicon.hpp"

namespace weigh {

// Hypotheses, and the segment that each belongs to. Phrases are four numbers each, the first
// four members of a match; there is a list of them for every hypothesis and reference set.
struct Hypotheses {
  Lists<Number> sentences;
  std::span<const std::int64_t> segments;
  Lexicon lexicon;
  Lists<std::uint32_t> phrases;
};

// The statistics of hypotheses: of their best-scoring reference, the first one on ties.
template <typename Statistics>
class AlignmentCounter {
 public:
  static constexpr std::size_t width = Statistics::width;

  // All references of a segment stand one after another.
  AlignmentCounter(Lists<Number> references, std::size_t sets, Statistics statistics)
      : references_(references), sets_(sets), statistics_(std::move(statistics)) {
    references.check();
    if (sets == 0 || references.size() % sets != 0) {
      throw std::invalid_argument("one text per segment and reference set");
    }
  }

  // Writes one row after another.
  void rows(const Hypotheses& given, std::int64_t* out) {
    given.sentences.check();
    given.lexicon.check();
    given.phrases.check();
    const std::size_t size = given.sentences.size();
    if (given.segments.size() != size || given.phrases.size() != size * sets_) {
      throw std::invalid_argument("one segment number per text, and phrases for each reference");
    }
    for (std::size_t i = 0; i < size; ++i, out += width) {
      const auto best = row(given, i);
      std::copy(best.begin(), best.end(), out);
    }
  }

 private:
  using Row = typename Statistics::Row;

  Row row(const Hypotheses& given, std::size_t i) {
    const std::int64_t segment = given.segments[i];
    if (segment < 0 || static_cast<std::size_t>(segment) >= references_.size() / sets_) {
      throw std::out_of_range("segment number out of range");
    }
    const Sentence hypothesis = given.sentences[i];
    given.lexicon.check(hypothesis);
    Row best{};
    double best_score = -1;
    for (std::size_t set = 0; set < sets_; ++set) {
      const Sentence reference = references_[static_cast<std::size_t>(segment) * sets_ + set];
      given.lexicon.check(reference);
      const Row row =
          statistics_.row(given.lexicon, hypothesis, reference, given.phrases[i * sets_ + set]);
      const double score = statistics_.score(row);
      if (score > best_score) {
        best = row;
        best_score = score;
      }
    }
    return best;
  }

  Lists<Number> references_;
  std::size_t sets_;
  Statistics statistics_;
};

}  // namespace weigh
