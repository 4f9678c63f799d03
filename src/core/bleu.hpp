// BLEU's statistics: hypothesis length, closest reference length, matches and n-grams by order.
#pragma once

#include "ngrams.hpp"
#include "references.hpp"

namespace weigh {

class NgramCounter : public References {
 public:
  using Value = std::int64_t;

  NgramCounter(std::size_t sets, std::size_t order, Scheme scheme)
      : References(sets, scheme), order_(order) {
    if (order == 0) throw std::invalid_argument("the n-gram order is at least 1");
    check_order(order);
  }

  std::size_t width() const { return 2 + 2 * order_; }

  // Computes rows, one hypothesis after another; one for each thread.
  class Worker {
   public:
    explicit Worker(const NgramCounter& counter)
        : counter_(counter), tokenizer_(counter.scheme()), ngrams_(counter.order_) {}

    void row(Text text, std::size_t segment, Value* out) {
      const std::size_t order = counter_.order_;
      if (segment != segment_) load(segment);
      counter_.number(tokenizer_.words(text), ids_);
      const std::size_t length = ids_.size();
      out[0] = static_cast<Value>(length);
      out[1] = static_cast<Value>(closest_length(length));
      std::fill_n(out + 2, order, 0);
      ngrams_.match(Words(ids_), [&](NgramTrie::Node, std::size_t n) { ++out[2 + n]; });
      for (std::size_t n = 1; n <= order; ++n) {
        out[1 + order + n] = static_cast<Value>(ngrams_of_order(length, n));
      }
    }

   private:
    void load(std::size_t segment) {
      ngrams_.clear(counter_.size(segment));
      for (std::size_t set = 0; set < counter_.sets(); ++set) {
        ngrams_.add_reference(counter_.words(segment, set),
                              [](NgramTrie::Node, std::size_t, std::size_t) {});
      }
      segment_ = segment;
    }

    // The reference length nearest to the hypothesis', the shorter of two equally near.
    std::size_t closest_length(std::size_t length) const {
      std::size_t best = counter_.words(segment_, 0).size();
      const auto distance = [&](std::size_t l) { return l > length ? l - length : length - l; };
      for (std::size_t set = 1; set < counter_.sets(); ++set) {
        const std::size_t other = counter_.words(segment_, set).size();
        if (distance(other) < distance(best) ||
            (distance(other) == distance(best) && other < best)) {
          best = other;
        }
      }
      return best;
    }

    const NgramCounter& counter_;
    Tokenizer tokenizer_;
    ClippedNgrams ngrams_;
    std::vector<WordId> ids_;
    std::size_t segment_ = static_cast<std::size_t>(-1);
  };

 private:
  std::size_t order_;
};

}  // namespace weigh
