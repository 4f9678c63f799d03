// N-gram language models: interpolated modified Kneser-Ney estimates (Chen & Goodman 1998, section
// 3.3), kept and asked as back-off models, in which form ARPA files have them.
//
// N-grams are the nodes of a tree: the child of a node is the n-gram with one word more. Every node
// knows its suffix, the n-gram without its first word, to which the model backs off.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "wordalign.hpp"

namespace weigh {

class LanguageModel {
 public:
  static constexpr WordId unknown = 0;
  static constexpr std::int32_t none = -1, root = 0;

  struct Node {
    std::int32_t parent = none, suffix = none;
    WordId word = 0;
    std::int32_t order = 0;
    bool has_children = false;
    double chance = -99.0, backoff = 0.0;  // natural logarithms
  };

  // Words are numbered from 1 to `words`; the start and the end of a sentence come after them.
  LanguageModel(std::size_t order, WordId words)
      : order_(order), start_(words + 1), end_(words + 2), slots_(1024, none) {
    nodes_.push_back({});
  }

  std::size_t order() const { return order_; }
  WordId start() const { return start_; }
  WordId end() const { return end_; }
  const std::vector<Node>& nodes() const { return nodes_; }

  // The child of a node, or none.
  std::int32_t child(std::int32_t node, WordId word) const { return slots_[find(node, word)]; }

  // Adds an n-gram whose first words may have to be added too.
  std::int32_t add(std::span<const WordId> words) {
    std::int32_t node = root;
    for (const WordId word : words) node = add_child(node, word);
    return node;
  }

  void set(std::int32_t node, double chance, double backoff) {
    nodes_[node].chance = chance;
    nodes_[node].backoff = backoff;
  }

  // Finds the suffixes of all nodes; those that are not there are not backed off to.
  void link() {
    for (std::size_t at = 1; at < nodes_.size(); ++at)
      nodes_[nodes_[at].parent].has_children = true;
    // The shorter ones first: they are what the suffixes of longer ones are found through.
    for (std::int32_t order = 1; order <= static_cast<std::int32_t>(order_); ++order)
      for (Node& node : nodes_)
        if (node.order == order) node.suffix = suffix_of(node);
  }

  // Adds the log chance of a word after a state, and moves the state on.
  double advance(std::int32_t& state, WordId word) const {
    double score = 0;
    for (std::int32_t context = state;;) {
      const std::int32_t found = child(context, word);
      if (found != none) {
        state = kept(found);
        return score + nodes_[found].chance;
      }
      if (context == root) {
        if (word != unknown) return advance(state, unknown);
        state = root;
        return score - 99.0;
      }
      score += nodes_[context].backoff;
      context = nodes_[context].suffix;
    }
  }

  // The state at the start of a sentence.
  std::int32_t begin() const {
    const std::int32_t node = child(root, start_);
    return node == none ? root : kept(node);
  }

 private:
  // The part of an n-gram that words after it can depend on.
  std::int32_t kept(std::int32_t node) const {
    while (node != root && (nodes_[node].order >= static_cast<std::int32_t>(order_) ||
                            (!nodes_[node].has_children && nodes_[node].backoff == 0)))
      node = nodes_[node].suffix;
    return node;
  }

  std::int32_t suffix_of(const Node& node) const {
    if (node.parent == root) return root;
    for (std::int32_t shorter = nodes_[node.parent].suffix;; shorter = nodes_[shorter].suffix) {
      const std::int32_t found = child(shorter, node.word);
      if (found != none || shorter == root) return std::max(found, root);
    }
  }

  std::int32_t add_child(std::int32_t node, WordId word) {
    std::size_t slot = find(node, word);
    if (slots_[slot] != none) return slots_[slot];
    if (2 * nodes_.size() > slots_.size()) {
      slots_.assign(2 * slots_.size(), none);
      for (std::size_t at = 1; at < nodes_.size(); ++at)
        slots_[find(nodes_[at].parent, nodes_[at].word)] = static_cast<std::int32_t>(at);
      slot = find(node, word);
    }
    slots_[slot] = static_cast<std::int32_t>(nodes_.size());
    nodes_.push_back({node, none, word, nodes_[node].order + 1, false, -99.0, 0.0});
    return slots_[slot];
  }

  std::size_t find(std::int32_t node, WordId word) const {
    const std::size_t mask = slots_.size() - 1;
    std::uint64_t mixed = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(node)) << 32 |
                           static_cast<std::uint32_t>(word)) *
                          0x9E3779B97F4A7C15ull;
    std::size_t slot = (mixed ^ mixed >> 32) & mask;
    while (slots_[slot] != none &&
           (nodes_[slots_[slot]].parent != node || nodes_[slots_[slot]].word != word))
      slot = (slot + 1) & mask;
    return slot;
  }

  std::size_t order_;
  WordId start_, end_;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> slots_;
};

// Estimates a model from sentences.
class KneserNey {
 public:
  KneserNey(const Corpus& corpus, std::size_t order, WordId words) : model_(order, words) {
    count(corpus, order);
    model_.link();
    adjust();
  }

  LanguageModel estimate() {
    const auto& nodes = model_.nodes();
    std::vector<std::array<double, 4>> discounts(model_.order() + 1);
    for (std::size_t k = 1; k <= model_.order(); ++k) discounts[k] = discounts_of(k);
    // Of every context: the sum of its counts, and how many words follow once, twice, more often.
    std::vector<double> sums(nodes.size(), 0.0);
    std::vector<double> left(nodes.size(), 0.0);
    for (std::size_t at = 1; at < nodes.size(); ++at) {
      if (counts_[at] == 0) continue;  // the start of a sentence, which nothing predicts
      sums[nodes[at].parent] += static_cast<double>(counts_[at]);
      left[nodes[at].parent] += discounts[nodes[at].order][std::min<std::int64_t>(counts_[at], 3)];
    }
    // Words, the end of a sentence and the unknown word share what is left over at last.
    const double words = static_cast<double>(model_.start() - 1) + 2;
    const double uniform = 1.0 / words;
    const double spare = sums[0] > 0 ? left[0] / sums[0] : 1.0;
    // Parents stand before children, and suffixes of an n-gram are shorter: by order then.
    for (std::size_t k = 1; k <= model_.order(); ++k) {
      for (std::size_t at = 1; at < nodes.size(); ++at) {
        if (nodes[at].order != static_cast<std::int32_t>(k)) continue;
        const std::int32_t context = nodes[at].parent;
        const double lower = k == 1 ? uniform : std::exp(model_.nodes()[nodes[at].suffix].chance);
        const double share = sums[context] > 0 ? left[context] / sums[context] : 1.0;
        double chance = share * lower;
        if (counts_[at] > 0)
          chance += (static_cast<double>(counts_[at]) -
                     discounts[k][std::min<std::int64_t>(counts_[at], 3)]) /
                    sums[context];
        const double gamma = sums[at] > 0 ? left[at] / sums[at] : 1.0;
        const bool is_start = k == 1 && nodes[at].word == model_.start();
        model_.set(static_cast<std::int32_t>(at), is_start ? -99.0 : std::log(chance),
                   sums[at] > 0 ? std::log(std::max(gamma, 1e-30)) : 0.0);
      }
    }
    const WordId missing = LanguageModel::unknown;
    const std::int32_t unknown = model_.add({&missing, 1});
    model_.set(unknown, std::log(spare * uniform), 0.0);
    for (WordId word = 1; word < model_.start(); ++word)  // words that the sentences do not have
      if (model_.child(LanguageModel::root, word) == LanguageModel::none)
        model_.set(model_.add({&word, 1}), std::log(spare * uniform), 0.0);
    model_.link();
    return std::move(model_);
  }

 private:
  void count(const Corpus& corpus, std::size_t order) {
    std::vector<WordId> words;
    for (std::size_t s = 0; s < corpus.size(); ++s) {
      words.assign(1, model_.start());
      words.insert(words.end(), corpus[s].begin(), corpus[s].end());
      words.push_back(model_.end());
      for (std::size_t first = 0; first < words.size(); ++first) {
        const std::size_t length = std::min(order, words.size() - first);
        std::int32_t node = LanguageModel::root;
        for (std::size_t k = 1; k <= length; ++k) {
          node = model_.add(std::span(words).subspan(first, k));
          if (static_cast<std::size_t>(node) >= counts_.size()) counts_.resize(node + 1024, 0);
          ++counts_[node];
        }
      }
    }
    counts_.resize(model_.nodes().size(), 0);
  }

  // Replaces counts of shorter n-grams by the number of words that stand before them; nothing
  // stands before the start of a sentence.
  void adjust() {
    const auto& nodes = model_.nodes();
    std::vector<std::int64_t> before(nodes.size(), 0);
    std::vector<bool> starts(nodes.size(), false);
    for (std::size_t at = 1; at < nodes.size(); ++at) {
      starts[at] = nodes[at].parent == LanguageModel::root ? nodes[at].word == model_.start()
                                                           : starts[nodes[at].parent];
      if (nodes[at].suffix > LanguageModel::root) ++before[nodes[at].suffix];
    }
    for (std::size_t at = 1; at < nodes.size(); ++at) {
      const bool is_highest = nodes[at].order == static_cast<std::int32_t>(model_.order());
      if (!is_highest && !starts[at]) counts_[at] = before[at];
      if (starts[at] && nodes[at].order == 1) counts_[at] = 0;
    }
  }

  // D1, D2 and D3+ from how many n-grams occur once, twice, three and four times.
  std::array<double, 4> discounts_of(std::size_t k) const {
    std::array<double, 5> n{};
    const auto& nodes = model_.nodes();
    for (std::size_t at = 1; at < nodes.size(); ++at)
      if (nodes[at].order == static_cast<std::int32_t>(k) && counts_[at] > 0 && counts_[at] < 5)
        n[counts_[at]] += 1;
    std::array<double, 4> discounts{0, 0.5, 1.0, 1.5};  // where there are too few to tell
    const double y = n[1] + 2 * n[2] > 0 ? n[1] / (n[1] + 2 * n[2]) : 0;
    for (int i = 1; i <= 3; ++i) {
      if (n[i] == 0 || n[i + 1] == 0 || y == 0) continue;
      const double discount = i - (i + 1) * y * n[i + 1] / n[i];
      if (discount > 0 && discount <= i) discounts[i] = discount;
    }
    return discounts;
  }

  LanguageModel model_;
  std::vector<std::int64_t> counts_;
};

}  // namespace weigh
