// Texts into words: split on white space, or by the rules of mteval-v13a first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "text.hpp"

namespace weigh {

enum class Scheme { white_space, ascii_space, mteval_13a };

inline Scheme scheme_named(std::string_view name) {
  if (name == "none") return Scheme::white_space;
  if (name == "ascii") return Scheme::ascii_space;
  if (name == "13a") return Scheme::mteval_13a;
  throw std::invalid_argument("unknown scheme: " + std::string(name));
}

// What mteval-v13a does with an ASCII character.
enum class Kind : std::uint8_t { letter, space, symbol, stop, dash };

inline constexpr std::array<Kind, 128> kinds_13a = [] {
  std::array<Kind, 128> kinds{};
  for (char c : std::string_view("{|}~[\\]^_`!\"#$%&()*+:;<=>?@/")) {
    kinds[static_cast<std::size_t>(c)] = Kind::symbol;
  }
  for (char32_t c = 0; c < 128; ++c) {
    if (is_space(c)) kinds[c] = Kind::space;
  }
  kinds[U'.'] = kinds[U','] = Kind::stop;
  kinds[U'-'] = Kind::dash;
  return kinds;
}();

// Splits one text after another; the words of the last one stay valid until the next.
class Tokenizer {
 public:
  explicit Tokenizer(Scheme scheme) : scheme_(scheme) {}

  const std::vector<Word>& words(Text text) {
    chars_.clear();
    append(chars_, text);
    words_.clear();
    switch (scheme_) {
      case Scheme::white_space:
        split(is_space);
        break;
      case Scheme::ascii_space:
        split(is_ascii_space);
        break;
      case Scheme::mteval_13a:
        decode_markup();
        split_13a();
        break;
    }
    return words_;
  }

 private:
  void add_word(std::size_t start, std::size_t end) {
    if (end > start) words_.emplace_back(chars_.data() + start, end - start);
  }

  template <typename IsSpace>
  void split(IsSpace is_space_here) {
    std::size_t start = 0;
    for (std::size_t at = 0; at < chars_.size(); ++at) {
      if (!is_space_here(chars_[at])) continue;
      add_word(start, at);
      start = at + 1;
    }
    add_word(start, chars_.size());
  }

  // mteval-v13a makes four substitutions, each from left to right over the result of the one
  // before: (1) spaces around every symbol; (2) around a stop unless a digit precedes, (3) and
  // unless a digit follows; (4) around a dash that follows a digit. They only add spaces, so the
  // words are pieces of the text and one pass finds them. Matches of one substitution do not
  // overlap, so of a run of stops (2) takes every other one, and the last of the run stays with
  // a digit that follows unless (2) took it.
  void split_13a() {
    const std::size_t size = chars_.size();
    std::size_t start = 0;
    for (std::size_t at = 0; at < size;) {
      const char32_t c = chars_[at];
      const Kind kind = c < 128 ? kinds_13a[c] : is_space(c) ? Kind::space : Kind::letter;
      const bool after_digit = at > 0 && is_digit(chars_[at - 1]);
      std::size_t end = at + 1;
      if (kind == Kind::letter || (kind == Kind::dash && !after_digit)) {
        at = end;
        continue;
      }
      if (kind == Kind::stop) {
        while (end < size && (chars_[end] == U'.' || chars_[end] == U',')) ++end;
        const bool before_digit = end < size && is_digit(chars_[end]);
        const bool odd = (end - at) % 2 == 1;
        if (before_digit && after_digit && end == at + 1) {
          at = end;
          continue;
        }
        add_word(start, at);
        start = before_digit && after_digit == odd ? end - 1 : end;
        for (; at < start; ++at) add_word(at, at + 1);
      } else {
        add_word(start, at);
        if (kind != Kind::space) add_word(at, end);
        start = end;
      }
      at = end;
    }
    add_word(start, size);
  }

  // Entities and line ends inside the text; white space at its end is not part of it.
  void decode_markup() {
    while (!chars_.empty() && is_space(chars_.back())) chars_.pop_back();
    const bool marked = std::any_of(chars_.begin(), chars_.end(), [](char32_t c) {
      return c == U'<' || c == U'&' || c == U'\n';
    });
    if (!marked) return;
    replace(U"<skipped>", U"");
    replace(U"-\n", U"");
    replace(U"\n", U" ");
    replace(U"&quot;", U"\"");
    replace(U"&amp;", U"&");
    replace(U"&lt;", U"<");
    replace(U"&gt;", U">");
  }

  void replace(Word what, Word by) {
    Chars& out = other_;
    out.clear();
    const Word text(chars_.data(), chars_.size());
    std::size_t from = 0;
    for (std::size_t at; (at = text.find(what, from)) != Word::npos; from = at + what.size()) {
      out.insert(out.end(), text.begin() + from, text.begin() + at);
      out.insert(out.end(), by.begin(), by.end());
    }
    out.insert(out.end(), text.begin() + from, text.end());
    chars_.swap(other_);
  }

  Scheme scheme_;
  Chars chars_;
  Chars other_;
  std::vector<Word> words_;
};

}  // namespace weigh
