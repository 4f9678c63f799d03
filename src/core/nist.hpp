// NIST's statistics: information of the matches and n-grams by order, and the two lengths.
#pragma once

#include <cmath>

#include "ngrams.hpp"
#include "references.hpp"

namespace weigh {

class InformationCounter : public References {
 public:
  using Value = double;

  // With `zero_is_empty`, a history that is the single word "0" counts as no history at all, as
  // Perl's idea of truth has it in mteval.
  InformationCounter(std::size_t sets, std::size_t order, Scheme scheme, bool zero_is_empty)
      : References(sets, scheme), order_(order), zero_is_empty_(zero_is_empty) {
    if (order == 0) throw std::invalid_argument("the n-gram order is at least 1");
    check_order(order);
  }

  std::size_t width() const { return 2 * order_ + 2; }

  // Whether all references that there are have been counted.
  bool is_ready() const { return finished_ == segments(); }

  // Computes what every n-gram of the references tells, from its counts in all of them:
  // log2(count of its first n - 1 words / its count).
  void finish() {
    const Words words = all_words();
    NgramTrie trie;
    std::vector<double> counts{static_cast<double>(words.size())};
    std::vector<NgramTrie::Node> histories{NgramTrie::root};
    ngrams_.assign(words.size() * order_, NgramTrie::none);
    for (std::size_t text = 0; text < segments() * sets(); ++text) {
      const std::size_t start = this->start(text / sets(), text % sets());
      const Words reference = this->words(text / sets(), text % sets());
      for (std::size_t i = 0; i < reference.size(); ++i) {
        NgramTrie::Node node = NgramTrie::root;
        for (std::size_t n = 0; n < std::min(order_, reference.size() - i); ++n) {
          const NgramTrie::Node history = node;
          trie.reserve_one();
          node = trie.add(history, reference[i + n]);
          if (node == counts.size()) {
            counts.push_back(0);
            histories.push_back(history);
          }
          ++counts[node];
          ngrams_[(start + i) * order_ + n] = node;
        }
      }
    }
    const char32_t zero = U'0';
    const WordId zero_word = zero_is_empty_ ? vocabulary().find(Word(&zero, 1)) : unknown_word;
    const NgramTrie::Node empty_history =
        zero_word == unknown_word ? NgramTrie::none : trie.find(NgramTrie::root, zero_word);
    information_.resize(counts.size());
    for (std::size_t node = 1; node < counts.size(); ++node) {
      const NgramTrie::Node history =
          histories[node] == empty_history ? NgramTrie::root : histories[node];
      information_[node] = std::log2(counts[history] / counts[node]);
    }
    finished_ = segments();
  }

  class Worker {
   public:
    explicit Worker(const InformationCounter& counter)
        : counter_(counter), tokenizer_(counter.scheme()), ngrams_(counter.order_) {}

    void row(Text text, std::size_t segment, Value* out) {
      const std::size_t order = counter_.order_;
      if (segment != segment_) load(segment);
      counter_.number(tokenizer_.words(text), ids_);
      std::fill_n(out, order, 0.0);
      ngrams_.match(Words(ids_),
                    [&](NgramTrie::Node node, std::size_t n) { out[n] += information_[node]; });
      for (std::size_t n = 1; n <= order; ++n) {
        out[order + n - 1] = static_cast<double>(ngrams_of_order(ids_.size(), n));
      }
      out[2 * order] = static_cast<double>(ids_.size());
      out[2 * order + 1] = mean_length_;
    }

   private:
    void load(std::size_t segment) {
      const std::size_t symbols = counter_.size(segment);
      ngrams_.clear(symbols);
      information_.resize(symbols * counter_.order_ + 1);
      for (std::size_t set = 0; set < counter_.sets(); ++set) {
        const std::size_t start = counter_.start(segment, set);
        ngrams_.add_reference(
            counter_.words(segment, set), [&](NgramTrie::Node node, std::size_t i, std::size_t n) {
              information_[node] =
                  counter_.information_[counter_.ngrams_[(start + i) * counter_.order_ + n]];
            });
      }
      mean_length_ = static_cast<double>(symbols) / static_cast<double>(counter_.sets());
      segment_ = segment;
    }

    const InformationCounter& counter_;
    Tokenizer tokenizer_;
    ClippedNgrams ngrams_;
    std::vector<double> information_;
    std::vector<WordId> ids_;
    double mean_length_ = 0;
    std::size_t segment_ = static_cast<std::size_t>(-1);
  };

 private:
  std::size_t order_;
  bool zero_is_empty_;
  std::size_t finished_ = static_cast<std::size_t>(-1);  // segments, when that was done last
  std::vector<NgramTrie::Node> ngrams_;  // of every word of the references, by order
  std::vector<double> information_;      // of every distinct n-gram
};

}  // namespace weigh
