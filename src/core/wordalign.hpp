// Word alignment: IBM model 1 (Brown et al. 1993) and the HMM (Vogel, Ney & Tillmann 1996; empty
// words as in Och & Ney 2003), trained by EM, and the symmetrisation of two directions.
//
// Expected counts are added as whole numbers of 2^-32, so that the sums, and with them the model,
// are the same for any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace weigh {

using WordId = std::int32_t;

// Sentences as one row of words; sentence i is words[offsets[i] .. offsets[i + 1]).
struct Corpus {
  std::span<const WordId> words;
  std::span<const std::int64_t> offsets;

  std::size_t size() const { return offsets.size() - 1; }
  std::span<const WordId> operator[](std::size_t sentence) const {
    return words.subspan(offsets[sentence], offsets[sentence + 1] - offsets[sentence]);
  }
};

// Whole numbers of 2^-32 that several threads add to.
class Tally {
 public:
  explicit Tally(std::size_t size) : size_(size), sums_(new std::atomic<std::int64_t>[size]) {
    clear();
  }
  void clear() {
    for (std::size_t i = 0; i < size_; ++i) sums_[i].store(0, std::memory_order_relaxed);
  }
  void add(std::size_t at, double count) {
    sums_[at].fetch_add(static_cast<std::int64_t>(count * unit + 0.5), std::memory_order_relaxed);
  }
  double operator[](std::size_t at) const {
    return static_cast<double>(sums_[at].load(std::memory_order_relaxed)) / unit;
  }
  std::size_t size() const { return size_; }

 private:
  static constexpr double unit = 4294967296.0;
  std::size_t size_;
  std::unique_ptr<std::atomic<std::int64_t>[]> sums_;
};

// t(f | e) for the words e and f that stand in a sentence pair together; e = 0 is the empty word.
class TranslationTable {
 public:
  TranslationTable(const Corpus& given, const Corpus& made) {
    WordId rows = 0;
    for (const WordId word : given.words) rows = std::max(rows, word);
    // Words are numbered from 1, so that 0 is free for the empty word.
    std::vector<std::vector<WordId>> partners(rows + 1);
    std::vector<std::size_t> compacted(rows + 1, 64);
    for (std::size_t s = 0; s < given.size(); ++s) {
      const auto pair = [&](WordId e) {
        auto& row = partners[e];
        row.insert(row.end(), made[s].begin(), made[s].end());
        if (row.size() > 2 * compacted[e]) compacted[e] = std::max<std::size_t>(64, compact(row));
      };
      pair(0);
      for (const WordId e : given[s]) pair(e);
    }
    starts_.reserve(rows + 2);
    starts_.push_back(0);
    for (auto& row : partners) {
      compact(row);
      words_.insert(words_.end(), row.begin(), row.end());
      starts_.push_back(words_.size());
      std::vector<WordId>().swap(row);
    }
    chances_.resize(words_.size());
    for (std::size_t e = 0; e + 1 < starts_.size(); ++e)
      for (std::size_t at = starts_[e]; at < starts_[e + 1]; ++at)
        chances_[at] = 1.0 / static_cast<double>(starts_[e + 1] - starts_[e]);
    counts_ = std::make_unique<Tally>(words_.size());
  }

  // The place of a pair of words, which must have been in a sentence pair together.
  std::size_t place(WordId e, WordId f) const {
    const auto first = words_.begin() + starts_[e], last = words_.begin() + starts_[e + 1];
    return std::lower_bound(first, last, f) - words_.begin();
  }
  double chance(std::size_t place) const { return chances_[place]; }
  void count(std::size_t place, double expected) { counts_->add(place, expected); }

  void maximise() {
    for (std::size_t e = 0; e + 1 < starts_.size(); ++e) {
      double sum = 0;
      for (std::size_t at = starts_[e]; at < starts_[e + 1]; ++at) sum += (*counts_)[at];
      if (sum <= 0) continue;  // nothing was learned of it
      for (std::size_t at = starts_[e]; at < starts_[e + 1]; ++at)
        chances_[at] = (*counts_)[at] / sum;
    }
    counts_->clear();
  }

  const std::vector<std::size_t>& starts() const { return starts_; }
  const std::vector<WordId>& words() const { return words_; }
  const std::vector<double>& chances() const { return chances_; }

 private:
  static std::size_t compact(std::vector<WordId>& row) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    return row.size();
  }

  std::vector<std::size_t> starts_;
  std::vector<WordId> words_;
  std::vector<double> chances_;
  std::unique_ptr<Tally> counts_;
};

// How far alignments jump: p(i | i', I) = s(i - i') / sum of s over all i of a sentence of I words.
class Jumps {
 public:
  explicit Jumps(std::size_t longest)
      : longest_(longest),
        weights_(2 * longest + 1, 1.0),
        counts_(2 * longest + 1),
        leaving_((longest + 1) * (longest + 1)) {}

  // s(i - i'), where i' = 0 is before the first word.
  double weight(std::ptrdiff_t jump) const { return weights_[jump + longest_]; }
  void count(std::ptrdiff_t jump, double expected) { counts_.add(jump + longest_, expected); }
  // How often position i' of a sentence of I words was left for a word.
  void count_leaving(std::size_t from, std::size_t length, double expected) {
    leaving_.add(length * (longest_ + 1) + from, expected);
  }

  // Which s makes the jumps likeliest has no closed form, since every sentence has positions of its
  // own to choose from. Each of these steps makes them likelier (Hunter 2004, equation 14).
  void maximise() {
    for (int step = 0; step < 8; ++step) {
      std::vector<double> chosen_from(weights_.size(), 0.0);
      for (std::size_t length = 1; length <= longest_; ++length) {
        for (std::size_t from = 0; from <= length; ++from) {
          const double left = leaving_[length * (longest_ + 1) + from];
          if (left <= 0) continue;
          double sum = 0;
          for (std::size_t to = 1; to <= length; ++to) sum += weight(difference(to, from));
          for (std::size_t to = 1; to <= length; ++to)
            chosen_from[difference(to, from) + longest_] += left / sum;
        }
      }
      for (std::size_t at = 0; at < weights_.size(); ++at)
        if (chosen_from[at] > 0) weights_[at] = std::max(counts_[at] / chosen_from[at], 1e-12);
    }
    counts_.clear();
    leaving_.clear();
  }

 private:
  static std::ptrdiff_t difference(std::size_t to, std::size_t from) {
    return static_cast<std::ptrdiff_t>(to) - static_cast<std::ptrdiff_t>(from);
  }

  std::size_t longest_;
  std::vector<double> weights_;
  Tally counts_;
  Tally leaving_;
};

// One direction: every word of the `made` side is made by one of the `given` side, or by none.
class WordAligner {
 public:
  static constexpr double empty_at_first = 0.2;

  WordAligner(Corpus given, Corpus made)
      : given_(given), made_(made), table_(given, made), jumps_(longest(given)), empties_(2) {}

  // The expectation step of model 1 over some sentences; returns their log likelihood.
  double expect_words(std::size_t first, std::size_t last) {
    double likelihood = 0;
    std::vector<std::size_t> places;
    for (std::size_t s = first; s < last; ++s) {
      const auto e = given_[s], f = made_[s];
      places.resize(e.size() + 1);
      for (const WordId word : f) {
        double sum = 0;
        for (std::size_t i = 0; i <= e.size(); ++i) {
          places[i] = table_.place(i == 0 ? 0 : e[i - 1], word);
          sum += table_.chance(places[i]);
        }
        if (!(sum > 0)) continue;
        for (const std::size_t place : places) table_.count(place, table_.chance(place) / sum);
        likelihood += std::log(sum / static_cast<double>(e.size() + 1));
      }
    }
    return likelihood;
  }

  // The same of the HMM, by forward and backward sums.
  double expect_paths(std::size_t first, std::size_t last) {
    double likelihood = 0;
    Lattice lattice;
    for (std::size_t s = first; s < last; ++s) {
      if (given_[s].empty() || made_[s].empty()) continue;
      lattice.prepare(*this, s);
      likelihood += lattice.run(*this);
    }
    return likelihood;
  }

  void maximise(bool with_jumps) {
    table_.maximise();
    if (!with_jumps) return;
    jumps_.maximise();
    const double all = empties_[0] + empties_[1];
    if (all > 0) empty_ = std::clamp(empties_[0] / all, 1e-4, 0.9);
    empties_.clear();
  }

  // The likeliest alignment of a sentence pair: for every made word the given word, or -1. Without
  // jumps (model 1) each word is taken by itself.
  void best(std::size_t s, bool with_jumps, std::int32_t* out) const {
    const auto e = given_[s], f = made_[s];
    if (e.empty()) {
      std::fill_n(out, f.size(), -1);
      return;
    }
    if (with_jumps) {
      best_path(s, out);
      return;
    }
    for (std::size_t j = 0; j < f.size(); ++j) {
      double most = table_.chance(table_.place(0, f[j]));
      out[j] = -1;
      for (std::size_t i = 0; i < e.size(); ++i) {
        const double chance = table_.chance(table_.place(e[i], f[j]));
        if (chance > most) most = chance, out[j] = static_cast<std::int32_t>(i);
      }
    }
  }

  const TranslationTable& table() const { return table_; }
  const Corpus& made() const { return made_; }

 private:
  static std::size_t longest(const Corpus& corpus) {
    std::size_t most = 1;
    for (std::size_t s = 0; s < corpus.size(); ++s) most = std::max(most, corpus[s].size());
    return most;
  }

  // A sentence pair: chances of words and of jumps. Positions of given words count from 1; an empty
  // word keeps the position that was left before it, so that it has one state for each, 0 included.
  struct Lattice {
    std::size_t length = 0, words = 0;
    std::vector<std::size_t> places;        // words x (length + 1)
    std::vector<double> jumps;              // (length + 1) x length: from, to - 1
    std::vector<double> forward, backward;  // words x (2 length + 1)
    std::vector<double> scales;

    void prepare(const WordAligner& model, std::size_t s) {
      const auto e = model.given_[s], f = model.made_[s];
      length = e.size(), words = f.size();
      places.resize(words * (length + 1));
      for (std::size_t j = 0; j < words; ++j)
        for (std::size_t i = 0; i <= length; ++i)
          places[j * (length + 1) + i] = model.table_.place(i == 0 ? 0 : e[i - 1], f[j]);
      jumps.resize((length + 1) * length);
      for (std::size_t from = 0; from <= length; ++from) {
        double sum = 0;
        for (std::size_t to = 1; to <= length; ++to) sum += weight(model, from, to);
        for (std::size_t to = 1; to <= length; ++to)
          jumps[from * length + to - 1] = (1 - model.empty_) * weight(model, from, to) / sum;
      }
    }

    static double weight(const WordAligner& model, std::size_t from, std::size_t to) {
      return model.jumps_.weight(static_cast<std::ptrdiff_t>(to) -
                                 static_cast<std::ptrdiff_t>(from));
    }
    double word(const WordAligner& model, std::size_t j, std::size_t i) const {
      return model.table_.chance(places[j * (length + 1) + i]);
    }

    // States: 0 .. length - 1 are the given words 1 .. length; length + k is the empty word where
    // position k, from 0, was left.
    double run(WordAligner& model) {
      const std::size_t states = 2 * length + 1;
      forward.assign(words * states, 0.0);
      backward.assign(words * states, 0.0);
      scales.assign(words, 0.0);
      std::vector<double> at(length + 1), to_words(length);  // chance to be at a position
      double likelihood = 0;
      for (std::size_t j = 0; j < words; ++j) {
        double* const now = forward.data() + j * states;
        positions(j, at);
        std::fill(to_words.begin(), to_words.end(), 0.0);
        for (std::size_t from = 0; from <= length; ++from) {
          if (at[from] == 0) continue;
          const double* const row = jumps.data() + from * length;
          for (std::size_t i = 0; i < length; ++i) to_words[i] += at[from] * row[i];
        }
        const double empty = model.empty_ * word(model, j, 0);
        double sum = 0;
        for (std::size_t i = 0; i < length; ++i)
          sum += now[i] = to_words[i] * word(model, j, i + 1);
        for (std::size_t k = 0; k <= length; ++k) sum += now[length + k] = at[k] * empty;
        if (!(sum > 0)) return 0.0;  // nothing that the model knows makes this sentence
        for (std::size_t i = 0; i < states; ++i) now[i] /= sum;
        scales[j] = sum;
        likelihood += std::log(sum);
      }
      std::vector<double> ahead(length + 1);  // what follows, by position
      for (std::size_t i = 0; i < states; ++i) backward[(words - 1) * states + i] = 1.0;
      for (std::size_t j = words; j-- > 0;) {
        double* const now = backward.data() + j * states;
        if (j + 1 < words) {
          const double* const next = backward.data() + (j + 1) * states;
          follow(model, j + 1, next, ahead);
          for (std::size_t i = 0; i < length; ++i) now[i] = ahead[i + 1];
          for (std::size_t k = 0; k <= length; ++k) now[length + k] = ahead[k];
        }
        count(model, j, now);
      }
      return likelihood;
    }

    // The chance of each position before word j.
    void positions(std::size_t j, std::vector<double>& at) const {
      std::fill(at.begin(), at.end(), 0.0);
      if (j == 0) {
        at[0] = 1.0;
        return;
      }
      const double* const before = forward.data() + (j - 1) * (2 * length + 1);
      at[0] = before[length];
      for (std::size_t k = 1; k <= length; ++k) at[k] = before[k - 1] + before[length + k];
    }

    void follow(const WordAligner& model, std::size_t j, const double* next,
                std::vector<double>& ahead) const {
      const double empty = model.empty_ * word(model, j, 0);
      std::vector<double> made(length);
      for (std::size_t i = 0; i < length; ++i) made[i] = word(model, j, i + 1) * next[i];
      for (std::size_t from = 0; from <= length; ++from) {
        const double* const row = jumps.data() + from * length;
        double sum = empty * next[length + from];
        for (std::size_t i = 0; i < length; ++i) sum += row[i] * made[i];
        ahead[from] = sum / scales[j];
      }
    }

    void count(WordAligner& model, std::size_t j, const double* now) {
      const std::size_t states = 2 * length + 1;
      const double* const here = forward.data() + j * states;
      double empty = 0;
      for (std::size_t i = 0; i < length; ++i)
        model.table_.count(places[j * (length + 1) + i + 1], here[i] * now[i]);
      for (std::size_t k = 0; k <= length; ++k) empty += here[length + k] * now[length + k];
      model.table_.count(places[j * (length + 1)], empty);
      model.empties_.add(0, empty);
      model.empties_.add(1, 1 - empty);
      std::vector<double> at(length + 1);
      positions(j, at);
      for (std::size_t from = 0; from <= length; ++from) {
        if (at[from] == 0) continue;
        double left = 0;
        for (std::size_t i = 0; i < length; ++i) {
          const double chance =
              at[from] * jumps[from * length + i] * word(model, j, i + 1) * now[i] / scales[j];
          if (chance == 0) continue;
          model.jumps_.count(static_cast<std::ptrdiff_t>(i + 1) - static_cast<std::ptrdiff_t>(from),
                             chance);
          left += chance;
        }
        model.jumps_.count_leaving(from, length, left);
      }
    }
  };

  void best_path(std::size_t s, std::int32_t* out) const {
    Lattice lattice;
    lattice.prepare(*this, s);
    const std::size_t length = lattice.length, words = lattice.words, states = 2 * length + 1;
    constexpr double never = -1e300;
    std::vector<double> before(length + 1, never), now(states);  // best log chance, by position
    std::vector<std::int32_t> at_state(length + 1, -1);          // the state that was best there
    std::vector<std::int32_t> back(words * states, -1);
    before[0] = 0;
    const auto log_of = [](double chance) { return chance > 0 ? std::log(chance) : -1e30; };
    const double empty = log_of(empty_);
    std::vector<double> log_jumps(lattice.jumps.size());
    std::transform(lattice.jumps.begin(), lattice.jumps.end(), log_jumps.begin(), log_of);
    for (std::size_t j = 0; j < words; ++j) {
      for (std::size_t i = 0; i < length; ++i) {
        double most = never;
        std::size_t from_best = 0;
        for (std::size_t from = 0; from <= length; ++from) {
          const double score = before[from] + log_jumps[from * length + i];
          if (score > most) most = score, from_best = from;
        }
        now[i] = most + log_of(lattice.word(*this, j, i + 1));
        back[j * states + i] = at_state[from_best];
      }
      for (std::size_t k = 0; k <= length; ++k) {
        now[length + k] = before[k] + empty + log_of(lattice.word(*this, j, 0));
        back[j * states + length + k] = at_state[k];
      }
      before[0] = now[length], at_state[0] = static_cast<std::int32_t>(length);
      for (std::size_t k = 1; k <= length; ++k) {
        const bool is_word = now[k - 1] >= now[length + k];
        before[k] = is_word ? now[k - 1] : now[length + k];
        at_state[k] = static_cast<std::int32_t>(is_word ? k - 1 : length + k);
      }
    }
    std::size_t last = 0;
    for (std::size_t k = 1; k <= length; ++k)
      if (before[k] > before[last]) last = k;
    std::int32_t state = at_state[last];
    for (std::size_t j = words; j-- > 0;) {
      out[j] = state < static_cast<std::int32_t>(length) ? state : -1;
      state = back[j * states + state];
    }
  }

  Corpus given_, made_;
  TranslationTable table_;
  Jumps jumps_;
  double empty_ = empty_at_first;
  Tally empties_;
};

enum class Symmetry { intersection, united, grow_diag, grow_diag_final_and };

using Link = std::pair<std::int32_t, std::int32_t>;  // source, target

// The links of two directions as one set, in order: `forward` has for every target word a source
// word, `backward` for every source word a target word, or -1 (Och & Ney 2003; Koehn et al. 2003).
inline std::vector<Link> symmetrised(std::span<const std::int32_t> forward,
                                     std::span<const std::int32_t> backward, Symmetry how) {
  const auto sources = static_cast<std::int32_t>(backward.size());
  const auto targets = static_cast<std::int32_t>(forward.size());
  std::vector<std::uint8_t> votes(backward.size() * forward.size(), 0);
  const auto cell = [&](std::int32_t s, std::int32_t t) { return s * targets + t; };
  for (std::int32_t t = 0; t < targets; ++t)
    if (forward[t] >= 0) votes[cell(forward[t], t)] |= 1;
  for (std::int32_t s = 0; s < sources; ++s)
    if (backward[s] >= 0) votes[cell(s, backward[s])] |= 2;
  std::vector<std::uint8_t> taken(votes.size(), 0);
  std::vector<std::uint8_t> has_source(sources, 0), has_target(targets, 0);
  const auto take = [&](std::int32_t s, std::int32_t t) {
    taken[cell(s, t)] = has_source[s] = has_target[t] = 1;
  };
  const bool all = how == Symmetry::united;
  for (std::int32_t s = 0; s < sources; ++s)
    for (std::int32_t t = 0; t < targets; ++t)
      if (votes[cell(s, t)] == 3 || (all && votes[cell(s, t)] != 0)) take(s, t);
  if (how == Symmetry::grow_diag || how == Symmetry::grow_diag_final_and) {
    for (bool grows = true; grows;) {
      grows = false;
      for (std::int32_t s = 0; s < sources; ++s)
        for (std::int32_t t = 0; t < targets; ++t) {
          if (!taken[cell(s, t)]) continue;
          for (std::int32_t ds = -1; ds <= 1; ++ds)
            for (std::int32_t dt = -1; dt <= 1; ++dt) {
              const std::int32_t a = s + ds, b = t + dt;
              if (a < 0 || b < 0 || a >= sources || b >= targets || taken[cell(a, b)]) continue;
              if (votes[cell(a, b)] == 0 || (has_source[a] && has_target[b])) continue;
              take(a, b);
              grows = true;
            }
        }
    }
  }
  if (how == Symmetry::grow_diag_final_and)
    for (const std::uint8_t direction : {1, 2})
      for (std::int32_t s = 0; s < sources; ++s)
        for (std::int32_t t = 0; t < targets; ++t)
          if ((votes[cell(s, t)] & direction) && !has_source[s] && !has_target[t]) take(s, t);
  std::vector<Link> links;
  for (std::int32_t s = 0; s < sources; ++s)
    for (std::int32_t t = 0; t < targets; ++t)
      if (taken[cell(s, t)]) links.emplace_back(s, t);
  return links;
}

}  // namespace weigh
