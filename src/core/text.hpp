// Texts as Python stores them, read in place, and their decoding to code points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace weigh {

// A view of a Python string: `width` is 1, 2 or 4 bytes per code point.
struct Text {
  const void* data;
  std::size_t size;
  int width;
};

using Chars = std::vector<char32_t>;
using Word = std::u32string_view;

inline void append(Chars& chars, Text text) {
  const std::size_t start = chars.size();
  chars.resize(start + text.size);
  char32_t* out = chars.data() + start;
  if (text.width == 1) {
    const auto* in = static_cast<const std::uint8_t*>(text.data);
    for (std::size_t i = 0; i < text.size; ++i) out[i] = in[i];
  } else if (text.width == 2) {
    const auto* in = static_cast<const std::uint16_t*>(text.data);
    for (std::size_t i = 0; i < text.size; ++i) out[i] = in[i];
  } else if (text.size > 0) {
    std::memcpy(out, text.data, text.size * sizeof(char32_t));
  }
}

// White space as str.split() and str.isspace() of Python define it.
constexpr bool is_space(char32_t c) {
  if (c <= 0x20) return c == 0x20 || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
  if (c < 0x85) return false;
  if (c < 0x1680) return c == 0x85 || c == 0xa0;
  if (c < 0x2000) return c == 0x1680;
  return c <= 0x200a || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

// White space as Java's \s defines it; tercom splits there and nowhere else.
constexpr bool is_ascii_space(char32_t c) { return c == 0x20 || (c >= 0x09 && c <= 0x0d); }

constexpr bool is_digit(char32_t c) { return c >= U'0' && c <= U'9'; }

}  // namespace weigh
