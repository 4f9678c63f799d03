// Line search (Och 2003, section 4; Zaidan & Callison-Burch 2009, section 2): along a line in
// weight space each candidate's score is a line, and the best candidates of a segment are the
// upper envelope of its lines. Knows nothing of what the rows mean.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace weigh {

// Candidates of segments: those of segment s are from offsets[s] up to offsets[s + 1].
struct Candidates {
  const std::int64_t* offsets;
  std::size_t segments;
  const std::int32_t* rows;  // which row of statistics each has
};

// Where a segment's best row changes.
struct Change {
  double at;
  std::int32_t from, to;
};

// The row of every segment that is best far down the line, and all changes on the way up.
class Envelopes {
 public:
  // `scores` are those at 0 of the line.
  Envelopes(const Candidates& candidates, const double* scores, const double* slopes)
      : candidates_(candidates), scores_(scores), slopes_(slopes) {
    first.reserve(candidates.segments);
    for (std::size_t s = 0; s < candidates.segments; ++s) {
      choose_lines(candidates.offsets[s], candidates.offsets[s + 1]);
      build_hull();
      std::int32_t row = candidates.rows[hull_[0].candidate];
      first.push_back(row);
      for (std::size_t i = 1; i < hull_.size(); ++i) {
        const std::int32_t next = candidates.rows[hull_[i].candidate];
        if (next != row) changes.push_back({hull_[i].from, row, next});
        row = next;
      }
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.at < b.at; });
  }

  std::vector<std::int32_t> first;
  std::vector<Change> changes;

 private:
  struct Line {
    double from, score, slope;
    std::int64_t candidate;
  };

  // Collects the lines that may be highest somewhere, by slope. The best line at 0 and the
  // steepest one are; a line between them is only if it reaches the point where they cross, and
  // so with the best and the least steep one. Sorting is left for those few.
  void choose_lines(std::int64_t start, std::int64_t stop) {
    std::int64_t best = start, steepest = start, flattest = start;
    for (std::int64_t i = start + 1; i < stop; ++i) {
      if (scores_[i] > scores_[best]) best = i;
      if (slopes_[i] > slopes_[steepest]) steepest = i;
      if (slopes_[i] < slopes_[flattest]) flattest = i;
    }
    const double score = scores_[best], slope = slopes_[best];
    const double up = crossing(best, steepest), down = crossing(best, flattest);
    lines_.clear();
    for (std::int64_t i = start; i < stop; ++i) {
      // Without a branch on the sign, which nothing predicts. Rounding may keep a line too many,
      // never lose one, and the best line itself is kept.
      const double gain = slopes_[i] - slope;
      if (gain * (gain > 0 ? up : down) >= (score - scores_[i]) * (1 - 1e-9)) {
        lines_.push_back({0, scores_[i], slopes_[i], i});
      }
    }
    std::sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) {
      return a.slope < b.slope || (a.slope == b.slope && a.candidate < b.candidate);
    });
  }

  // Not infinite, since that times 0 is no number.
  double crossing(std::int64_t a, std::int64_t b) const {
    constexpr double largest = std::numeric_limits<double>::max();
    if (slopes_[a] == slopes_[b]) return 0;
    const double at = (scores_[a] - scores_[b]) / (slopes_[b] - slopes_[a]);
    return std::clamp(at, -largest, largest);
  }

  void build_hull() {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    hull_.clear();
    for (std::size_t i = 0; i < lines_.size();) {
      // Of lines with equal slopes the highest counts, and of equal lines the first.
      Line line = lines_[i];
      for (++i; i < lines_.size() && lines_[i].slope == line.slope; ++i) {
        if (lines_[i].score > line.score) line = lines_[i];
      }
      line.from = -infinity;
      while (!hull_.empty()) {
        const Line& top = hull_.back();
        line.from = (top.score - line.score) / (line.slope - top.slope);
        if (line.from > top.from) break;
        hull_.pop_back();
        line.from = -infinity;
      }
      if (line.from < infinity) hull_.push_back(line);
    }
  }

  const Candidates& candidates_;
  const double* scores_;
  const double* slopes_;
  std::vector<Line> lines_, hull_;
};

// Writes the distinct breakpoints, returns how many they are, and writes the sums of the best rows
// in each interval between them, one more.
template <typename Value>
std::size_t sum_envelopes(const Envelopes& envelopes, const Value* rows, std::size_t width,
                          double* breakpoints, Value* sums) {
  std::fill_n(sums, width, Value{0});
  for (const std::int32_t row : envelopes.first) {
    for (std::size_t c = 0; c < width; ++c) sums[c] += rows[row * width + c];
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < envelopes.changes.size(); ++count) {
    const double at = envelopes.changes[i].at;
    Value* const next = sums + width;
    std::copy_n(sums, width, next);
    for (; i < envelopes.changes.size() && envelopes.changes[i].at == at; ++i) {
      const Value* const from = rows + envelopes.changes[i].from * width;
      const Value* const to = rows + envelopes.changes[i].to * width;
      for (std::size_t c = 0; c < width; ++c) next[c] += to[c] - from[c];
    }
    breakpoints[count] = at;
    sums = next;
  }
  return count;
}

}  // namespace weigh
