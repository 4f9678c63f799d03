// METEOR 1.5's alignment of two sentences: a beam search along the reference.
#pragma once

#include <vector>

#include "meteorlexicon.hpp"

namespace weigh {

enum Stage : std::uint8_t { exact, stem, synonym, paraphrase };
inline constexpr std::size_t stage_count = 4;

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
    steps_.assign(1, Step{none, none});
    used_.assign(stride_, 0);
    for (const Index at : fixed_) {
      if (at != none) take(matches[at], used_.data());
    }
    paths_.assign(1, Path{});
    for (std::size_t at = 0; at < reference_size; ++at) {
      if (fixed_[at] != none || starts_[at] == starts_[at + 1]) {
        pass(at);
      } else {
        branch(at);
      }
    }
    for (Path& path : paths_) close(path);
    const Path& best = *std::min_element(paths_.begin(), paths_.end(), better);
    chunks_ = best.chunks;
    chosen_.clear();
    for (Index step = best.step; step != 0; step = steps_[step].before) {
      chosen_.push_back(matches[steps_[step].match]);
    }
    for (const Index at : fixed_) {
      if (at != none) chosen_.push_back(matches[at]);
    }
  }

  std::size_t chunks() const { return chunks_; }
  const std::vector<Match>& chosen() const { return chosen_; }

 private:
  static constexpr std::size_t beam = 40;
  using Index = std::uint32_t;
  static constexpr Index none = static_cast<Index>(-1);

  // A partial alignment. A chunk is counted when it ends; one that is open reaches up to `end`
  // in the hypothesis and `reference_end` in the reference.
  struct Path {
    std::uint32_t covered = 0;
    std::uint32_t chunks = 0;
    std::uint64_t distance = 0;
    Index end = none;
    Index reference_end = 0;
    Index step = 0;      // the last choice among several matches
    Index match = none;  // a choice that is not noted as a step yet
  };
  // A choice, and the one before it; the first step of all is none. `used_` has the words of the
  // hypothesis that are covered after each step.
  struct Step {
    Index before;
    Index match;
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
    for (Index at = 0; at < matches_->size(); ++at) {
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

  // Goes past a word of the reference that leaves no choice.
  void pass(std::size_t at) {
    const Index match = fixed_[at];
    for (Path& path : paths_) {
      if (match != none) {
        extend(path, match, path.distance + distance(match));
      } else if (path.end != none && at >= path.reference_end) {
        close(path);
      }
    }
    sort(paths_);
  }

  // Tries all matches that start at a word of the reference, and none, and keeps the best paths.
  void branch(std::size_t at) {
    candidates_.clear();
    for (Path path : paths_) {
      if (path.end == none || at >= path.reference_end) {
        for (std::size_t i = starts_[at]; i < starts_[at + 1]; ++i) {
          const Index match = tried_[i];
          if (is_taken((*matches_)[match], &used_[path.step * stride_])) continue;
          candidates_.push_back(path);
          Path& child = candidates_.back();
          extend(child, match, path.distance + (mended_ ? distance(match) : 0));
          child.match = match;
          if (!mended_) path.distance += distance(match);
        }
        close(path);
      }
      candidates_.push_back(path);
    }
    sort(candidates_);
    candidates_.resize(std::min(candidates_.size(), beam));
    for (Path& path : candidates_) note_step(path);
    paths_.swap(candidates_);
  }

  // Best first, of equals the one that was first.
  static void sort(std::vector<Path>& paths) {
    if (!std::is_sorted(paths.begin(), paths.end(), better)) {
      std::stable_sort(paths.begin(), paths.end(), better);
    }
  }

  void note_step(Path& path) {
    if (path.match == none) return;
    const std::size_t start = used_.size();
    used_.resize(start + stride_);
    std::copy_n(&used_[path.step * stride_], stride_, &used_[start]);
    take((*matches_)[path.match], &used_[start]);
    steps_.push_back(Step{path.step, path.match});
    path.step = static_cast<Index>(steps_.size() - 1);
    path.match = none;
  }

  void extend(Path& path, Index at, std::uint64_t distance) const {
    const Match& match = (*matches_)[at];
    if (path.end != match.start || path.reference_end != match.reference_start) close(path);
    path.covered += worth(match.length, match.stage) + worth(match.reference_length, match.stage);
    path.distance = distance;
    path.end = match.start + match.length;
    path.reference_end = match.reference_start + match.reference_length;
  }

  static void close(Path& path) {
    if (path.end != none) ++path.chunks;
    path.end = none;
  }

  // Twice the covered words, where words that do not match exactly count one half.
  std::uint32_t worth(std::uint32_t words, Stage stage) const {
    if (stage == exact) return 2 * words;
    return mended_ ? words : words / 2 * 2;
  }

  std::uint64_t distance(Index at) const {
    const Match& match = (*matches_)[at];
    return match.start > match.reference_start ? match.start - match.reference_start
                                               : match.reference_start - match.start;
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
  std::size_t stride_ = 0;  // numbers of `used_` for each step, a bit for each word
  std::vector<std::size_t> covers_;
  std::vector<std::size_t> reference_covers_;
  std::vector<Index> fixed_;         // by position in the reference
  std::vector<std::size_t> starts_;  // where a position's matches begin in `tried_`
  std::vector<std::size_t> next_;
  std::vector<Index> tried_;
  std::vector<Path> paths_;
  std::vector<Path> candidates_;
  std::vector<std::uint64_t> used_;
  std::vector<Step> steps_;
  std::size_t chunks_ = 0;
  std::vector<Match> chosen_;
};

}  // namespace weigh
