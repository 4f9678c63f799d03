// What outputs say for spans of their source sentence (RYPT), each substring once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "text.hpp"
#include "vocabulary.hpp"

namespace weigh {

// A link of a source word and an output's word, by their places.
struct Link {
  std::int64_t source;
  std::int64_t target;
};

class Substrings {
 public:
  static constexpr std::int64_t unaligned = -1;

  // Spans are half-open. A word that is spelt like `gap` is one.
  Substrings(std::span<const std::int64_t> starts, std::span<const std::int64_t> ends, Text gap)
      : starts_(starts), ends_(ends), gap_(word(gap)) {}

  WordId word(Text text) {
    chars_.clear();
    append(chars_, text);
    return words_.add(Word(chars_.data(), chars_.size()));
  }

  // Writes the number of what an output says for each span, `step` apart: its words that are
  // linked to the span, in their order, with a gap for each run of others between them.
  void number(std::span<const WordId> output, std::vector<Link>& links, std::int64_t* numbers,
              std::size_t step) {
    std::sort(links.begin(), links.end(),
              [](const Link& a, const Link& b) { return a.target < b.target; });
    for (std::size_t at = 0; at < starts_.size(); ++at) {
      chars_.clear();
      std::int64_t last = -1;
      for (const Link& link : links) {
        if (link.source < starts_[at] || link.source >= ends_[at]) continue;
        if (!chars_.empty() && link.target == last) continue;
        if (!chars_.empty() && link.target > last + 1) chars_.push_back(gap_);
        chars_.push_back(output[static_cast<std::size_t>(link.target)]);
        last = link.target;
      }
      numbers[at * step] = chars_.empty()
                               ? unaligned
                               : std::int64_t{substrings_.add(Word(chars_.data(), chars_.size()))};
    }
  }

  std::size_t size() const { return substrings_.size(); }

  // Returns a substring with spaces between its words; the next one takes its place.
  Word text(WordId number) {
    chars_.clear();
    for (const char32_t id : substrings_.word(number)) {
      if (!chars_.empty()) chars_.push_back(U' ');
      const Word word = words_.word(id);
      chars_.insert(chars_.end(), word.begin(), word.end());
    }
    return Word(chars_.data(), chars_.size());
  }

 private:
  std::span<const std::int64_t> starts_, ends_;
  Vocabulary words_, substrings_;  // a substring is spelt in numbers of words
  Chars chars_;
  WordId gap_;
};

}  // namespace weigh
