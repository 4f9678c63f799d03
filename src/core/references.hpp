// The references of a test set as numbered words: four bytes a word, kept for all systems.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "tokenizer.hpp"
#include "vocabulary.hpp"

namespace weigh {

using Words = std::span<const WordId>;

// What every counter of words starts from.
class References {
 public:
  static constexpr bool keeps_texts = false;

  References(std::size_t sets, Scheme scheme) : sets_(sets), scheme_(scheme) {
    if (sets == 0) throw std::invalid_argument("at least one reference is needed");
  }

  std::size_t sets() const { return sets_; }
  std::size_t segments() const { return (starts_.size() - 1) / sets_; }
  bool is_ready() const { return true; }
  Scheme scheme() const { return scheme_; }
  const Vocabulary& vocabulary() const { return vocabulary_; }

  // Says how many segments will come, so that memory is asked for once.
  void expect(std::size_t segments) {
    expected_ = segments;
    starts_.reserve(segments * sets_ + 1);
  }

  // Returns a function that appends one segment: a text from each reference set.
  auto adder() {
    return [this, tokenizer = Tokenizer(scheme_)](std::span<const Text> texts) mutable {
      for (const Text text : texts) {
        for (const Word word : tokenizer.words(text)) words_.push_back(vocabulary_.add(word));
        starts_.push_back(words_.size());
      }
      if (segments() == sounding && expected_ > sounding) {  // what is not used costs nothing
        words_.reserve(words_.size() / sounding * expected_ * 3 / 2);
      }
    };
  }

  Words words(std::size_t segment, std::size_t set) const {
    const std::size_t at = segment * sets_ + set;
    return Words(words_).subspan(starts_[at], starts_[at + 1] - starts_[at]);
  }

  // How many words a segment's references have together.
  std::size_t size(std::size_t segment) const {
    return starts_[(segment + 1) * sets_] - starts_[segment * sets_];
  }

  // Where the words of a reference stand among those of all references.
  std::size_t start(std::size_t segment, std::size_t set) const {
    return starts_[segment * sets_ + set];
  }

  Words all_words() const { return words_; }

  void number(const std::vector<Word>& words, std::vector<WordId>& ids) const {
    ids.clear();
    for (const Word word : words) ids.push_back(vocabulary_.find(word));
  }

 private:
  // After so many segments their mean length is known well enough.
  static constexpr std::size_t sounding = 4096;

  std::size_t sets_;
  std::size_t expected_ = 0;
  Scheme scheme_;
  Vocabulary vocabulary_;
  std::vector<WordId> words_;
  std::vector<std::size_t> starts_{0};
};

}  // namespace weigh
