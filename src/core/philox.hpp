// Philox4x64-10 (Salmon et al. 2011): random numbers that are a function of a key and a counter,
// so that a draw depends on nothing but its seed, trial and unit.
#pragma once

#include <array>
#include <cstdint>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

namespace weigh {

struct Product {
  std::uint64_t high;
  std::uint64_t low;
};

inline Product multiply(std::uint64_t a, std::uint64_t b) {
#if defined(_MSC_VER)
  return {__umulh(a, b), a * b};
#else
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#endif
}

using Draws = std::array<std::uint64_t, 4>;

// What is drawn; each purpose has numbers of its own.
enum class Purpose : std::uint64_t { coins, units };

// The random numbers of one seed, stream and purpose.
class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t stream, Purpose purpose)
      : seed_(seed), stream_(2 * stream + static_cast<std::uint64_t>(purpose)) {}

  Draws operator()(std::uint64_t trial, std::uint64_t block) const {
    Draws x{block, trial, 0, 0};
    std::uint64_t key0 = seed_;
    std::uint64_t key1 = stream_;
    for (int round = 0; round < 10; ++round) {
      const Product first = multiply(0xd2e7470ee14c6c93u, x[0]);
      const Product second = multiply(0xca5a826395121157u, x[2]);
      x = {second.high ^ x[1] ^ key0, second.low, first.high ^ x[3] ^ key1, first.low};
      key0 += 0x9e3779b97f4a7c15u;
      key1 += 0xbb67ae8584caa73bu;
    }
    return x;
  }

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
};

}  // namespace weigh
