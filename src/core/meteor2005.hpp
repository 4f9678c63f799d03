// METEOR as of 2005: stages resolved in turn, and four statistics.
#pragma once

#include <array>
#include <bit>

#include "meteorlexicon.hpp"

namespace weigh {

// Aligns words one to one, stage by stage (Banerjee & Lavie 2005, section 2.2): each stage takes
// the largest set of its mappings, of these the one with the fewest crossings, and of these the
// one that makes the fewest chunks together with the stages before.
class CrossingAligner {
 public:
  void begin(std::size_t size, std::size_t reference_size) {
    taken_.assign(size, false);
    partners_.assign(reference_size, none);
    stride_ = (size + 63) / 64;
  }

  // Adds the mappings of a stage: `same` tells whether two words match in it.
  template <typename Same>
  void resolve(Same same) {
    paths_.assign(1, Path{});
    used_.assign(stride_, 0);
    steps_.clear();
    bool any = false;
    for (std::size_t j = 0; j < partners_.size(); ++j) {
      options_.assign(stride_, 0);
      for (std::size_t i = 0; i < taken_.size() && partners_[j] == none; ++i) {
        if (taken_[i] || !same(i, j)) continue;
        options_[i / 64] |= std::uint64_t{1} << (i % 64);
        any = true;
      }
      extend_all(j);
    }
    if (!any) return;
    for (std::size_t step = paths_.front().step; step != none; step = steps_[step].before) {
      partners_[steps_[step].reference] = steps_[step].word;
      taken_[steps_[step].word] = true;
    }
  }

  std::size_t matches() const {
    return partners_.size() -
           static_cast<std::size_t>(std::count(partners_.begin(), partners_.end(), none));
  }

  std::size_t chunks() const {
    std::size_t chunks = 0;
    for (std::size_t j = 0; j < partners_.size(); ++j) {
      if (partners_[j] == none) continue;
      chunks += j == 0 || partners_[j - 1] == none || partners_[j - 1] + 1 != partners_[j];
    }
    return chunks;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  // What is searched is exact unless there are more ways than this; sentences of a few words,
  // and longer ones with few repeated words, have fewer.
  static constexpr std::size_t beam = 256;

  struct Path {
    std::size_t mappings = 0;
    std::size_t crossings = 0;
    std::size_t chunks = 0;
    std::size_t last = none;  // what the word of the reference before is mapped to
    std::size_t step = none;
    std::size_t before = 0;   // the path that this one extends
    std::size_t word = none;  // by a mapping to which word
    std::size_t reference = 0;
  };
  struct Step {
    std::size_t before;
    std::size_t word;
    std::size_t reference;
  };

  static bool better(const Path& a, const Path& b) {
    if (a.mappings != b.mappings) return a.mappings > b.mappings;
    if (a.crossings != b.crossings) return a.crossings < b.crossings;
    return a.chunks < b.chunks;
  }

  // What a path can be extended by, best first and the earliest word first among equals: one more
  // mapping, to words that few mappings of the path come after; of these the next word, which
  // begins no chunk; at last no mapping at all.
  struct Extensions {
    Path path;                  // that is extended
    Path best;                  // what it becomes by the best of what is left
    const std::uint64_t* used;  // words of its mappings
    std::size_t end;            // words from here on have been had
    std::size_t first = 0;      // the words from here to `last` cross the same mappings
    std::size_t last = 0;
    std::size_t next = 1;  // what is left of them begins here
    std::size_t crossings = 0;
    std::size_t joining = none;  // the word among them that begins no chunk
    bool is_done = false;
  };

  // Takes the best of all extensions of all paths, until the beam is full.
  void extend_all(std::size_t j) {
    extensions_.clear();
    queue_.clear();
    for (std::size_t p = 0; p < paths_.size(); ++p) {
      Path path = paths_[p];
      path.before = p;
      path.word = none;
      path.reference = j;
      extensions_.push_back(Extensions{path, path, used_.data() + p * stride_, taken_.size()});
      advance(extensions_.back());
      queue_.push_back(p);
    }
    const auto after = [this](std::size_t p, std::size_t q) {
      const Path& a = extensions_[p].best;
      const Path& b = extensions_[q].best;
      return better(b, a) || (!better(a, b) && q < p);
    };
    std::make_heap(queue_.begin(), queue_.end(), after);
    next_paths_.clear();
    next_used_.clear();
    kept_.fill(none);
    while (!queue_.empty() && next_paths_.size() < beam) {
      std::pop_heap(queue_.begin(), queue_.end(), after);
      Extensions& extensions = extensions_[queue_.back()];
      keep(extensions.best);
      if (advance(extensions)) {
        std::push_heap(queue_.begin(), queue_.end(), after);
      } else {
        queue_.pop_back();
      }
    }
    paths_.swap(next_paths_);
    used_.swap(next_used_);
  }

  // Finds the next best extension; false if there is none.
  bool advance(Extensions& extensions) const {
    if (extensions.is_done) return false;
    const std::size_t i = next_word(extensions);
    if (i != none) {
      extensions.best = mapped(extensions.path, i);
      ++extensions.best.mappings;
      extensions.best.crossings += extensions.crossings;
      extensions.best.word = i;
      return true;
    }
    extensions.is_done = true;
    const std::size_t partner = partners_[extensions.path.reference];
    if (partner == none) {
      extensions.best = extensions.path;
      extensions.best.last = none;
    } else {
      extensions.best = mapped(extensions.path, partner);
    }
    return true;
  }

  std::size_t next_word(Extensions& extensions) const {
    const std::uint64_t* const used = extensions.used;
    const auto is_free = [&](std::size_t at) { return options_[at] & ~used[at]; };
    const auto is_used = [&](std::size_t at) { return used[at]; };
    while (true) {
      if (extensions.next <= extensions.last) {
        const std::size_t i = lowest_from(is_free, extensions.next);
        extensions.next = i + 1;  // there is one: the last word is free
        if (i != extensions.joining) return i;
        continue;
      }
      const std::size_t last = highest_below(is_free, extensions.end);
      if (last == none) return none;
      const std::size_t before = highest_below(is_used, last);
      extensions.first = before == none ? 0 : before + 1;
      extensions.last = last;
      extensions.next = extensions.end = extensions.first;
      extensions.crossings = used_after(used, last);
      extensions.joining = none;
      const std::size_t joining = extensions.path.last + 1;
      if (extensions.path.last != none && extensions.first <= joining && joining <= last &&
          is_free(joining / 64) >> (joining % 64) & 1) {
        extensions.joining = joining;
        return joining;
      }
    }
  }

  // The first of the bits from `start` on; there must be one.
  template <typename Bits>
  static std::size_t lowest_from(Bits bits, std::size_t start) {
    std::size_t at = start / 64;
    std::uint64_t some = bits(at) >> (start % 64) << (start % 64);
    while (some == 0) some = bits(++at);
    return 64 * at + static_cast<std::size_t>(std::countr_zero(some));
  }

  // The last of the bits before `end`.
  template <typename Bits>
  static std::size_t highest_below(Bits bits, std::size_t end) {
    std::size_t at = end / 64;
    std::uint64_t some = end % 64 == 0 ? 0 : bits(at) & ((std::uint64_t{1} << (end % 64)) - 1);
    while (some == 0) {
      if (at == 0) return none;
      some = bits(--at);
    }
    return 64 * at + 63 - static_cast<std::size_t>(std::countl_zero(some));
  }

  static Path mapped(Path path, std::size_t i) {
    path.chunks += path.last == none || path.last + 1 != i;
    path.last = i;
    return path;
  }

  // A mapping crosses those of earlier words of the reference to later words of the hypothesis.
  std::size_t used_after(const std::uint64_t* used, std::size_t i) const {
    std::uint64_t bits = i % 64 == 63 ? 0 : used[i / 64] >> (i % 64 + 1);
    std::size_t count = 0;
    for (std::size_t at = i / 64;; bits = used[at]) {
      count += static_cast<std::size_t>(std::popcount(bits));
      if (++at == stride_) return count;
    }
  }

  void keep(Path path) {
    const std::size_t start = next_used_.size();
    next_used_.insert(next_used_.end(),
                      used_.begin() + static_cast<std::ptrdiff_t>(path.before * stride_),
                      used_.begin() + static_cast<std::ptrdiff_t>((path.before + 1) * stride_));
    if (path.word != none) {
      next_used_[start + path.word / 64] |= std::uint64_t{1} << (path.word % 64);
    }
    if (is_beaten(start, path.last)) {
      next_used_.resize(start);
      return;
    }
    if (path.word != none) {
      steps_.push_back(Step{path.step, path.word, path.reference});
      path.step = steps_.size() - 1;
    }
    next_paths_.push_back(path);
  }

  // Whether a path that was kept before, a better one, leaves the same to the rest of the
  // search. If not, the next path to be kept is noted under its key.
  bool is_beaten(std::size_t start, std::size_t last) {
    std::uint64_t key = last;
    for (std::size_t i = start; i < next_used_.size(); ++i) {
      key = (key ^ next_used_[i]) * 0x9e3779b97f4a7c15u;
      key ^= key >> 32;
    }
    for (std::size_t at = key % kept_.size();; at = (at + 1) % kept_.size()) {
      const std::size_t p = kept_[at];
      if (p == none) {
        kept_[at] = next_paths_.size();
        return false;
      }
      if (next_paths_[p].last == last &&
          std::equal(next_used_.begin() + static_cast<std::ptrdiff_t>(start), next_used_.end(),
                     next_used_.begin() + static_cast<std::ptrdiff_t>(p * stride_))) {
        return true;
      }
    }
  }

  std::size_t stride_ = 0;  // words of `used_` for each path: bits of the hypothesis
  std::vector<bool> taken_;
  std::vector<std::size_t> partners_;   // of the words of the reference
  std::vector<std::uint64_t> options_;  // words that the word of the reference may be mapped to
  std::vector<Path> paths_;
  std::vector<Extensions> extensions_;  // of every path
  std::vector<std::size_t> queue_;      // paths, as a heap: what has the best extension is first
  std::vector<Path> next_paths_;
  std::vector<std::uint64_t> used_;
  std::vector<std::uint64_t> next_used_;
  std::vector<Step> steps_;
  std::array<std::size_t, 4 * beam> kept_;  // the paths that are kept, by a key of what they leave
};

// Words of the hypothesis, words of the reference, matches and chunks.
class Meteor2005Statistics {
 public:
  static constexpr std::size_t width = 4;
  using Row = std::array<std::int64_t, width>;

  Meteor2005Statistics(bool stems, bool synonyms) : stems_(stems), with_synonyms_(synonyms) {}

  Row row(const Lexicon& lexicon, Sentence hypothesis, Sentence reference,
          std::span<const std::uint32_t>) {
    aligner_.begin(hypothesis.size(), reference.size());
    aligner_.resolve([&](std::size_t i, std::size_t j) { return hypothesis[i] == reference[j]; });
    if (stems_) {
      aligner_.resolve([&](std::size_t i, std::size_t j) {
        return lexicon.stems[static_cast<std::size_t>(hypothesis[i])] ==
               lexicon.stems[static_cast<std::size_t>(reference[j])];
      });
    }
    if (with_synonyms_) {
      synonyms_.note(lexicon, hypothesis, reference);
      aligner_.resolve([&](std::size_t i, std::size_t j) { return synonyms_(i, j); });
    }
    return {static_cast<std::int64_t>(hypothesis.size()),
            static_cast<std::int64_t>(reference.size()),
            static_cast<std::int64_t>(aligner_.matches()),
            static_cast<std::int64_t>(aligner_.chunks())};
  }

  // F with recall weighing nine times precision, less a penalty (Banerjee & Lavie 2005).
  double score(const Row& row) const {
    if (row[2] == 0) return 0;
    const auto matches = static_cast<double>(row[2]);
    const double precision = matches / static_cast<double>(row[0]);
    const double recall = matches / static_cast<double>(row[1]);
    const double fragmentation = static_cast<double>(row[3]) / matches;
    return 10 * precision * recall / (recall + 9 * precision) *
           (1 - 0.5 * fragmentation * fragmentation * fragmentation);
  }

 private:
  bool stems_;
  bool with_synonyms_;
  CrossingAligner aligner_;
  SharedSynsets synonyms_;
};

}  // namespace weigh
