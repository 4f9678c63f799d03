// Sentences as numbered words, and what is known of the words.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace weigh {

using Number = std::int32_t;  // of a word, of a stem or of a synset

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

// Tells which words of two sentences share a synset.
class SharedSynsets {
 public:
  void note(const Lexicon& lexicon, Sentence hypothesis, Sentence reference) {
    note(lexicon, hypothesis, words_);
    note(lexicon, reference, reference_words_);
  }

  bool operator()(std::size_t i, std::size_t j) const {
    const Entry &a = words_[i], &b = reference_words_[j];
    if ((a.bits & b.bits) == 0) return false;
    for (std::size_t m = 0, n = 0; m < a.synsets.size() && n < b.synsets.size();) {
      if (a.synsets[m] == b.synsets[n]) return true;
      a.synsets[m] < b.synsets[n] ? ++m : ++n;
    }
    return false;
  }

 private:
  // A bit for each synset: most pairs of words are seen to share none without looking further.
  struct Entry {
    std::uint64_t bits;
    std::span<const Number> synsets;
  };

  static void note(const Lexicon& lexicon, Sentence sentence, std::vector<Entry>& entries) {
    entries.clear();
    for (const Number word : sentence) {
      Entry entry{0, lexicon.synsets[static_cast<std::size_t>(word)]};
      for (const Number synset : entry.synsets) {
        entry.bits |= std::uint64_t{1} << (static_cast<std::uint32_t>(synset) * 0x9e3779b9u >> 26);
      }
      entries.push_back(entry);
    }
  }

  std::vector<Entry> words_;
  std::vector<Entry> reference_words_;
};

}  // namespace weigh
