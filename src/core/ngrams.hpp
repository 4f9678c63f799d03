// The n-grams of references as a trie in one hash table, and the clipped matches with them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace weigh {

inline void check_order(std::size_t order) {
  constexpr std::size_t most = 1000;  // far beyond any use, and no product of it overflows
  if (order > most) throw std::invalid_argument("the n-gram order is at most 1000");
}

// Every n-gram is a node, found from the node of its first n - 1 symbols and its last symbol.
// Keys are the pair itself, not a hash of it, so that different n-grams never fall together.
class NgramTrie {
 public:
  using Node = std::uint32_t;
  static constexpr Node root = 0;
  static constexpr Node none = 0xffffffffu;

  NgramTrie() { clear(0); }

  // Empties the trie and makes room for so many n-grams.
  void clear(std::size_t ngrams) {
    const std::size_t capacity = std::bit_ceil(std::max<std::size_t>(2 * ngrams, 16));
    resize(capacity);
    std::fill_n(slots_.begin(), capacity, Slot{empty, none});
    size_ = 1;
  }

  std::size_t size() const { return size_; }

  Node find(Node parent, std::uint32_t symbol) const {
    const std::uint64_t key = key_of(parent, symbol);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      if (slots_[at].key == key) return slots_[at].node;
      if (slots_[at].key == empty) return none;
    }
  }

  // Returns the node of an n-gram, known or new (and then numbered size() - 1). There must be
  // room. Whether it is new is decided without a branch, which nothing could predict.
  Node add(Node parent, std::uint32_t symbol) {
    const std::uint64_t key = key_of(parent, symbol);
    std::size_t at = slot_of(key);
    while (slots_[at].key != key && slots_[at].key != empty) at = (at + 1) & mask_;
    const bool is_new = slots_[at].key == empty;
    const Node node = is_new ? static_cast<Node>(size_) : slots_[at].node;
    slots_[at] = Slot{key, node};
    size_ += is_new;
    return node;
  }

  // Makes room for one more n-gram than clear() was told of.
  void reserve_one() {
    if (2 * size_ > mask_) grow();
  }

 private:
  struct Slot {
    std::uint64_t key;
    Node node;
  };
  static constexpr std::uint64_t empty = ~std::uint64_t{0};

  static std::uint64_t key_of(Node parent, std::uint32_t symbol) {
    return (std::uint64_t{parent} << 32) | symbol;
  }
  std::size_t slot_of(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15u) >> shift_);
  }

  void resize(std::size_t capacity) {
    if (capacity - 1 > 0xffffffffu) throw std::length_error("too many n-grams");
    if (slots_.size() < capacity) slots_.resize(capacity);
    mask_ = static_cast<std::uint32_t>(capacity - 1);
    shift_ = 64 - std::countr_zero(capacity);
  }

  void grow() {
    const std::vector<Slot> old(slots_.begin(), slots_.begin() + mask_ + 1);
    resize(2 * old.size());
    std::fill_n(slots_.begin(), mask_ + 1, Slot{empty, none});
    for (const Slot& slot : old) {
      if (slot.key == empty) continue;
      std::size_t at = slot_of(slot.key);
      while (slots_[at].key != empty) at = (at + 1) & mask_;
      slots_[at] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t mask_ = 0;
  int shift_ = 0;
  std::uint32_t size_ = 1;
};

// The n-grams of one segment's references with how often each may be matched: the most often
// that it occurs in any one of them.
class ClippedNgrams {
 public:
  using Node = NgramTrie::Node;

  explicit ClippedNgrams(std::size_t order) : order_(order) {}

  void clear(std::size_t symbols) {
    trie_.clear(symbols * order_);
    if (counts_.size() < symbols * order_ + 1) counts_.resize(symbols * order_ + 1);
    owner_ = 0;
  }

  // `seen(node, position, n)` is told of every n-gram, n from 0. All n-grams of one order come
  // before those of the next: so the steps do not wait for each other.
  template <typename Symbol, typename Seen>
  void add_reference(std::span<const Symbol> symbols, Seen seen) {
    ++owner_;
    nodes_.assign(symbols.size(), NgramTrie::root);
    for (std::size_t n = 0; n < std::min(order_, symbols.size()); ++n) {
      for (std::size_t i = 0; i + n < symbols.size(); ++i) {
        const std::size_t known = trie_.size();
        const Node node = trie_.add(nodes_[i], static_cast<std::uint32_t>(symbols[i + n]));
        nodes_[i] = node;
        Count& count = counts_[node];
        const std::uint32_t limit = node == known ? 0 : count.limit;
        const std::uint32_t used = node != known && count.owner == owner_ ? count.used + 1 : 1;
        count = Count{std::max(limit, used), used, owner_};
        seen(node, i, n);
      }
    }
  }

  // `matched(node, n)` is told of every clipped match of a hypothesis, n from 0.
  template <typename Symbol, typename Matched>
  void match(std::span<const Symbol> symbols, Matched matched) {
    ++owner_;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      Node node = NgramTrie::root;
      const std::size_t longest = std::min(order_, symbols.size() - i);
      for (std::size_t n = 0; n < longest; ++n) {
        node = trie_.find(node, static_cast<std::uint32_t>(symbols[i + n]));
        if (node == NgramTrie::none) break;
        Count& count = counts_[node];
        const std::uint32_t used = count.owner == owner_ ? count.used : 0;
        const bool matches = used < count.limit;
        count.used = used + matches;
        count.owner = owner_;
        if (matches) matched(node, n);
      }
    }
  }

 private:
  // `used` counts within one reference or one hypothesis: the one that `owner` numbers.
  struct Count {
    std::uint32_t limit;
    std::uint32_t used;
    std::uint32_t owner;
  };

  std::size_t order_;
  NgramTrie trie_;
  std::vector<Count> counts_;
  std::vector<Node> nodes_;  // of the n-grams at hand
  std::uint32_t owner_ = 0;
};

inline std::size_t ngrams_of_order(std::size_t symbols, std::size_t n) {
  return symbols >= n ? symbols - n + 1 : 0;
}

}  // namespace weigh
