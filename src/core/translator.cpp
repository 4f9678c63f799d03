// The Python face of the translator: word alignment, phrases, language models and the decoder.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <utility>
#include <vector>

#include "decoder.hpp"
#include "languagemodel.hpp"
#include "phrasetable.hpp"
#include "wordalign.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using weigh::Corpus;
using weigh::WordId;

template <typename Value>
using Vector = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename Value>
using Matrix = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The numbers of an array, which need not be aligned in memory.
template <typename Array, typename Value = std::remove_cvref_t<typename Array::Scalar>>
std::vector<Value> copied(const Array& array) {
  std::vector<Value> values(array.size());
  if (!values.empty()) std::memcpy(values.data(), array.data(), values.size() * sizeof(Value));
  return values;
}

template <typename Value>
nb::ndarray<nb::numpy, Value, nb::ndim<1>> given(std::vector<Value> values) {
  auto* const kept = new std::vector<Value>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Value>*>(p); });
  return nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

// Scores whose sums and products with weights can be computed.
void check_numbers(std::span<const double> values) {
  for (const double value : values)
    if (!(std::abs(value) <= 1e30)) throw nb::value_error("a score or a weight is no such number");
}

// Tables have a row for every word up to the highest number.
constexpr WordId most_words = 1 << 24;

// Sentences that are kept here, checked: words from `least` on, none too long.
struct Sentences {
  Sentences(Vector<WordId> words, Vector<std::int64_t> offsets, WordId least = 1,
            std::size_t longest = std::size_t{1} << 30)
      : words(copied(words)), offsets(copied(offsets)) {
    if (this->offsets.empty() || this->offsets.front() != 0 ||
        this->offsets.back() != static_cast<std::int64_t>(this->words.size()))
      throw nb::value_error("offsets must begin with 0 and end with the number of words");
    for (std::size_t at = 1; at < this->offsets.size(); ++at) {
      if (this->offsets[at] < this->offsets[at - 1]) throw nb::value_error("offsets must not fall");
      if (this->offsets[at] - this->offsets[at - 1] > static_cast<std::int64_t>(longest))
        throw nb::value_error("a sentence is too long");
    }
    for (const WordId word : this->words)
      if (word < least || word > most_words) throw nb::value_error("a word has no such number");
  }
  Corpus corpus() const { return {words, offsets}; }
  std::size_t size() const { return offsets.size() - 1; }

  std::vector<WordId> words;
  std::vector<std::int64_t> offsets;
};

struct BoundAligner {
  BoundAligner(Vector<WordId> given_words, Vector<std::int64_t> given_offsets,
               Vector<WordId> made_words, Vector<std::int64_t> made_offsets)
      : given(given_words, given_offsets, 1, weigh::longest_sentence),
        made(made_words, made_offsets, 1, weigh::longest_sentence) {
    if (given.size() != made.size()) throw nb::value_error("as many sentences on both sides");
    nb::gil_scoped_release release;
    model = std::make_unique<weigh::WordAligner>(given.corpus(), made.corpus());
  }
  void check(std::size_t first, std::size_t last) const {
    if (first > last || last > given.size()) throw nb::value_error("no such sentences");
  }
  double expect(std::size_t first, std::size_t last, bool with_jumps) {
    check(first, last);
    nb::gil_scoped_release release;
    const std::shared_lock reading(changes);
    return with_jumps ? model->expect_paths(first, last) : model->expect_words(first, last);
  }
  void maximise(bool with_jumps) {
    nb::gil_scoped_release release;
    const std::unique_lock writing(changes);
    model->maximise(with_jumps);
  }
  nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> best(std::size_t first, std::size_t last,
                                                         bool with_jumps) const {
    check(first, last);
    std::vector<std::int32_t> links(made.offsets[last] - made.offsets[first]);
    {
      nb::gil_scoped_release release;
      const std::shared_lock reading(changes);
      for (std::size_t s = first; s < last; ++s)
        model->best(s, with_jumps, links.data() + made.offsets[s] - made.offsets[first]);
    }
    return ::given(std::move(links));
  }

  Sentences given, made;
  std::unique_ptr<weigh::WordAligner> model;
  mutable std::shared_mutex changes;  // by any number of threads that count, or one that learns
};

nb::tuple symmetrise(Vector<std::int32_t> forward, Vector<std::int64_t> target_offsets,
                     Vector<std::int32_t> backward, Vector<std::int64_t> source_offsets, int how) {
  if (how < 0 || how > 3) throw nb::value_error("no such way");
  const Sentences of_targets(forward, target_offsets, -1, weigh::longest_sentence);
  const Sentences of_sources(backward, source_offsets, -1, weigh::longest_sentence);
  if (of_targets.size() != of_sources.size())
    throw nb::value_error("as many sentences on both sides");
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> links;
  for (std::size_t s = 0; s < of_targets.size(); ++s) {
    const auto to_source = of_targets.corpus()[s], to_target = of_sources.corpus()[s];
    for (const std::int32_t each : to_source)
      if (each >= static_cast<std::int32_t>(to_target.size()))
        throw nb::value_error("a link to no word");
    for (const std::int32_t each : to_target)
      if (each >= static_cast<std::int32_t>(to_source.size()))
        throw nb::value_error("a link to no word");
    for (const auto& [source, target] :
         weigh::symmetrised(to_source, to_target, static_cast<weigh::Symmetry>(how))) {
      links.push_back(source);
      links.push_back(target);
    }
    offsets.push_back(static_cast<std::int64_t>(links.size() / 2));
  }
  return nb::make_tuple(given(std::move(offsets)), given(std::move(links)));
}

// Phrases as rows of words: where each ends, and all words.
nb::tuple phrases_to_python(const weigh::Phrases& phrases) {
  std::vector<WordId> words;
  std::vector<std::int64_t> offsets{0};
  for (std::size_t at = 0; at < phrases.size(); ++at) {
    words.insert(words.end(), phrases[at].begin(), phrases[at].end());
    offsets.push_back(static_cast<std::int64_t>(words.size()));
  }
  return nb::make_tuple(given(std::move(words)), given(std::move(offsets)));
}

nb::tuple extract_phrases(Vector<WordId> source_words, Vector<std::int64_t> source_offsets,
                          Vector<WordId> target_words, Vector<std::int64_t> target_offsets,
                          Vector<std::int32_t> links, Vector<std::int64_t> link_offsets,
                          std::size_t longest) {
  const Sentences source(source_words, source_offsets, 1, weigh::longest_sentence);
  const Sentences target(target_words, target_offsets, 1, weigh::longest_sentence);
  const std::vector<std::int32_t> all_links = copied(links);
  const std::vector<std::int64_t> offsets = copied(link_offsets);
  if (longest < 1 || longest > 200) throw nb::value_error("phrases of 1 to 200 words");
  if (source.size() != target.size() || offsets.size() != source.offsets.size())
    throw nb::value_error("as many sentences on both sides");
  if (offsets.front() != 0 || all_links.size() != 2 * static_cast<std::size_t>(offsets.back()))
    throw nb::value_error("offsets must begin with 0 and end with the number of links");
  for (std::size_t s = 0; s < source.size(); ++s) {
    if (offsets[s + 1] < offsets[s] || offsets[s + 1] > offsets.back())
      throw nb::value_error("offsets must not fall");
    const auto e = source.corpus()[s], f = target.corpus()[s];
    for (std::int64_t at = offsets[s]; at < offsets[s + 1]; ++at) {
      const std::int32_t a = all_links[2 * at], b = all_links[2 * at + 1];
      if (a < 0 || b < 0 || a >= static_cast<std::int32_t>(e.size()) ||
          b >= static_cast<std::int32_t>(f.size()))
        throw nb::value_error("a link to no word");
    }
  }
  weigh::CountedPairs made;
  std::vector<std::int32_t> numbers;
  std::vector<double> lexical;
  {
    nb::gil_scoped_release release;
    made =
        weigh::PhraseExtractor(source.corpus(), target.corpus(), offsets, all_links, longest).run();
    const weigh::LexicalWeights of_targets(source.corpus(), target.corpus(), offsets, all_links,
                                           true);
    const weigh::LexicalWeights of_sources(source.corpus(), target.corpus(), offsets, all_links,
                                           false);
    const auto& [sources, targets, alignments] = made.phrases;
    numbers.reserve(10 * made.pairs.size());
    lexical.reserve(2 * made.pairs.size());
    for (const weigh::CountedPair& pair : made.pairs) {
      for (const std::int32_t number : {pair.source, pair.target, pair.alignment, pair.count})
        numbers.push_back(number);
      numbers.insert(numbers.end(), pair.before.begin(), pair.before.end());
      numbers.insert(numbers.end(), pair.after.begin(), pair.after.end());
      const auto e = sources[pair.source], f = targets[pair.target], a = alignments[pair.alignment];
      lexical.push_back(of_targets.weight(e, f, a));
      lexical.push_back(of_sources.weight(e, f, a));
    }
    std::vector<weigh::CountedPair>().swap(made.pairs);
  }
  return nb::make_tuple(phrases_to_python(made.phrases.sources),
                        phrases_to_python(made.phrases.targets),
                        phrases_to_python(made.phrases.alignments), given(std::move(numbers)),
                        given(std::move(lexical)));
}

struct BoundLanguageModel {
  explicit BoundLanguageModel(weigh::LanguageModel model) : model(std::move(model)) {}

  static BoundLanguageModel train(Vector<WordId> words, Vector<std::int64_t> offsets,
                                  std::size_t order, WordId vocabulary) {
    const Sentences sentences(words, offsets);
    check(order, vocabulary);
    for (const WordId word : sentences.words)
      if (word > vocabulary) throw nb::value_error("a word is not in the vocabulary");
    nb::gil_scoped_release release;
    return BoundLanguageModel(weigh::KneserNey(sentences.corpus(), order, vocabulary).estimate());
  }

  // N-grams with natural logarithms of chances and back-off weights, in any order.
  static BoundLanguageModel from_ngrams(Vector<WordId> words, Vector<std::int64_t> offsets,
                                        Vector<double> chances, Vector<double> backoffs,
                                        std::size_t order, WordId vocabulary) {
    const Sentences ngrams(words, offsets, 0, order);
    check(order, vocabulary);
    if (chances.shape(0) != ngrams.size() || backoffs.shape(0) != ngrams.size())
      throw nb::value_error("one chance and one weight for each n-gram");
    for (const WordId word : ngrams.words)
      if (word > vocabulary + 2) throw nb::value_error("a word is not in the vocabulary");
    const std::vector<double> all_chances = copied(chances), all_backoffs = copied(backoffs);
    check_numbers(all_chances);
    check_numbers(all_backoffs);
    weigh::LanguageModel model(order, vocabulary);
    std::size_t different = 0;
    {
      nb::gil_scoped_release release;
      std::vector<bool> is_set;
      for (std::size_t at = 0; at < ngrams.size(); ++at) {
        const std::int32_t node = model.add(ngrams.corpus()[at]);
        model.set(node, all_chances[at], all_backoffs[at]);
        is_set.resize(model.nodes().size(), false);
        different += !is_set[node] && node != weigh::LanguageModel::root;
        is_set[node] = true;
      }
      model.link();
    }
    if (different + 1 != model.nodes().size())
      throw nb::value_error("an n-gram's first words are no n-gram of the table");
    for (const WordId word : ngrams.words)
      if (model.child(weigh::LanguageModel::root, word) == weigh::LanguageModel::none)
        throw nb::value_error("a word of an n-gram is no n-gram of the table by itself");
    return BoundLanguageModel(std::move(model));
  }

  static void check(std::size_t order, WordId vocabulary) {
    if (order < 1 || order > 9) throw nb::value_error("an order from 1 to 9");
    if (vocabulary < 0 || vocabulary > most_words - 2) throw nb::value_error("no such vocabulary");
  }

  // Parents, words, orders, chances and back-off weights of all n-grams; the first is none.
  nb::tuple ngrams() const {
    std::vector<std::int32_t> parents, words, orders;
    std::vector<double> chances, backoffs;
    for (const auto& node : model.nodes()) {
      parents.push_back(node.parent);
      words.push_back(node.word);
      orders.push_back(node.order);
      chances.push_back(node.chance);
      backoffs.push_back(node.backoff);
    }
    return nb::make_tuple(given(std::move(parents)), given(std::move(words)),
                          given(std::move(orders)), given(std::move(chances)),
                          given(std::move(backoffs)));
  }

  // The log chance of each word of a sentence, and of its end.
  nb::ndarray<nb::numpy, double, nb::ndim<1>> chances(Vector<WordId> words) const {
    std::vector<double> found;
    std::int32_t state = model.begin();
    for (const WordId word : copied(words)) found.push_back(model.advance(state, word));
    found.push_back(model.advance(state, model.end()));
    return given(std::move(found));
  }

  weigh::LanguageModel model;
};

weigh::Phrases phrases_from_python(const Sentences& rows) {
  weigh::Phrases phrases;
  for (std::size_t at = 0; at < rows.size(); ++at)
    if (phrases.add(rows.corpus()[at]) != static_cast<std::int32_t>(at))
      throw nb::value_error("a phrase is there twice");
  return phrases;
}

struct BoundTable {
  // `pairs` are numbers of sources, targets and alignments, in order; `scores` have ten columns:
  // four translation scores, then log chances of three orientations before and after.
  BoundTable(Vector<WordId> source_words, Vector<std::int64_t> source_offsets,
             Vector<WordId> target_words, Vector<std::int64_t> target_offsets,
             Vector<WordId> link_words, Vector<std::int64_t> link_offsets,
             Matrix<std::int32_t> pairs, Matrix<double> scores)
      : BoundTable(lists(Sentences(source_words, source_offsets, 0, 200),
                         Sentences(target_words, target_offsets, 0, 200),
                         Sentences(link_words, link_offsets, 0)),
                   pairs, scores) {}

  BoundTable(weigh::PhraseLists phrases, Matrix<std::int32_t> pairs, Matrix<double> scores)
      : table(make(std::move(phrases), pairs, scores)) {}

  static weigh::PhraseLists lists(const Sentences& sources, const Sentences& targets,
                                  const Sentences& links) {
    return {phrases_from_python(sources), phrases_from_python(targets), phrases_from_python(links)};
  }

  static weigh::PhraseTable make(weigh::PhraseLists phrases, Matrix<std::int32_t> pairs,
                                 Matrix<double> scores) {
    auto numbers = checked(phrases, pairs);
    return {std::move(phrases), std::move(numbers), rows(pairs.shape(0), scores)};
  }

  static std::vector<weigh::PhrasePair> checked(const weigh::PhraseLists& phrases,
                                                Matrix<std::int32_t> pairs) {
    if (pairs.shape(1) != 3) throw nb::value_error("three numbers for each pair");
    const auto is_one_of = [](std::int32_t number, const weigh::Phrases& list) {
      return number >= 0 && static_cast<std::size_t>(number) < list.size();
    };
    const std::vector<std::int32_t> numbers = copied(pairs);
    std::vector<weigh::PhrasePair> table(pairs.shape(0));
    std::int32_t before = 0;
    for (std::size_t at = 0; at < table.size(); ++at) {
      const weigh::PhrasePair pair{numbers[3 * at], numbers[3 * at + 1], numbers[3 * at + 2]};
      if (pair.source < before || !is_one_of(pair.source, phrases.sources) ||
          !is_one_of(pair.target, phrases.targets) ||
          !is_one_of(pair.alignment, phrases.alignments))
        throw nb::value_error("pairs must be in the order of their sources, and of phrases");
      before = pair.source;
      for (const WordId link : phrases.alignments[pair.alignment])
        if (static_cast<std::size_t>(link / 256) >= phrases.sources[pair.source].size() ||
            static_cast<std::size_t>(link % 256) >= phrases.targets[pair.target].size())
          throw nb::value_error("a link to no word");
      table[at] = pair;
    }
    return table;
  }

  static std::vector<weigh::PhraseScores> rows(std::size_t count, Matrix<double> scores) {
    if (scores.shape(0) != count || scores.shape(1) != 10)
      throw nb::value_error("ten scores for each pair");
    static_assert(sizeof(weigh::PhraseScores) == 10 * sizeof(double));
    std::vector<weigh::PhraseScores> made(count);
    if (count > 0)
      std::memcpy(static_cast<void*>(made.data()), scores.data(), count * sizeof made[0]);
    for (const weigh::PhraseScores& each : made) {
      check_numbers(each.translation);
      check_numbers(each.before);
      check_numbers(each.after);
    }
    return made;
  }

  weigh::PhraseTable table;
};

// The best derivations of a sentence: words of each, totals, features, and their steps.
nb::tuple decode(const BoundTable& table, const BoundLanguageModel& model, Vector<WordId> words,
                 Vector<double> weights, std::size_t count, bool distinct, std::size_t options,
                 std::size_t pops, std::size_t stack, std::int32_t distortion,
                 std::size_t longest) {
  const std::vector<WordId> sentence = copied(words);
  if (sentence.size() > weigh::longest_sentence) throw nb::value_error("the sentence is too long");
  if (weights.shape(0) != weigh::feature_count) throw nb::value_error("one weight per feature");
  if (options < 1 || pops < 1 || stack < 1 || longest < 1 || distortion < 0)
    throw nb::value_error("limits must be positive");
  if (count > 1'000'000) throw nb::value_error("too many translations");
  const std::vector<double> numbers = copied(weights);
  check_numbers(numbers);
  weigh::Features point{};
  std::ranges::copy(numbers, point.begin());
  std::vector<WordId> made_words;
  std::vector<std::int64_t> word_offsets{0}, step_offsets{0};
  std::vector<double> totals, features;
  std::vector<std::int64_t> steps;
  {
    nb::gil_scoped_release release;
    const weigh::Decoder decoder(
        table.table, model.model, sentence, point,
        {std::min(longest, weigh::longest_sentence), options, pops, stack, distortion});
    for (const weigh::Derivation& each : decoder.best(count, distinct)) {
      made_words.insert(made_words.end(), each.words.begin(), each.words.end());
      word_offsets.push_back(static_cast<std::int64_t>(made_words.size()));
      totals.push_back(each.total);
      features.insert(features.end(), each.features.begin(), each.features.end());
      for (const weigh::Step& step : each.steps) {
        steps.push_back(step.start);
        steps.push_back(step.end);
        steps.push_back(step.pair);
      }
      step_offsets.push_back(static_cast<std::int64_t>(steps.size() / 3));
    }
  }
  return nb::make_tuple(given(std::move(made_words)), given(std::move(word_offsets)),
                        given(std::move(totals)), given(std::move(features)),
                        given(std::move(steps)), given(std::move(step_offsets)));
}

// An argument that is taken as it is: numbers of another type could lose digits on the way.
auto array(const char* name) { return nb::arg(name).noconvert(); }

}  // namespace

NB_MODULE(_translator, m) {
  m.doc() = "Word alignment, phrases, language models and decoding.";
  nb::class_<BoundAligner>(m, "WordAligner")
      .def(nb::init<Vector<WordId>, Vector<std::int64_t>, Vector<WordId>, Vector<std::int64_t>>(),
           array("given_words"), array("given_offsets"), array("made_words"), array("made_offsets"))
      .def("expect", &BoundAligner::expect, "first"_a, "last"_a, "with_jumps"_a)
      .def("maximise", &BoundAligner::maximise, "with_jumps"_a)
      .def("best", &BoundAligner::best, "first"_a, "last"_a, "with_jumps"_a);
  m.def("symmetrise", &symmetrise, array("forward"), array("target_offsets"), array("backward"),
        array("source_offsets"), "how"_a);
  m.def("extract_phrases", &extract_phrases, array("source_words"), array("source_offsets"),
        array("target_words"), array("target_offsets"), array("links"), array("link_offsets"),
        "longest"_a);
  nb::class_<BoundLanguageModel>(m, "LanguageModel")
      .def_static("train", &BoundLanguageModel::train, array("words"), array("offsets"), "order"_a,
                  "vocabulary"_a)
      .def_static("from_ngrams", &BoundLanguageModel::from_ngrams, array("words"), array("offsets"),
                  array("chances"), array("backoffs"), "order"_a, "vocabulary"_a)
      .def("ngrams", &BoundLanguageModel::ngrams)
      .def("chances", &BoundLanguageModel::chances, array("words"));
  nb::class_<BoundTable>(m, "PhraseTable")
      .def(nb::init<Vector<WordId>, Vector<std::int64_t>, Vector<WordId>, Vector<std::int64_t>,
                    Vector<WordId>, Vector<std::int64_t>, Matrix<std::int32_t>, Matrix<double>>(),
           array("source_words"), array("source_offsets"), array("target_words"),
           array("target_offsets"), array("link_words"), array("link_offsets"), array("pairs"),
           array("scores"));
  m.def("decode", &decode, "table"_a, "model"_a, array("words"), array("weights"), "count"_a,
        "distinct"_a, "options"_a, "pops"_a, "stack"_a, "distortion"_a, "longest"_a);
}
