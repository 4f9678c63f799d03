// METEOR 1.5's 23 statistics of a hypothesis and a reference.
#pragma once

#include <array>
#include <cmath>

#include "meteoralign.hpp"

namespace weigh {

struct MeteorOptions {
  std::array<bool, stage_count> stages;
  std::array<double, stage_count> weights;
  double alpha, beta, gamma, delta;
  bool mended;
};

class MeteorStatistics {
 public:
  static constexpr std::size_t width = 4 + 4 * stage_count + 3;
  using Row = std::array<std::int64_t, width>;

  explicit MeteorStatistics(const MeteorOptions& options)
      : options_(options), aligner_(options.mended) {}

  Row row(const Lexicon& lexicon, Sentence hypothesis, Sentence reference,
          std::span<const std::uint32_t> phrases) {
    find_matches(lexicon, hypothesis, reference, phrases);
    aligner_.align(hypothesis.size(), reference.size(), matches_);
    const auto function = [&](Number word) {
      return lexicon.function[static_cast<std::size_t>(word)] != 0;
    };
    Row row{};
    row[0] = static_cast<std::int64_t>(hypothesis.size());
    row[1] = static_cast<std::int64_t>(reference.size());
    row[2] = std::count_if(hypothesis.begin(), hypothesis.end(), function);
    row[3] = std::count_if(reference.begin(), reference.end(), function);
    for (const Match& match : aligner_.chosen()) {
      std::int64_t* const counts = &row[4 + 4 * static_cast<std::size_t>(match.stage)];
      for (const Number word : hypothesis.subspan(match.start, match.length)) {
        ++counts[function(word) ? 2 : 0];
      }
      for (const Number word : reference.subspan(match.reference_start, match.reference_length)) {
        ++counts[function(word) ? 3 : 1];
      }
      row[width - 2] += match.length;
      row[width - 1] += match.reference_length;
    }
    const bool perfect =
        aligner_.chunks() == 1 && row[width - 2] == row[0] && row[width - 1] == row[1];
    row[width - 3] = perfect ? 0 : static_cast<std::int64_t>(aligner_.chunks());
    return row;
  }

  // The score of one segment (Denkowski & Lavie 2014, section 2.2).
  double score(const Row& row) const {
    const double delta = options_.delta;
    const auto weighted = [&](std::int64_t content, std::int64_t function) {
      return delta * static_cast<double>(content) + (1 - delta) * static_cast<double>(function);
    };
    double matched = 0, reference_matched = 0;
    for (std::size_t stage = 0; stage < stage_count; ++stage) {
      const std::int64_t* const counts = &row[4 + 4 * stage];
      matched += options_.weights[stage] * weighted(counts[0], counts[2]);
      reference_matched += options_.weights[stage] * weighted(counts[1], counts[3]);
    }
    if (matched == 0 || reference_matched == 0) return 0;
    const double precision = matched / weighted(row[0] - row[2], row[2]);
    const double recall = reference_matched / weighted(row[1] - row[3], row[3]);
    const double f = 1 / ((1 - options_.alpha) / precision + options_.alpha / recall);
    const double words = static_cast<double>(row[width - 2] + row[width - 1]) / 2;
    const double fragmentation = static_cast<double>(row[width - 3]) / words;
    return f * (1 - options_.gamma * std::pow(fragmentation, options_.beta));
  }

 private:
  void find_matches(const Lexicon& lexicon, Sentence hypothesis, Sentence reference,
                    std::span<const std::uint32_t> phrases) {
    matches_.clear();
    const auto find = [&](Stage stage, auto same) {
      if (!options_.stages[stage]) return;
      for (std::uint32_t i = 0; i < hypothesis.size(); ++i) {
        for (std::uint32_t j = 0; j < reference.size(); ++j) {
          if (same(i, j)) matches_.push_back(Match{i, 1, j, 1, stage});
        }
      }
    };
    find(exact, [&](std::size_t i, std::size_t j) { return hypothesis[i] == reference[j]; });
    if (std::equal(hypothesis.begin(), hypothesis.end(), reference.begin(), reference.end())) {
      return;
    }
    find(stem, [&](std::size_t i, std::size_t j) {
      return lexicon.stems[static_cast<std::size_t>(hypothesis[i])] ==
                 lexicon.stems[static_cast<std::size_t>(reference[j])] &&
             hypothesis[i] != reference[j];
    });
    if (options_.stages[synonym]) synonyms_.note(lexicon, hypothesis, reference);
    find(synonym, [&](std::size_t i, std::size_t j) {
      return hypothesis[i] != reference[j] && synonyms_(i, j);
    });
    for (std::size_t at = 0; at + 3 < phrases.size(); at += 4) {
      matches_.push_back(
          Match{phrases[at], phrases[at + 1], phrases[at + 2], phrases[at + 3], paraphrase});
      matches_.back().check(hypothesis, reference);
    }
  }

  MeteorOptions options_;
  BeamAligner aligner_;
  std::vector<Match> matches_;
  SharedSynsets synonyms_;
};

}  // namespace weigh
