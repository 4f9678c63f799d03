// Line search (Och 2003, section 4; Zaidan & Callison-Burch 2009, section 2): along a line in
// weight space each candidate's score is a line, and the best candidates of a segment are the
// upper envelope of its lines. Knows nothing of what the rows mean.
//
// Where several lines meet in one point, rounding separates their crossings, and what lies between
// is no interval: the error of every crossing is known, and crossings that only it separates are
// one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "clones.hpp"

namespace weigh {

// Candidates of segments: those of segment s are from offsets[s] up to offsets[s + 1].
struct Candidates {
  const std::int64_t* offsets;
  std::size_t segments;
  const std::int32_t* rows;  // which row of statistics each has
};

// Lines of all candidates: scores at 0 and slopes, and by how much rounding may have changed those
// of a segment.
struct Lines {
  const double *scores, *slopes, *score_errors, *slope_errors;
};

// The largest of many lines' heights, by_score · score + by_slope · slope.
WEIGH_CLONES inline double greatest_height(double by_score, double by_slope,
                                           const double* WEIGH_RESTRICT scores,
                                           const double* WEIGH_RESTRICT slopes, std::size_t size) {
  constexpr std::size_t lanes = 8;  // independent of each other, so that they are found at once
  double tops[lanes];
  std::fill_n(tops, lanes, -std::numeric_limits<double>::infinity());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t k = 0; k < lanes; ++k) {
      const double height = by_score * scores[i + k] + by_slope * slopes[i + k];
      tops[k] = height > tops[k] ? height : tops[k];
    }
  }
  double top = *std::max_element(tops, tops + lanes);
  for (; i < size; ++i) top = std::max(top, by_score * scores[i] + by_slope * slopes[i]);
  return top;
}

// The first of the highest lines at a place: infinitely far, that with the largest or least slope.
inline std::size_t highest_at(double at, const double* scores, const double* slopes,
                              std::size_t size) {
  constexpr std::size_t few = 24;  // for which vectors are not worth their while
  const bool is_far = std::isinf(at);
  const double by_score = is_far ? 0 : 1, by_slope = is_far ? std::copysign(1.0, at) : at;
  std::size_t first = 0;
  if (size > few) {
    const double top = greatest_height(by_score, by_slope, scores, slopes, size);
    while (first + 1 < size && by_score * scores[first] + by_slope * slopes[first] != top) ++first;
    return first;
  }
  double top = by_score * scores[0] + by_slope * slopes[0];
  for (std::size_t i = 1; i < size; ++i) {
    const double height = by_score * scores[i] + by_slope * slopes[i];
    first = height > top ? i : first;
    top = height > top ? height : top;
  }
  return first;
}

// Whether all numbers are between two others; what is no number is not.
WEIGH_CLONES inline bool are_within(double low, double high, const double* WEIGH_RESTRICT values,
                                    std::size_t size) {
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < size; ++i) beyond += !(values[i] >= low) | !(values[i] <= high);
  return beyond == 0;
}

// Where a segment's best row changes, and by how much that place may be off.
struct Change {
  double at, error;
  std::int32_t from, to;
};

// The part of the line that is searched; 0 is in it.
struct Range {
  double low, high;
};

// The row of every segment that is best at the low end, and all changes on the way up.
class Envelopes {
 public:
  Envelopes(const Candidates& candidates, const Lines& lines, const Range& range)
      : scores_(lines.scores),
        slopes_(lines.slopes),
        range_(range),
        is_short_(std::max(-range.low, range.high) <= 1) {
    first.reserve(candidates.segments);
    for (std::size_t s = 0; s < candidates.segments; ++s) {
      const double score_error = lines.score_errors[s], slope_error = lines.slope_errors[s];
      choose_lines(candidates.offsets[s], candidates.offsets[s + 1]);
      build_hull(slope_error);
      std::size_t i = 1;
      while (i < hull_.size() && hull_[i].from <= range.low) ++i;
      std::int32_t row = candidates.rows[hull_[i - 1].candidate];
      first.push_back(row);
      for (; i < hull_.size() && hull_[i].from < range.high; ++i) {
        const std::int32_t next = candidates.rows[hull_[i].candidate];
        if (next != row) {
          const double at = hull_[i].from, turn = hull_[i].slope - hull_[i - 1].slope;
          const double error = (score_error + std::abs(at) * slope_error) / turn;
          changes.push_back({at, error, row, next});
        }
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

  // Collects the lines that may be highest somewhere, by slope. The best lines at 0 and at both
  // ends are; a line between two of them is only if it reaches the point where they cross.
  // Sorting is left for those few.
  void choose_lines(std::int64_t start, std::int64_t stop) {
    const double* const scores = scores_ + start;
    const double* const slopes = slopes_ + start;
    const std::size_t size = stop - start;
    const std::int64_t flattest = start + highest_at(range_.low, scores, slopes, size);
    const std::int64_t steepest = start + highest_at(range_.high, scores, slopes, size);
    // Highest at both ends of a way is highest on the way.
    const bool is_alone = flattest == steepest && is_short_;
    const std::int64_t best = is_alone ? steepest : start + highest_at(0, scores, slopes, size);
    const double score = scores_[best], slope = slopes_[best];
    if (flattest == best && steepest == best) {
      lines_.assign(1, {0, score, slope, best});
      return;
    }
    const double up = crossing(best, steepest), down = crossing(best, flattest);
    lines_.resize(size);
    std::size_t kept = 0;
    for (std::int64_t i = start; i < stop; ++i) {
      // Without a branch, which nothing predicts. Rounding may keep a line too many, never lose
      // one, and the best line itself is kept.
      const double gain = slopes_[i] - slope;
      lines_[kept] = {0, scores_[i], slopes_[i], i};
      kept += gain * (gain > 0 ? up : down) >= (score - scores_[i]) * (1 - 1e-9);
    }
    lines_.resize(kept);
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

  void build_hull(double slope_error) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    hull_.clear();
    for (std::size_t i = 0; i < lines_.size();) {
      // Of lines whose slopes are equal but for rounding the highest counts, and of equal lines
      // the first.
      Line line = lines_[i];
      const double parallel = line.slope + slope_error;
      for (++i; i < lines_.size() && lines_[i].slope <= parallel; ++i) {
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

  const double* scores_;
  const double* slopes_;
  Range range_;
  bool is_short_;  // so that heights at its ends are no larger than numbers can be
  std::vector<Line> lines_, hull_;
};

// Features of all candidates, column by column.
struct Features {
  const double* columns;
  std::size_t candidates, count;

  std::vector<const double*> from(std::size_t candidate) const {
    std::vector<const double*> starts(count);
    for (std::size_t f = 0; f < count; ++f) starts[f] = columns + f * candidates + candidate;
    return starts;
  }
};

// values += weight · column, for one column after the other.
template <std::size_t Columns>
WEIGH_INLINE void add_columns(const double* weights, const double* const* columns, std::size_t size,
                              double* WEIGH_RESTRICT values) {
  for (std::size_t i = 0; i < size; ++i) {
    double value = values[i];
    for (std::size_t c = 0; c < Columns; ++c) value += weights[c] * columns[c][i];
    values[i] = value;
  }
}

// The same for any number of columns, few at a time: values are then read and written less often.
WEIGH_CLONES inline void add_scaled(const double* weights, const double* const* columns,
                                    std::size_t count, std::size_t size,
                                    double* WEIGH_RESTRICT values) {
  std::size_t c = 0;
  for (; c + 4 <= count; c += 4) add_columns<4>(weights + c, columns + c, size, values);
  for (; c < count; ++c) add_columns<1>(weights + c, columns + c, size, values);
}

// What each of several weight vectors makes of every candidate. Added feature by feature, so that
// equal candidates have equal scores; few candidates at a time, whose features stay at hand.
inline void score_candidates(const Features& features, const double* weights, std::size_t vectors,
                             double* scores) {
  constexpr std::size_t block = 256;
  std::fill_n(scores, vectors * features.candidates, 0.0);
  for (std::size_t start = 0; start < features.candidates; start += block) {
    const std::vector<const double*> columns = features.from(start);
    const std::size_t size = std::min(block, features.candidates - start);
    for (std::size_t v = 0; v < vectors; ++v) {
      add_scaled(weights + v * features.count, columns.data(), features.count, size,
                 scores + v * features.candidates + start);
    }
  }
}

// The first of the best candidates of every segment, by each of several weight vectors; `rest` is
// what else adds to scores.
inline void choose_best(const Features& features, const double* rest, const std::int64_t* offsets,
                        std::size_t segments, const double* weights, std::size_t vectors,
                        std::int64_t* best) {
  std::vector<double> scores, flat;
  for (std::size_t s = 0; s < segments; ++s) {
    const std::size_t start = offsets[s], size = offsets[s + 1] - start;
    const std::vector<const double*> columns = features.from(start);
    flat.resize(std::max(flat.size(), size));
    for (std::size_t v = 0; v < vectors; ++v) {
      scores.assign(rest + start, rest + start + size);
      add_scaled(weights + v * features.count, columns.data(), features.count, size, scores.data());
      best[v * segments + s] = start + highest_at(0, scores.data(), flat.data(), size);
    }
  }
}

// Writes the breakpoints that more than rounding separates, returns how many they are, and writes
// the sums of the best rows in each interval between them, one more.
template <typename Value>
std::size_t sum_envelopes(const Envelopes& envelopes, const Value* rows, std::size_t width,
                          double* breakpoints, Value* sums) {
  std::fill_n(sums, width, Value{0});
  for (const std::int32_t row : envelopes.first) {
    for (std::size_t c = 0; c < width; ++c) sums[c] += rows[row * width + c];
  }
  const std::vector<Change>& changes = envelopes.changes;
  std::size_t count = 0;
  for (std::size_t i = 0; i < changes.size(); ++count) {
    const std::size_t start = i;
    Value* const next = sums + width;
    std::copy_n(sums, width, next);
    do {
      const Value* const from = rows + changes[i].from * width;
      const Value* const to = rows + changes[i].to * width;
      for (std::size_t c = 0; c < width; ++c) next[c] += to[c] - from[c];
      ++i;
    } while (i < changes.size() &&
             changes[i].at - changes[i - 1].at <= changes[i].error + changes[i - 1].error);
    breakpoints[count] = changes[start].at / 2 + changes[i - 1].at / 2;
    sums = next;
  }
  return count;
}

// The interval that a number from 0 to 1 draws by Gibbs' chances: e to the power of what each is
// worth by temperature. What is no number, or worth nothing, is not drawn.
inline std::size_t draw_interval(const double* worths, std::size_t size, double temperature,
                                 double number) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < size; ++i) top = worths[i] > top ? worths[i] : top;
  std::vector<double> chances(size);
  double total = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double chance = std::exp((worths[i] - top) / temperature);
    total += chance > 0 ? chance : 0;
    chances[i] = total;
  }
  const auto drawn = std::upper_bound(chances.begin(), chances.end(), number * total);
  return std::min<std::size_t>(drawn - chances.begin(), size - 1);
}

}  // namespace weigh
