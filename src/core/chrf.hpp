// chrF's statistics: n-grams of hypothesis, of reference and matches, for each order.
#pragma once

#include <cmath>

#include "ngrams.hpp"
#include "text.hpp"
#include "vocabulary.hpp"

namespace weigh {

struct ChrfOptions {
  std::size_t char_order;
  std::size_t word_order;
  double beta;
  bool whitespace;
  bool eps_smoothing;
};

class CharacterCounter {
 public:
  using Value = std::int64_t;
  static constexpr bool keeps_texts = true;  // the references are read where Python has them

  CharacterCounter(std::size_t sets, ChrfOptions options) : sets_(sets), options_(options) {
    if (sets == 0) throw std::invalid_argument("at least one reference is needed");
    check_order(options.char_order);
    check_order(options.word_order);
    if (options.char_order + options.word_order == 0) {
      throw std::invalid_argument("chrF needs characters or words");
    }
  }

  std::size_t width() const { return 3 * orders(); }
  std::size_t sets() const { return sets_; }
  std::size_t segments() const { return texts_.size() / sets_; }
  bool is_ready() const { return true; }

  void expect(std::size_t segments) { texts_.reserve(segments * sets_); }

  auto adder() {
    return [this](std::span<const Text> texts) {
      texts_.insert(texts_.end(), texts.begin(), texts.end());
    };
  }

  class Worker {
   public:
    explicit Worker(const CharacterCounter& counter) : counter_(counter) {
      for (std::size_t set = 0; set < counter.sets_; ++set)
        references_.emplace_back(counter.options_);
      best_.resize(counter.width());
    }

    // Of several references the one with the best F of the segment counts, the first on ties.
    void row(Text text, std::size_t segment, Value* out) {
      if (segment != segment_) load(segment);
      read(text, hypothesis_, [&](Word word) { return words_.find(word); });
      double best_score = -1;
      for (Reference& reference : references_) {
        Value* const row = counter_.sets_ == 1 ? out : best_.data();
        count(reference, row);
        if (counter_.sets_ == 1) return;
        const double score = counter_.segment_score(row);
        if (score > best_score) {
          best_score = score;
          std::copy(best_.begin(), best_.end(), out);
        }
      }
    }

   private:
    struct Symbols {
      Chars chars;
      std::vector<WordId> words;
    };
    struct Reference {
      explicit Reference(const ChrfOptions& options)
          : chars(options.char_order), words(options.word_order) {}
      ClippedNgrams chars;
      ClippedNgrams words;
      std::size_t char_count = 0;
      std::size_t word_count = 0;
    };

    void load(std::size_t segment) {
      words_.clear();
      for (std::size_t set = 0; set < counter_.sets_; ++set) {
        Reference& reference = references_[set];
        read(counter_.texts_[segment * counter_.sets_ + set], symbols_,
             [&](Word word) { return words_.add(word); });
        reference.char_count = symbols_.chars.size();
        reference.word_count = symbols_.words.size();
        const auto ignore = [](NgramTrie::Node, std::size_t, std::size_t) {};
        reference.chars.clear(reference.char_count);
        reference.chars.add_reference(std::span<const char32_t>(symbols_.chars), ignore);
        reference.words.clear(reference.word_count);
        reference.words.add_reference(std::span<const WordId>(symbols_.words), ignore);
      }
      segment_ = segment;
    }

    // Takes a text apart: its characters (without white space unless that is wanted), and its
    // words, of which a punctuation mark at the end, or else at the start, stands for itself.
    template <typename Number>
    void read(Text text, Symbols& symbols, Number number) {
      const ChrfOptions& options = counter_.options_;
      raw_.clear();
      append(raw_, text);
      symbols.words.clear();
      if (options.word_order > 0) {
        for_each_word([&](Word word) {
          if (word.size() > 1 && is_punctuation(word.back())) {
            symbols.words.push_back(number(word.substr(0, word.size() - 1)));
            symbols.words.push_back(number(word.substr(word.size() - 1)));
          } else if (word.size() > 1 && is_punctuation(word.front())) {
            symbols.words.push_back(number(word.substr(0, 1)));
            symbols.words.push_back(number(word.substr(1)));
          } else {
            symbols.words.push_back(number(word));
          }
        });
      }
      symbols.chars.resize(raw_.size());
      const auto end =
          options.whitespace
              ? std::copy(raw_.begin(), raw_.end(), symbols.chars.begin())
              : std::remove_copy_if(raw_.begin(), raw_.end(), symbols.chars.begin(), is_space);
      symbols.chars.erase(end, symbols.chars.end());
    }

    template <typename Each>
    void for_each_word(Each each) {
      const char32_t* at = raw_.data();
      const char32_t* const end = at + raw_.size();
      while (at < end) {
        while (at < end && is_space(*at)) ++at;
        const char32_t* const start = at;
        while (at < end && !is_space(*at)) ++at;
        if (at > start) each(Word(start, static_cast<std::size_t>(at - start)));
      }
    }

    // ASCII punctuation, as Python's string.punctuation has it.
    static bool is_punctuation(char32_t c) {
      return (c >= 0x21 && c <= 0x2f) || (c >= 0x3a && c <= 0x40) || (c >= 0x5b && c <= 0x60) ||
             (c >= 0x7b && c <= 0x7e);
    }

    void count(Reference& reference, Value* row) {
      const ChrfOptions& options = counter_.options_;
      std::fill_n(row, counter_.width(), 0);
      fill_totals(row, options.char_order, hypothesis_.chars.size(), reference.char_count);
      reference.chars.match(std::span<const char32_t>(hypothesis_.chars),
                            [&](NgramTrie::Node, std::size_t n) { ++row[3 * n + 2]; });
      Value* const words = row + 3 * options.char_order;
      fill_totals(words, options.word_order, hypothesis_.words.size(), reference.word_count);
      reference.words.match(std::span<const WordId>(hypothesis_.words),
                            [&](NgramTrie::Node, std::size_t n) { ++words[3 * n + 2]; });
    }

    // The hypothesis' n-grams of an order do not count where the reference has none.
    static void fill_totals(Value* row, std::size_t order, std::size_t hypothesis,
                            std::size_t reference) {
      for (std::size_t n = 1; n <= order; ++n, row += 3) {
        row[1] = static_cast<Value>(ngrams_of_order(reference, n));
        row[0] = row[1] > 0 ? static_cast<Value>(ngrams_of_order(hypothesis, n)) : 0;
      }
    }

    const CharacterCounter& counter_;
    std::vector<Reference> references_;
    Vocabulary words_;
    Symbols hypothesis_;
    Symbols symbols_;
    Chars raw_;
    std::vector<Value> best_;
    std::size_t segment_ = static_cast<std::size_t>(-1);
  };

 private:
  std::size_t orders() const { return options_.char_order + options_.word_order; }

  // The F score of one row, by the same operations in the same order as the score of sums.
  double segment_score(const Value* row) const {
    const double factor = options_.beta * options_.beta;
    const double eps = 1e-16;
    double smoothed = 0, precision = 0, recall = 0;
    int effective = 0;
    for (std::size_t n = 0; n < orders(); ++n, row += 3) {
      const auto hypothesis = static_cast<double>(row[0]);
      const auto reference = static_cast<double>(row[1]);
      const auto matches = static_cast<double>(row[2]);
      const double p = hypothesis > 0 ? matches / hypothesis : eps;
      const double r = reference > 0 ? matches / reference : eps;
      const double denominator = factor * p + r;
      smoothed += denominator > 0 ? (1 + factor) * p * r / denominator : eps;
      if (hypothesis > 0 && reference > 0) {
        precision += p;
        recall += r;
        ++effective;
      }
    }
    if (options_.eps_smoothing) return 100 * smoothed / static_cast<double>(orders());
    if (effective == 0) return 0;
    precision /= effective;
    recall /= effective;
    if (precision + recall == 0) return 0;
    return 100 * ((1 + factor) * precision * recall / (factor * precision + recall));
  }

  std::size_t sets_;
  ChrfOptions options_;
  std::vector<Text> texts_;
};

}  // namespace weigh
