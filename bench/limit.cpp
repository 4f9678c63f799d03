// How fast this machine can add random rows of a table that stays in the first-level cache: the
// limit of summing by tables of subsets. Prints additions of 32 bytes per second, in billions.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <vector>

#include "../src/core/resample.hpp"

using Row = weigh::Lanes<std::int16_t>;

WEIGH_CLONES void add(const Row* table, const std::uint8_t* chosen, std::size_t size, Row* sums) {
  Row a = sums[0], b = sums[1], c = sums[2], d = sums[3];
  for (std::size_t i = 0; i < size; i += 4) {
    a = a + table[chosen[i]];
    b = b + table[chosen[i + 1]];
    c = c + table[chosen[i + 2]];
    d = d + table[chosen[i + 3]];
  }
  sums[0] = a, sums[1] = b, sums[2] = c, sums[3] = d;
}

int main() {
  constexpr std::size_t size = 4096;
  std::vector<Row> table(256), sums(4);
  std::vector<std::uint8_t> chosen(size);
  const weigh::Philox philox(1, 0, weigh::Purpose::coins);
  for (std::size_t i = 0; i < size; ++i) chosen[i] = static_cast<std::uint8_t>(philox(0, i)[0]);
  double best = 1e9;
  for (int run = 0; run < 20; ++run) {
    const std::clock_t start = std::clock();
    for (int repeat = 0; repeat < 20000; ++repeat) {
      add(table.data(), chosen.data(), size, sums.data());
    }
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  volatile auto kept = sums[0][0];
  (void)kept;
  std::printf("%.6f\n", 20000.0 * size / best / 1e9);
}
