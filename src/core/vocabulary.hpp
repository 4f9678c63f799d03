// Words into numbers, exactly: two words share a number only if they are equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "text.hpp"

namespace weigh {

using WordId = std::uint32_t;

// The number of every word that no reference contains; it equals no word of a reference.
inline constexpr WordId unknown_word = 0xffffffffu;

class Vocabulary {
 public:
  Vocabulary() : slots_(1024, Slot{0, unknown_word}) {}

  std::size_t size() const { return starts_.size() - 1; }

  void clear() {
    if (size() == 0) return;
    std::fill(slots_.begin(), slots_.end(), Slot{0, unknown_word});
    chars_.clear();
    starts_.resize(1);
  }

  WordId find(Word word) const {
    const std::uint32_t hash = hash_of(word);
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Slot& slot = slots_[at];
      if (slot.id == unknown_word) return unknown_word;
      if (slot.hash == hash && this->word(slot.id) == word) return slot.id;
    }
  }

  WordId add(Word word) {
    const WordId known = find(word);
    if (known != unknown_word) return known;
    if (size() == unknown_word) throw std::length_error("too many different words");
    if (2 * (size() + 1) > slots_.size()) grow();
    const auto id = static_cast<WordId>(size());
    chars_.insert(chars_.end(), word.begin(), word.end());
    starts_.push_back(chars_.size());
    place(Slot{hash_of(word), id});
    return id;
  }

  Word word(WordId id) const {
    return Word(chars_.data() + starts_[id], starts_[id + 1] - starts_[id]);
  }

 private:
  struct Slot {
    std::uint32_t hash;
    WordId id;
  };

  static std::uint32_t hash_of(Word word) {
    std::uint64_t hash = word.size();
    for (const char32_t c : word) hash = (hash ^ c) * 0x9e3779b97f4a7c15u;
    return static_cast<std::uint32_t>(hash >> 32);
  }

  std::size_t mask() const { return slots_.size() - 1; }

  void place(Slot slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].id != unknown_word) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size(), Slot{0, unknown_word});
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.id != unknown_word) place(slot);
    }
  }

  std::vector<Slot> slots_;
  Chars chars_;
  std::vector<std::size_t> starts_{0};
};

}  // namespace weigh
