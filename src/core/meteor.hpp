// METEOR 1.5: alignment of two sentences by a beam search, and its 23 statistics.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <vector>

namespace weigh {

using Number = std::int32_t;  // of a word, of a stem or of a synset

enum Stage : std::uint8_t { exact, stem, synonym, paraphrase };
inline constexpr std::size_t stage_count = 4;

// Lists one after another: list i holds the values from starts[i] up to starts[i + 1].
template <typename Value>
struct Lists {
  std::span<const Value> values;
  std::span<const std::int64_t> starts;

  std::size_t size() const { return starts.size() - 1; }

  std::span<const Value> operator[](std::size_t i) const {
    return values.subspan(static_cast<std::size_t>(starts[i]),
                          static_cast<std::size_t>(starts[i + 1] - starts[i]));
  }

  // Throws unless every list lies within the values.
  void check() const {
    if (starts.empty() || starts.front() != 0 || !std::is_sorted(starts.begin(), starts.end()) ||
        starts.back() != static_cast<std::int64_t>(values.size())) {
      throw std::invalid_argument("lists must begin where the one before ends");
    }
  }
};

// What is known of every word, by its number; synsets are in ascending order.
struct Lexicon {
  std::span<const Number> stems;
  std::span<const std::uint8_t> function;
  Lists<Number> synsets;

  void check() const {
    synsets.check();
    if (function.size() != stems.size() || synsets.size() != stems.size()) {
      throw std::invalid_argument("one stem, one kind and one list of synsets per word");
    }
  }

  void check(std::span<const Number> sentence) const {
    for (const Number word : sentence) {
      if (word < 0 || static_cast<std::size_t>(word) >= stems.size()) {
        throw std::out_of_range("word number out of range");
      }
    }
  }
};

using Sentence = std::span<const Number>;

// Words of the hypothesis from `start` that match words of the reference.
struct Match {
  std::uint32_t start;
  std::uint32_t length;
  std::uint32_t reference_start;
  std::uint32_t reference_length;
  Stage stage;

  void check(Sentence hypothesis, Sentence reference) const {
    if (length == 0 || reference_length == 0 || start + std::size_t{length} > hypothesis.size() ||
        reference_start + std::size_t{reference_length} > reference.size()) {
      throw std::out_of_range("phrase outside of its sentence");
    }
  }
};

// Finds the alignment that covers most words, then has the fewest chunks, then the shortest
// distances (Denkowski & Lavie 2011, section 2), by a beam search along the reference.
class BeamAligner {
 public:
  // The reference program has two defects, which its published figures contain: half a word,
  // the worth of one that matches otherwise than exactly, is cut down to 0, and the distance of
  // a match that is tried is added to the paths that are tried after it, not to its own. With
  // `mended`, both are put right.
  explicit BeamAligner(bool mended) : mended_(mended) {}

  // Aligns by a choice of the matches, which are given in the order in which they are tried.
  void align(std::size_t size, std::size_t reference_size, const std::vector<Match>& matches) {
    matches_ = &matches;
    stride_ = (size + 63) / 64;
    sort_by_position(size, reference_size);
    steps_.clear();
    paths_.assign(1, Path{});
    used_.assign(stride_, 0);
    for (const std::size_t at : fixed_) {
      if (at != none) take(matches[at], used_.data());
    }
    for (std::size_t at = 0; at < reference_size; ++at) {
      extend_all(at);
      keep_best();
    }
    for (Path& path : paths_) close(path);
    const Path& best = *std::min_element(paths_.begin(), paths_.end(), better);
    chunks_ = best.chunks;
    chosen_.clear();
    for (std::size_t step = best.step; step != none; step = steps_[step].before) {
      chosen_.push_back(matches[steps_[step].match]);
    }
  }

  std::size_t chunks() const { return chunks_; }
  const std::vector<Match>& chosen() const { return chosen_; }

 private:
  static constexpr std::size_t beam = 40;
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  // A partial alignment. A chunk is counted when it ends; one that is open reaches up to `end`
  // in the hypothesis and `reference_end` in the reference.
  struct Path {
    std::size_t covered = 0;
    std::size_t chunks = 0;
    std::size_t distance = 0;
    std::size_t end = none;
    std::size_t reference_end = 0;
    std::size_t step = none;   // the last match
    std::size_t before = 0;    // the path that this one extends
    std::size_t match = none;  // by which match
  };
  struct Step {
    std::size_t before;
    std::size_t match;
  };

  static bool better(const Path& a, const Path& b) {
    if (a.covered != b.covered) return a.covered > b.covered;
    if (a.chunks != b.chunks) return a.chunks < b.chunks;
    return a.distance < b.distance;
  }

  // Matches that alone cover all of their words are in every alignment; the others are tried
  // where they start in the reference.
  void sort_by_position(std::size_t size, std::size_t reference_size) {
    covers_.assign(size, 0);
    reference_covers_.assign(reference_size, 0);
    starts_.assign(reference_size + 1, 0);
    fixed_.assign(reference_size, none);
    for (const Match& match : *matches_) {
      for (std::size_t i = 0; i < match.length; ++i) ++covers_[match.start + i];
      for (std::size_t i = 0; i < match.reference_length; ++i) {
        ++reference_covers_[match.reference_start + i];
      }
      ++starts_[match.reference_start + 1];
    }
    for (std::size_t i = 0; i < reference_size; ++i) starts_[i + 1] += starts_[i];
    tried_.resize(matches_->size());
    next_.assign(starts_.begin(), starts_.end());
    for (std::size_t at = 0; at < matches_->size(); ++at) {
      const Match& match = (*matches_)[at];
      tried_[next_[match.reference_start]++] = at;
      if (is_only_cover(match)) fixed_[match.reference_start] = at;
    }
  }

  bool is_only_cover(const Match& match) const {
    const auto once = [](std::size_t count) { return count == 1; };
    return std::all_of(&covers_[match.start], &covers_[match.start] + match.length, once) &&
           std::all_of(&reference_covers_[match.reference_start],
                       &reference_covers_[match.reference_start] + match.reference_length, once);
  }

  void extend_all(std::size_t at) {
    candidates_.clear();
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      Path path = paths_[p];
      path.before = p;
      path.match = none;
      if (fixed_[at] != none) {
        candidates_.push_back(extended(path, fixed_[at], path.distance + distance(fixed_[at])));
      } else if (path.end != none && at < path.reference_end) {
        candidates_.push_back(path);
      } else {
        branch(path, at);
      }
    }
  }

  void branch(Path path, std::size_t at) {
    for (std::size_t i = starts_[at]; i < starts_[at + 1]; ++i) {
      const std::size_t match = tried_[i];
      if (is_taken((*matches_)[match], &used_[path.before * stride_])) continue;
      candidates_.push_back(extended(path, match, path.distance + (mended_ ? distance(match) : 0)));
      if (!mended_) path.distance += distance(match);
    }
    close(path);
    candidates_.push_back(path);
  }

  Path extended(Path path, std::size_t at, std::size_t distance) const {
    const Match& match = (*matches_)[at];
    if (path.end != match.start || path.reference_end != match.reference_start) close(path);
    path.covered += worth(match.length, match.stage) + worth(match.reference_length, match.stage);
    path.distance = distance;
    path.end = match.start + match.length;
    path.reference_end = match.reference_start + match.reference_length;
    path.match = at;
    return path;
  }

  static void close(Path& path) {
    if (path.end != none) ++path.chunks;
    path.end = none;
  }

  // Twice the covered words, where words that do not match exactly count one half.
  std::size_t worth(std::size_t words, Stage stage) const {
    if (stage == exact) return 2 * words;
    return mended_ ? words : words / 2 * 2;
  }

  std::size_t distance(std::size_t at) const {
    const Match& match = (*matches_)[at];
    return match.start > match.reference_start ? match.start - match.reference_start
                                               : match.reference_start - match.start;
  }

  // Keeps the best candidates, of equals the first, and notes what they use.
  void keep_best() {
    if (!std::is_sorted(candidates_.begin(), candidates_.end(), better)) {
      std::stable_sort(candidates_.begin(), candidates_.end(), better);
    }
    candidates_.resize(std::min(candidates_.size(), beam));
    next_used_.resize(candidates_.size() * stride_);
    for (std::size_t p = 0; p < candidates_.size(); ++p) {
      Path& path = candidates_[p];
      std::copy_n(used_.begin() + static_cast<std::ptrdiff_t>(path.before * stride_), stride_,
                  next_used_.begin() + static_cast<std::ptrdiff_t>(p * stride_));
      if (path.match == none) continue;
      take((*matches_)[path.match], &next_used_[p * stride_]);
      steps_.push_back(Step{path.step, path.match});
      path.step = steps_.size() - 1;
    }
    paths_.swap(candidates_);
    used_.swap(next_used_);
  }

  static void take(const Match& match, std::uint64_t* used) {
    for (std::size_t i = match.start; i < match.start + match.length; ++i) {
      used[i / 64] |= std::uint64_t{1} << (i % 64);
    }
  }

  static bool is_taken(const Match& match, const std::uint64_t* used) {
    for (std::size_t i = match.start; i < match.start + match.length; ++i) {
      if (used[i / 64] >> (i % 64) & 1) return true;
    }
    return false;
  }

  bool mended_;
  const std::vector<Match>* matches_ = nullptr;
  std::size_t stride_ = 0;  // words of `used_` for each path: bits of the hypothesis
  std::vector<std::size_t> covers_;
  std::vector<std::size_t> reference_covers_;
  std::vector<std::size_t> fixed_;   // by position in the reference
  std::vector<std::size_t> starts_;  // where a position's matches begin in `tried_`
  std::vector<std::size_t> next_;
  std::vector<std::size_t> tried_;
  std::vector<Path> paths_;
  std::vector<Path> candidates_;
  std::vector<std::uint64_t> used_;
  std::vector<std::uint64_t> next_used_;
  std::vector<Step> steps_;
  std::size_t chunks_ = 0;
  std::vector<Match> chosen_;
};

struct MeteorOptions {
  std::array<bool, stage_count> stages;
  std::array<double, stage_count> weights;
  double alpha, beta, gamma, delta;
  bool mended;
};

// Hypotheses, and the segment that each belongs to. Phrases are four numbers each, the first
// four members of a match; there is a list of them for every hypothesis and reference set.
struct Hypotheses {
  Lists<Number> sentences;
  std::span<const std::int64_t> segments;
  Lexicon lexicon;
  Lists<std::uint32_t> phrases;
};

// The statistics of hypotheses: of their best-scoring reference, the first one on ties.
class AlignmentCounter {
 public:
  static constexpr std::size_t width = 4 + 4 * stage_count + 3;
  using Row = std::array<std::int64_t, width>;

  // All references of a segment stand one after another.
  AlignmentCounter(Lists<Number> references, std::size_t sets, const MeteorOptions& options)
      : references_(references), sets_(sets), options_(options), aligner_(options.mended) {
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
      const Row best = row(given, i);
      std::copy(best.begin(), best.end(), out);
    }
  }

 private:
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
      find_matches(given.lexicon, hypothesis, reference, given.phrases[i * sets_ + set]);
      const Row row = row_of_one(given.lexicon, hypothesis, reference);
      const double score = this->score(row);
      if (score > best_score) {
        best = row;
        best_score = score;
      }
    }
    return best;
  }

  Row row_of_one(const Lexicon& lexicon, Sentence hypothesis, Sentence reference) {
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
    note_synsets(lexicon, hypothesis, synsets_);
    note_synsets(lexicon, reference, reference_synsets_);
    find(synonym, [&](std::size_t i, std::size_t j) {
      return (synsets_[i] & reference_synsets_[j]) != 0 && hypothesis[i] != reference[j] &&
             share_one(lexicon.synsets[static_cast<std::size_t>(hypothesis[i])],
                       lexicon.synsets[static_cast<std::size_t>(reference[j])]);
    });
    for (std::size_t at = 0; at + 3 < phrases.size(); at += 4) {
      matches_.push_back(
          Match{phrases[at], phrases[at + 1], phrases[at + 2], phrases[at + 3], paraphrase});
      matches_.back().check(hypothesis, reference);
    }
  }

  // One bit for each synset of a word, so that most pairs are known not to share any.
  void note_synsets(const Lexicon& lexicon, Sentence sentence, std::vector<std::uint64_t>& bits) {
    bits.assign(sentence.size(), 0);
    if (!options_.stages[synonym]) return;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
      for (const Number synset : lexicon.synsets[static_cast<std::size_t>(sentence[i])]) {
        bits[i] |= std::uint64_t{1} << (static_cast<std::uint32_t>(synset) * 0x9e3779b9u >> 26);
      }
    }
  }

  static bool share_one(std::span<const Number> a, std::span<const Number> b) {
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
      if (a[i] == b[j]) return true;
      a[i] < b[j] ? ++i : ++j;
    }
    return false;
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

  Lists<Number> references_;
  std::size_t sets_;
  MeteorOptions options_;
  BeamAligner aligner_;
  std::vector<Match> matches_;
  std::vector<std::uint64_t> synsets_;
  std::vector<std::uint64_t> reference_synsets_;
};

}  // namespace weigh
