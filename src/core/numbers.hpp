// Numbers as lines of text hold them, read in place.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace weigh {

// The first word of a text, which is left without it; empty where there is none.
inline std::string_view next_word(std::string_view& rest) {
  const auto separates = [](char c) { return static_cast<unsigned char>(c) < 0x80 && is_space(c); };
  std::size_t start = 0;
  while (start < rest.size() && separates(rest[start])) ++start;
  std::size_t end = start;
  while (end < rest.size() && !separates(rest[end])) ++end;
  const std::string_view word = rest.substr(start, end - start);
  rest.remove_prefix(end);
  return word;
}

// The number that a word is, rounded as Python's float() rounds it. Of what float() takes, some is
// not taken here: a plus sign in front, underscores, and what is too small or large for a double.
inline bool is_number(std::string_view word, double& number) {
#if defined(__cpp_lib_to_chars)
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  return error == std::errc() && stop == end;
#else
  // A C library may also take hexadecimal digits, and a decimal comma in place of the point.
  if (word.front() == '+' || word.find_first_not_of("0123456789.eE+-") != word.npos) return false;
  const std::string copy(word);
  char* stop = nullptr;
  number = std::strtod(copy.c_str(), &stop);
  return stop == copy.c_str() + copy.size();
#endif
}

// Whether a text has the words of a layout, with a number wherever the layout has a word of one
// character. The numbers are no larger than `largest`, and are appended.
inline bool read_numbers(std::string_view text, std::string_view layout, double largest,
                         std::vector<double>& numbers) {
  while (true) {
    const std::string_view expected = next_word(layout), word = next_word(text);
    if (expected.empty() || word.empty()) return expected.empty() && word.empty();
    if (expected.size() > 1) {
      if (word != expected) return false;
      continue;
    }
    double number = 0;
    if (!is_number(word, number) || !(std::abs(number) <= largest)) return false;
    numbers.push_back(number);
  }
}

}  // namespace weigh
