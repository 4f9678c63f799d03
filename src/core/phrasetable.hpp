// Phrase pairs of aligned sentences, with the counts that their scores are made of.
//
// A pair is taken where words of one side are linked only to words of the other, with one link at
// least (Och & Ney 2004; Koehn, Och & Marcu 2003); words without a link at the edges of the target
// side may belong to it or not.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "wordalign.hpp"

namespace weigh {

// Sequences of words, each with a number: those that were met first have the lowest.
class Phrases {
 public:
  std::int32_t add(std::span<const WordId> words) {
    if (2 * (size() + 1) > slots_.size()) grow();
    const std::size_t slot = find(words);
    if (slots_[slot] < 0) {
      slots_[slot] = static_cast<std::int32_t>(size());
      words_.insert(words_.end(), words.begin(), words.end());
      ends_.push_back(words_.size());
    }
    return slots_[slot];
  }
  // The number of a sequence, or -1.
  std::int32_t number(std::span<const WordId> words) const {
    return slots_.empty() ? -1 : slots_[find(words)];
  }
  std::span<const WordId> operator[](std::size_t number) const {
    const std::size_t start = number == 0 ? 0 : ends_[number - 1];
    return {words_.data() + start, ends_[number] - start};
  }
  std::size_t size() const { return ends_.size(); }

 private:
  static std::size_t hash(std::span<const WordId> words) {
    std::uint64_t mixed = words.size();
    for (const WordId word : words) {
      mixed = (mixed ^ static_cast<std::uint32_t>(word)) * 0x9E3779B97F4A7C15ull;
      mixed ^= mixed >> 29;
    }
    return mixed;
  }
  std::size_t find(std::span<const WordId> words) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(words) & mask;
    while (slots_[slot] >= 0 && !std::ranges::equal((*this)[slots_[slot]], words))
      slot = (slot + 1) & mask;
    return slot;
  }
  void grow() {
    slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), -1);
    for (std::size_t number = 0; number < size(); ++number)
      slots_[find((*this)[number])] = static_cast<std::int32_t>(number);
  }

  std::vector<WordId> words_;
  std::vector<std::size_t> ends_;
  std::vector<std::int32_t> slots_;
};

// How a phrase stands to the one before it, or after it, in the target.
enum Orientation { monotone, swapped, discontinuous };

// The phrases of a corpus or of a table.
struct PhraseLists {
  Phrases sources, targets;
  Phrases alignments;  // links s * 256 + t in order, as if they were words
};

// Numbers of the phrases of a pair, and of its alignment.
struct PhrasePair {
  std::int32_t source = 0, target = 0, alignment = 0;
};

// A pair with its commonest alignment: how often it was met, and in which orientations.
struct CountedPair : PhrasePair {
  std::int32_t count = 0;
  std::array<std::int32_t, 3> before{}, after{};
};

// The phrase pairs of a corpus, in the order of their sources, then of their targets.
struct CountedPairs {
  PhraseLists phrases;
  std::vector<CountedPair> pairs;
};

class PhraseExtractor {
 public:
  PhraseExtractor(Corpus source, Corpus target, std::span<const std::int64_t> offsets,
                  std::span<const std::int32_t> links, std::size_t longest)
      : source_(source), target_(target), offsets_(offsets), links_(links), longest_(longest) {}

  CountedPairs run() {
    for (std::size_t s = 0; s < source_.size(); ++s) extract(s);
    return tallied();
  }

 private:
  struct Met {
    std::int32_t source, target, alignment;
    std::uint8_t before, after;
  };

  void extract(std::size_t s) {
    const auto e = source_[s], f = target_[s];
    const std::size_t first = offsets_[s], last = offsets_[s + 1];
    const auto sources = static_cast<std::int32_t>(e.size());
    const auto targets = static_cast<std::int32_t>(f.size());
    linked_.assign(static_cast<std::size_t>(sources) * targets, 0);
    // The first and last partner of every word.
    from_.assign(sources, {targets, -1});
    back_.assign(targets, {sources, -1});
    for (std::size_t at = first; at < last; ++at) {
      const std::int32_t a = links_[2 * at], b = links_[2 * at + 1];
      linked_[static_cast<std::size_t>(a) * targets + b] = 1;
      from_[a] = {std::min(from_[a].first, b), std::max(from_[a].second, b)};
      back_[b] = {std::min(back_[b].first, a), std::max(back_[b].second, a)};
    }
    const auto longest = static_cast<std::int32_t>(longest_);
    for (std::int32_t s1 = 0; s1 < sources; ++s1) {
      std::int32_t t1 = targets, t2 = -1;
      for (std::int32_t s2 = s1; s2 < sources && s2 < s1 + longest; ++s2) {
        t1 = std::min(t1, from_[s2].first);
        t2 = std::max(t2, from_[s2].second);
        if (t2 < 0 || t2 - t1 >= longest) continue;
        bool is_closed = true;
        for (std::int32_t t = t1; t <= t2 && is_closed; ++t)
          is_closed = back_[t].second < 0 || (back_[t].first >= s1 && back_[t].second <= s2);
        if (!is_closed) continue;
        for (std::int32_t low = t1; low >= 0 && t2 - low < longest; --low) {
          if (low < t1 && back_[low].second >= 0) break;
          for (std::int32_t high = t2; high < targets && high - low < longest; ++high) {
            if (high > t2 && back_[high].second >= 0) break;
            take(e, f, s1, s2, low, high);
          }
        }
      }
    }
  }

  // Whether two words are linked; the edges of the sentences are linked with each other.
  bool is_linked(std::int32_t s, std::int32_t t, std::int32_t sources, std::int32_t targets) const {
    const bool before_s = s < 0, before_t = t < 0, after_s = s >= sources, after_t = t >= targets;
    if (before_s || before_t) return before_s && before_t;
    if (after_s || after_t) return after_s && after_t;
    return linked_[static_cast<std::size_t>(s) * targets + t] != 0;
  }

  void take(std::span<const WordId> e, std::span<const WordId> f, std::int32_t s1, std::int32_t s2,
            std::int32_t t1, std::int32_t t2) {
    const auto sources = static_cast<std::int32_t>(e.size());
    const auto targets = static_cast<std::int32_t>(f.size());
    key_.clear();
    for (std::int32_t s = s1; s <= s2; ++s)
      for (std::int32_t t = t1; t <= t2; ++t)
        if (linked_[static_cast<std::size_t>(s) * targets + t])
          key_.push_back((s - s1) * 256 + t - t1);
    const auto linked = [&](std::int32_t s, std::int32_t t) {
      return is_linked(s, t, sources, targets);
    };
    // By the words at the corners (Koehn et al. 2005).
    const Orientation before = linked(s1 - 1, t1 - 1)   ? monotone
                               : linked(s2 + 1, t1 - 1) ? swapped
                                                        : discontinuous;
    const Orientation after = linked(s2 + 1, t2 + 1)   ? monotone
                              : linked(s1 - 1, t2 + 1) ? swapped
                                                       : discontinuous;
    met_.push_back({made_.phrases.sources.add(e.subspan(s1, s2 - s1 + 1)),
                    made_.phrases.targets.add(f.subspan(t1, t2 - t1 + 1)),
                    made_.phrases.alignments.add(key_), static_cast<std::uint8_t>(before),
                    static_cast<std::uint8_t>(after)});
  }

  CountedPairs tallied() {
    std::ranges::sort(met_, [](const Met& a, const Met& b) {
      return std::tie(a.source, a.target, a.alignment) < std::tie(b.source, b.target, b.alignment);
    });
    for (std::size_t at = 0; at < met_.size();) {
      CountedPair pair{{met_[at].source, met_[at].target, 0}, 0, {}, {}};
      std::int32_t most = 0;
      while (at < met_.size() && met_[at].source == pair.source && met_[at].target == pair.target) {
        const std::size_t start = at;
        for (; at < met_.size() && met_[at].source == pair.source &&
               met_[at].target == pair.target && met_[at].alignment == met_[start].alignment;
             ++at) {
          ++pair.before[met_[at].before];
          ++pair.after[met_[at].after];
        }
        const auto count = static_cast<std::int32_t>(at - start);
        pair.count += count;
        if (count > most) most = count, pair.alignment = met_[start].alignment;
      }
      made_.pairs.push_back(pair);
    }
    std::vector<Met>().swap(met_);
    return std::move(made_);
  }

  Corpus source_, target_;
  std::span<const std::int64_t> offsets_;
  std::span<const std::int32_t> links_;
  std::size_t longest_;
  std::vector<std::uint8_t> linked_;
  std::vector<std::pair<std::int32_t, std::int32_t>> from_, back_;
  std::vector<WordId> key_;
  std::vector<Met> met_;
  CountedPairs made_;
};

// w(f | e) by the links of a corpus: how often words were linked, none counting as a word, 0.
class LexicalWeights {
 public:
  // `of_targets`: the chances of target words given source words, otherwise the other way.
  LexicalWeights(const Corpus& source, const Corpus& target, std::span<const std::int64_t> offsets,
                 std::span<const std::int32_t> links, bool of_targets)
      : of_targets_(of_targets) {
    for (std::size_t s = 0; s < source.size(); ++s) {
      const auto given = of_targets ? source[s] : target[s];
      const auto made = of_targets ? target[s] : source[s];
      std::vector<std::uint8_t> has_given(given.size(), 0), has_made(made.size(), 0);
      for (std::int64_t at = offsets[s]; at < offsets[s + 1]; ++at) {
        const std::int32_t a = links[2 * at + (of_targets ? 0 : 1)];
        const std::int32_t b = links[2 * at + (of_targets ? 1 : 0)];
        has_given[a] = has_made[b] = 1;
        add(given[a], made[b]);
      }
      for (std::size_t b = 0; b < made.size(); ++b)
        if (!has_made[b]) add(0, made[b]);
      for (std::size_t a = 0; a < given.size(); ++a)
        if (!has_given[a]) add(given[a], 0);
    }
  }

  double chance(WordId given, WordId made) const {
    const auto met = pairs_.find(key(given, made));
    return met == pairs_.end() ? 1e-7 : met->second / totals_.at(given);
  }

  // The lexical weight of a phrase pair: the product, over its made words, of the mean chance of
  // each given the words that it is linked with, or given none (Koehn, Och & Marcu 2003).
  double weight(std::span<const WordId> source, std::span<const WordId> target,
                std::span<const WordId> alignment) const {
    const auto given = of_targets_ ? source : target, made = of_targets_ ? target : source;
    double product = 1;
    for (std::size_t b = 0; b < made.size(); ++b) {
      double sum = 0;
      std::size_t count = 0;
      for (const WordId link : alignment) {
        const std::size_t s = link / 256, t = link % 256;
        if ((of_targets_ ? t : s) != b) continue;
        sum += chance(given[of_targets_ ? s : t], made[b]);
        ++count;
      }
      product *= count > 0 ? sum / static_cast<double>(count) : chance(0, made[b]);
    }
    return product;
  }

 private:
  static std::uint64_t key(WordId given, WordId made) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(given)) << 32 |
           static_cast<std::uint32_t>(made);
  }
  void add(WordId given, WordId made) {
    pairs_[key(given, made)] += 1;
    totals_[given] += 1;
  }

  bool of_targets_;
  std::unordered_map<std::uint64_t, double> pairs_;
  std::unordered_map<WordId, double> totals_;
};

}  // namespace weigh
