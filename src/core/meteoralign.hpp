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

}  // namespace weigh
