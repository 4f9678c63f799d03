// The Python face of the core; the only file that knows nanobind.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>

#include "bleu.hpp"
#include "bleuscore.hpp"
#include "chrf.hpp"
#include "edits.hpp"
#include "envelope.hpp"
#include "gtm.hpp"
#include "halving.hpp"
#include "meteor.hpp"
#include "meteor2005.hpp"
#include "meteorrows.hpp"
#include "nist.hpp"
#include "numbers.hpp"
#include "resample.hpp"
#include "substrings.hpp"
#include "ter.hpp"
#include "tercom.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using weigh::Text;

// Views of the strings of a sequence. The tuple keeps them alive while the GIL is released.
struct Texts {
  explicit Texts(nb::handle sequence)
      : owner(nb::steal<nb::tuple>(PySequence_Tuple(sequence.ptr()))) {
    if (!owner.is_valid()) throw nb::python_error();
    views.reserve(nb::len(owner));
    for (nb::handle item : owner) {
      PyObject* const text = item.ptr();
      if (!PyUnicode_Check(text)) throw nb::type_error("texts must be strings");
      views.push_back(Text{PyUnicode_DATA(text),
                           static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)),
                           static_cast<int>(PyUnicode_KIND(text))});
    }
  }
  nb::tuple owner;
  std::vector<Text> views;
};

// A matrix that Python owns, and one that it is handed.
template <typename Value>
using Matrix = nb::ndarray<const Value, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <typename Value>
using NewMatrix = nb::ndarray<nb::numpy, Value, nb::ndim<2>>;

// Refuses arrays whose numbers do not stand where their type wants them: a slice of a packed
// record may.
template <typename... Arrays>
void check_aligned(const Arrays&... arrays) {
  const auto check = [](const auto& array) {
    using Value = std::remove_cvref_t<decltype(*array.data())>;
    if (reinterpret_cast<std::uintptr_t>(array.data()) % alignof(Value) != 0)
      throw nb::value_error("an array is not aligned in memory; give a copy of it");
  };
  (check(arrays), ...);
}

// How many numbers a matrix has, unless it would fill a terabyte.
template <typename Value>
std::size_t checked_size(std::size_t rows, std::size_t columns) {
  constexpr std::size_t most = (std::size_t{1} << 40) / sizeof(Value);
  if (columns != 0 && rows > most / columns) throw nb::value_error("too many rows and columns");
  return rows * columns;
}

template <typename Value>
NewMatrix<Value> to_python(std::unique_ptr<Value[]> values, std::size_t rows, std::size_t columns) {
  Value* const data = values.release();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Value*>(p); });
  return NewMatrix<Value>(data, {rows, columns}, owner);
}

// Who uses an object while the GIL is released: any number that read it, or one that changes it.
// The numbers themselves are changed only with the GIL.
class Usage {
 public:
  class Reading {
   public:
    explicit Reading(Usage& usage) : usage_(usage) {
      if (usage.writing_) throw nb::value_error("in use: another thread is changing it");
      ++usage.readers_;
    }
    Reading(const Reading&) = delete;
    ~Reading() { --usage_.readers_; }

   private:
    Usage& usage_;
  };

  class Writing {
   public:
    explicit Writing(Usage& usage) : usage_(usage) {
      if (usage.writing_ || usage.readers_ > 0)
        throw nb::value_error("in use: another thread is using it");
      usage.writing_ = true;
    }
    Writing(const Writing&) = delete;
    ~Writing() { usage_.writing_ = false; }

   private:
    Usage& usage_;
  };

 private:
  std::size_t readers_ = 0;
  bool writing_ = false;
};

// A counter as Python sees it: references go in a batch at a time, then rows come out.
template <typename Counter>
struct Bound {
  using Value = typename Counter::Value;
  using Rows = NewMatrix<Value>;
  using Segments = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  template <typename... Arguments>
  explicit Bound(Arguments... arguments) : counter(arguments...) {}

  // One sequence of texts for each reference set.
  void add(nb::list sets) {
    if (nb::len(sets) != counter.sets()) throw nb::value_error("one sequence per reference set");
    std::vector<Texts> texts;
    for (nb::handle set : sets) texts.emplace_back(set);
    for (const Texts& set : texts) {
      if (set.views.size() != texts[0].views.size())
        throw nb::value_error("unequal reference sets");
    }
    const Usage::Writing writing(usage);
    if constexpr (Counter::keeps_texts) {
      for (const Texts& set : texts) kept.push_back(set.owner);
    }
    {
      nb::gil_scoped_release release;
      auto add_segment = counter.adder();
      std::vector<Text> segment(texts.size());
      for (std::size_t i = 0; i < texts[0].views.size(); ++i) {
        for (std::size_t set = 0; set < texts.size(); ++set) segment[set] = texts[set].views[i];
        add_segment(segment);
      }
    }
  }

  Rows rows(nb::handle sequence, Segments segments) const {
    const Texts texts(sequence);
    const std::size_t size = texts.views.size();
    const Usage::Reading reading(usage);
    check_aligned(segments);
    if (!counter.is_ready()) throw nb::value_error("not finished since references were added");
    if (segments.shape(0) != size) throw nb::value_error("one segment number per text");
    for (std::size_t i = 0; i < size; ++i) {
      if (segments(i) < 0 || static_cast<std::size_t>(segments(i)) >= counter.segments()) {
        throw nb::index_error("segment number out of range");
      }
    }
    auto values = std::make_unique<Value[]>(checked_size<Value>(size, counter.width()));
    {
      nb::gil_scoped_release release;
      typename Counter::Worker worker(counter);
      for (std::size_t i = 0; i < size; ++i) {
        worker.row(texts.views[i], static_cast<std::size_t>(segments(i)),
                   &values[i * counter.width()]);
      }
    }
    return to_python(std::move(values), size, counter.width());
  }

  void expect(std::size_t segments) {
    const Usage::Writing writing(usage);
    counter.expect(checked_size<Text>(segments, counter.sets()) / counter.sets());
  }

  Counter counter;
  std::vector<nb::tuple> kept;
  mutable Usage usage;
};

template <typename Counter>
nb::class_<Bound<Counter>> bind(nb::module_& m, const char* name) {
  using B = Bound<Counter>;
  return nb::class_<B>(m, name)
      .def("expect", &B::expect, "segments"_a)
      .def("add", &B::add, "sets"_a)
      .def("rows", &B::rows, "texts"_a, "segments"_a);
}

template <typename Counter>
void bind_words(nb::module_& m, const char* name) {
  bind<Counter>(m, name).def(
      "__init__",
      [](Bound<Counter>* self, std::size_t sets, std::string_view scheme) {
        new (self) Bound<Counter>(sets, weigh::scheme_named(scheme));
      },
      "sets"_a, "scheme"_a);
}

template <typename Value>
void bind_resampler(nb::module_& m, const char* name) {
  using R = weigh::Resampler<Value>;
  // Fills a new matrix (trials × columns, the columns contiguous) without the GIL.
  const auto sums = [](const R& resampler, std::size_t first, std::size_t trials, auto fill) {
    if (trials > std::numeric_limits<std::size_t>::max() - first)
      throw nb::value_error("too many trials");
    auto values =
        std::make_unique_for_overwrite<Value[]>(checked_size<Value>(trials, resampler.columns()));
    {
      nb::gil_scoped_release release;
      fill(values.get());
    }
    Value* const data = values.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<Value*>(p); });
    return NewMatrix<Value>(data, {trials, resampler.columns()}, owner,
                            {1, static_cast<std::int64_t>(trials)});
  };
  nb::class_<R>(m, name)
      .def(
          "__init__",
          [](R* self, nb::ndarray<const Value, nb::ndim<2>, nb::device::cpu> rows) {
            check_aligned(rows);
            if (rows.shape(0) == 0) throw nb::value_error("no units to resample");
            if (rows.shape(1) == 0) throw nb::value_error("no columns to resample");
            const weigh::Rows<Value> given{rows.data(), rows.shape(0), rows.shape(1),
                                           rows.stride(0), rows.stride(1)};
            nb::gil_scoped_release release;
            new (self) R(given);
          },
          "rows"_a)
      .def(
          "swapped_sums",
          [sums](const R& self, std::uint64_t seed, std::uint64_t stream, std::size_t first,
                 std::size_t trials, std::size_t repeats) {
            if (repeats == 0) throw nb::value_error("no units to resample");
            self.check_sums(repeats);
            const weigh::Philox philox(seed, stream, weigh::Purpose::coins);
            return sums(self, first, trials,
                        [&](Value* out) { self.swapped(philox, first, trials, repeats, out); });
          },
          "seed"_a, "stream"_a, "first"_a, "trials"_a, "repeats"_a = 1)
      .def(
          "bootstrap_sums",
          [sums](const R& self, std::uint64_t seed, std::uint64_t stream, std::size_t first,
                 std::size_t trials) {
            const weigh::Philox philox(seed, stream, weigh::Purpose::units);
            return sums(self, first, trials,
                        [&](Value* out) { self.bootstrap(philox, first, trials, out); });
          },
          "seed"_a, "stream"_a, "first"_a, "trials"_a);
}

// Pairs of systems, each one of `systems`.
void check_pairs(const Matrix<std::int64_t>& pairs, std::size_t systems) {
  if (pairs.shape(1) != 2) throw nb::value_error("pairs have two members");
  for (std::size_t i = 0; i < 2 * pairs.shape(0); ++i) {
    const std::int64_t system = pairs.data()[i];
    if (system < 0 || static_cast<std::uint64_t>(system) >= systems)
      throw nb::value_error("a pair names a system that is not there");
  }
}

// Differences of numbers that are not finite have no order.
void check_finite(const Matrix<double>& scores) {
  const double* const end = scores.data() + scores.shape(0) * scores.shape(1);
  if (!std::all_of(scores.data(), end, [](double score) { return std::isfinite(score); }))
    throw nb::value_error("a score is not a finite number");
}

void bind_halving(nb::module_& m) {
  m.def(
      "halving_ends",
      [](Matrix<double> first, Matrix<double> second, Matrix<std::int64_t> pairs, std::size_t k) {
        check_aligned(first, second, pairs);
        if (first.shape(0) != second.shape(0) || first.shape(1) != second.shape(1))
          throw nb::value_error("the halves differ in shape");
        check_pairs(pairs, first.shape(0));
        if (k < 1 || k > first.shape(1)) throw nb::value_error("k is not from 1 to the trials");
        check_finite(first);
        check_finite(second);
        const std::size_t count = pairs.shape(0);
        auto ends = std::make_unique<double[]>(checked_size<double>(count, 2));
        {
          nb::gil_scoped_release release;
          weigh::halving_ends(first.data(), second.data(), first.shape(1), pairs.data(), count, k,
                              ends.get());
        }
        return to_python(std::move(ends), count, 2);
      },
      "first"_a, "second"_a, "pairs"_a, "k"_a);

  m.def(
      "extreme_counts",
      [](Matrix<double> sums, Matrix<std::int64_t> pairs, Matrix<double> bounds) {
        check_aligned(sums, pairs, bounds);
        check_pairs(pairs, sums.shape(0));
        if (bounds.shape(0) != pairs.shape(0) || bounds.shape(1) != 4)
          throw nb::value_error("every pair needs four bounds");
        const std::size_t count = pairs.shape(0), trials = sums.shape(1);
        auto counts = std::make_unique<std::int64_t[]>(checked_size<std::int64_t>(count, 3));
        {
          nb::gil_scoped_release release;
          for (std::size_t i = 0; i < count; ++i) {
            const std::int64_t* const pair = pairs.data() + 2 * i;
            const double* const bound = bounds.data() + 4 * i;
            weigh::count_extremes(sums.data() + static_cast<std::size_t>(pair[0]) * trials,
                                  sums.data() + static_cast<std::size_t>(pair[1]) * trials, trials,
                                  bound[0], bound[1], bound[2], bound[3], counts.get() + 3 * i);
          }
        }
        return to_python(std::move(counts), count, 3);
      },
      "sums"_a, "pairs"_a, "bounds"_a);
}

template <typename Value>
using Array = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <typename Value>
std::span<const Value> span_of(const Array<Value>& array) {
  return {array.data(), array.shape(0)};
}

// METEOR's statistics of sentences that are given as arrays of numbered words.
template <typename Statistics>
struct BoundAlignments {
  auto rows(Array<weigh::Number> words, Array<std::int64_t> starts, Array<std::int64_t> segments,
            Array<weigh::Number> stems, Array<std::uint8_t> function, Array<weigh::Number> synsets,
            Array<std::int64_t> synset_starts, Array<std::uint32_t> phrases,
            Array<std::int64_t> phrase_starts) const {
    check_aligned(words, starts, segments, stems, function, synsets, synset_starts, phrases,
                  phrase_starts);
    const weigh::Hypotheses hypotheses{
        {span_of(words), span_of(starts)},
        span_of(segments),
        {span_of(stems), span_of(function), {span_of(synsets), span_of(synset_starts)}},
        {span_of(phrases), span_of(phrase_starts)}};
    auto values = std::make_unique<std::int64_t[]>(segments.shape(0) * Statistics::width);
    {
      nb::gil_scoped_release release;
      weigh::AlignmentCounter<Statistics> counter(
          {span_of(reference_words), span_of(reference_starts)}, sets, statistics);
      counter.rows(hypotheses, values.get());
    }
    return to_python(std::move(values), segments.shape(0), Statistics::width);
  }

  Array<weigh::Number> reference_words;
  Array<std::int64_t> reference_starts;
  std::size_t sets;
  Statistics statistics;
};

template <typename Statistics>
nb::class_<BoundAlignments<Statistics>> bind_alignments(nb::module_& m, const char* name) {
  return nb::class_<BoundAlignments<Statistics>>(m, name).def(
      "rows", &BoundAlignments<Statistics>::rows, "words"_a, "starts"_a, "segments"_a, "stems"_a,
      "function"_a, "synsets"_a, "synset_starts"_a, "phrases"_a, "phrase_starts"_a);
}

void bind_meteor(nb::module_& m) {
  using Words = Array<weigh::Number>;
  using Starts = Array<std::int64_t>;
  using Four = nb::ndarray<const double, nb::shape<4>, nb::c_contig, nb::device::cpu>;
  using Stages = nb::ndarray<const bool, nb::shape<4>, nb::c_contig, nb::device::cpu>;
  using Meteor = BoundAlignments<weigh::MeteorStatistics>;
  using Meteor2005 = BoundAlignments<weigh::Meteor2005Statistics>;
  bind_alignments<weigh::MeteorStatistics>(m, "MeteorCounter")
      .def(
          "__init__",
          [](Meteor* self, Words words, Starts starts, std::size_t sets, Stages stages,
             Four weights, Four parameters, bool mended) {
            check_aligned(words, starts, stages, weights, parameters);
            weigh::MeteorOptions options{
                {}, {}, parameters(0), parameters(1), parameters(2), parameters(3), mended};
            // Byte by byte: NumPy takes any byte but 0 for true, C++ knows 0 and 1 alone.
            const auto* const flags = reinterpret_cast<const unsigned char*>(stages.data());
            std::transform(flags, flags + 4, options.stages.begin(),
                           [](unsigned char flag) { return flag != 0; });
            std::copy_n(weights.data(), 4, options.weights.begin());
            new (self) Meteor{words, starts, sets, weigh::MeteorStatistics(options)};
          },
          "words"_a, "starts"_a, "sets"_a, "stages"_a, "weights"_a, "parameters"_a, "mended"_a);
  bind_alignments<weigh::Meteor2005Statistics>(m, "Meteor2005Counter")
      .def(
          "__init__",
          [](Meteor2005* self, Words words, Starts starts, std::size_t sets, bool stems,
             bool synonyms) {
            check_aligned(words, starts);
            new (self)
                Meteor2005{words, starts, sets, weigh::Meteor2005Statistics(stems, synonyms)};
          },
          "words"_a, "starts"_a, "sets"_a, "stems"_a, "synonyms"_a);
}

void check_offsets(const std::vector<std::int64_t>& offsets, std::size_t candidates) {
  if (offsets.empty() || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(candidates))
    throw nb::value_error("offsets must go from 0 to the number of candidates");
  for (std::size_t s = 1; s < offsets.size(); ++s) {
    if (offsets[s] <= offsets[s - 1]) throw nb::value_error("a segment without candidates");
  }
}

// Candidates with the rows of their statistics, which are not copied. What says where to look is:
// it is checked once, and stays as it was.
template <typename Value>
struct BoundEnvelopes {
  template <typename Item>
  using Vector = nb::ndarray<const Item, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

  BoundEnvelopes(Matrix<Value> rows, Vector<std::int32_t> hypotheses, Vector<std::int64_t> offsets)
      : rows(rows) {
    check_aligned(rows, hypotheses, offsets);
    this->hypotheses.assign(hypotheses.data(), hypotheses.data() + hypotheses.shape(0));
    this->offsets.assign(offsets.data(), offsets.data() + offsets.shape(0));
    check();
  }

  void check() const {
    check_offsets(offsets, hypotheses.size());
    for (const std::int32_t hypothesis : hypotheses) {
      if (hypothesis < 0 || static_cast<std::size_t>(hypothesis) >= rows.shape(0))
        throw nb::index_error("hypothesis number out of range");
    }
    // A change subtracts one row from another, so twice the largest number must fit.
    if (!weigh::sums_fit(weigh::largest_of(rows.data(), rows.size()), 2, segments()))
      throw nb::value_error("sums of so large numbers exceed 64 bits");
  }

  std::size_t segments() const { return offsets.size() - 1; }

  nb::tuple envelope_sums(Vector<double> scores, Vector<double> slopes, Vector<double> score_errors,
                          Vector<double> slope_errors, double low, double high) const {
    const std::size_t size = hypotheses.size();
    check_aligned(scores, slopes, score_errors, slope_errors);
    if (scores.shape(0) != size || slopes.shape(0) != size)
      throw nb::value_error("one score and one slope per candidate");
    if (score_errors.shape(0) != segments() || slope_errors.shape(0) != segments())
      throw nb::value_error("one error of scores and one of slopes per segment");
    const weigh::Lines lines{scores.data(), slopes.data(), score_errors.data(),
                             slope_errors.data()};
    check_lines(lines, {low, high});
    return sums_along(lines, {low, high});
  }

  void check_lines(const weigh::Lines& lines, const weigh::Range& range) const {
    // Differences of what is smaller are finite, as envelopes need them.
    if (!weigh::are_within(-1e300, 1e300, lines.scores, hypotheses.size()) ||
        !weigh::are_within(-1e300, 1e300, lines.slopes, hypotheses.size()))
      throw nb::value_error("a score or slope is too large or not a number");
    if (!weigh::are_within(0, 1e300, lines.score_errors, segments()) ||
        !weigh::are_within(0, 1e300, lines.slope_errors, segments()))
      throw nb::value_error("an error of scores or slopes is negative, too large or not a number");
    if (!(range.low <= 0 && range.high >= 0)) throw nb::value_error("0 is not in the range");
  }

  nb::tuple sums_along(const weigh::Lines& lines, const weigh::Range& range) const {
    const std::size_t width = rows.shape(1);
    std::unique_ptr<double[]> breakpoints;
    std::unique_ptr<Value[]> sums;
    std::size_t count = 0;
    {
      nb::gil_scoped_release release;
      const weigh::Candidates candidates{offsets.data(), segments(), hypotheses.data()};
      const weigh::Envelopes envelopes(candidates, lines, range);
      breakpoints = std::make_unique_for_overwrite<double[]>(envelopes.changes.size());
      sums = std::make_unique_for_overwrite<Value[]>(
          checked_size<Value>(envelopes.changes.size() + 1, width));
      count = weigh::sum_envelopes(envelopes, rows.data(), width, breakpoints.get(), sums.get());
    }
    double* const data = breakpoints.release();
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return nb::make_tuple(nb::ndarray<nb::numpy, double, nb::ndim<1>>(data, {count}, owner),
                          to_python(std::move(sums), count + 1, width));
  }

  Matrix<Value> rows;
  std::vector<std::int32_t> hypotheses;
  std::vector<std::int64_t> offsets;
};

using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

weigh::Features features_of(const Columns& columns, const Matrix<double>& weights) {
  check_aligned(columns, weights);
  if (weights.shape(1) != columns.shape(1)) throw nb::value_error("one weight per feature");
  return {columns.data(), columns.shape(0), columns.shape(1)};
}

NewMatrix<double> weighted_scores(Columns columns, Matrix<double> weights) {
  const weigh::Features features = features_of(columns, weights);
  const std::size_t vectors = weights.shape(0);
  auto scores =
      std::make_unique_for_overwrite<double[]>(checked_size<double>(vectors, features.candidates));
  {
    nb::gil_scoped_release release;
    weigh::score_candidates(features, weights.data(), vectors, scores.get());
  }
  return to_python(std::move(scores), vectors, features.candidates);
}

NewMatrix<std::int64_t> best_candidates(Columns columns, Array<double> rest,
                                        Array<std::int64_t> offsets, Matrix<double> weights) {
  const weigh::Features features = features_of(columns, weights);
  check_aligned(rest, offsets);
  if (rest.shape(0) != features.candidates)
    throw nb::value_error("one row of features and one score per candidate");
  // What says where to look is copied: it is checked, and stays as it was.
  const std::vector<std::int64_t> bounds(offsets.data(), offsets.data() + offsets.shape(0));
  check_offsets(bounds, features.candidates);
  const std::size_t vectors = weights.shape(0), segments = bounds.size() - 1;
  auto best =
      std::make_unique_for_overwrite<std::int64_t[]>(checked_size<std::int64_t>(vectors, segments));
  {
    nb::gil_scoped_release release;
    weigh::choose_best(features, rest.data(), bounds.data(), segments, weights.data(), vectors,
                       best.get());
  }
  return to_python(std::move(best), vectors, segments);
}

template <typename Value>
void bind_envelopes(nb::module_& m, const char* name) {
  using B = BoundEnvelopes<Value>;
  nb::class_<B>(m, name)
      .def(nb::init<Matrix<Value>, typename B::template Vector<std::int32_t>,
                    typename B::template Vector<std::int64_t>>(),
           "rows"_a, "hypotheses"_a, "offsets"_a)
      .def("envelope_sums", &B::envelope_sums, "scores"_a, "slopes"_a, "score_errors"_a,
           "slope_errors"_a, "low"_a = -std::numeric_limits<double>::infinity(),
           "high"_a = std::numeric_limits<double>::infinity());
}

// Numbers of what outputs, given as words, say for spans (spans × outputs), and all substrings.
// Links are in the order of the outputs that they belong to.
nb::tuple span_substrings(nb::list outputs, Array<std::int64_t> owners, Array<std::int64_t> sources,
                          Array<std::int64_t> targets, Array<std::int64_t> starts,
                          Array<std::int64_t> ends, nb::str gap) {
  const std::size_t size = nb::len(outputs), spans = starts.shape(0), links = owners.shape(0);
  check_aligned(owners, sources, targets, starts, ends);
  if (sources.shape(0) != links || targets.shape(0) != links || ends.shape(0) != spans)
    throw nb::value_error("unequal numbers of owners, sources and targets, or of starts and ends");
  const Texts marks(nb::make_tuple(gap));
  weigh::Substrings found(span_of(starts), span_of(ends), marks.views[0]);
  auto numbers =
      std::make_unique_for_overwrite<std::int64_t[]>(checked_size<std::int64_t>(spans, size));
  std::vector<weigh::WordId> words;
  std::vector<weigh::Link> own;
  std::size_t link = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const Texts output(outputs[i]);
    words.clear();
    for (const Text text : output.views) words.push_back(found.word(text));
    own.clear();
    for (; link < links && owners(link) == static_cast<std::int64_t>(i); ++link) {
      if (targets(link) < 0 || static_cast<std::size_t>(targets(link)) >= words.size())
        throw nb::index_error("a link to a word that the output does not have");
      own.push_back({sources(link), targets(link)});
    }
    found.number(words, own, &numbers[i], size);
  }
  if (link != links) throw nb::value_error("links are not in the order of outputs");
  nb::list texts;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const weigh::Word text = found.text(static_cast<weigh::WordId>(i));
    texts.append(nb::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text.data(),
                                                     static_cast<Py_ssize_t>(text.size()))));
  }
  return nb::make_tuple(to_python(std::move(numbers), spans, size), texts);
}

}  // namespace

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);  // a program that is interrupted leaves things as they are
  m.doc() = "Kernels: texts in, rows of additive statistics out.";

  bind<weigh::NgramCounter>(m, "NgramCounter")
      .def(
          "__init__",
          [](Bound<weigh::NgramCounter>* self, std::size_t sets, std::size_t order,
             std::string_view scheme) {
            new (self) Bound<weigh::NgramCounter>(sets, order, weigh::scheme_named(scheme));
          },
          "sets"_a, "order"_a, "scheme"_a);

  bind<weigh::InformationCounter>(m, "InformationCounter")
      .def(
          "__init__",
          [](Bound<weigh::InformationCounter>* self, std::size_t sets, std::size_t order,
             std::string_view scheme, bool zero_is_empty) {
            new (self) Bound<weigh::InformationCounter>(sets, order, weigh::scheme_named(scheme),
                                                        zero_is_empty);
          },
          "sets"_a, "order"_a, "scheme"_a, "zero_is_empty"_a)
      .def("finish", [](Bound<weigh::InformationCounter>& b) {
        const Usage::Writing writing(b.usage);
        nb::gil_scoped_release release;
        b.counter.finish();
      });

  bind<weigh::CharacterCounter>(m, "CharacterCounter")
      .def(
          "__init__",
          [](Bound<weigh::CharacterCounter>* self, std::size_t sets, std::size_t char_order,
             std::size_t word_order, double beta, bool whitespace, bool eps_smoothing) {
            new (self) Bound<weigh::CharacterCounter>(
                sets, weigh::ChrfOptions{char_order, word_order, beta, whitespace, eps_smoothing});
          },
          "sets"_a, "char_order"_a, "word_order"_a, "beta"_a, "whitespace"_a, "eps_smoothing"_a);

  bind_words<weigh::EditCounter<weigh::WordEdits>>(m, "WordEditCounter");
  bind_words<weigh::EditCounter<weigh::PositionIndependentEdits>>(m,
                                                                  "PositionIndependentEditCounter");
  bind_words<weigh::EditCounter<weigh::BlockMoveEdits>>(m, "BlockMoveEditCounter");
  bind_words<weigh::ShiftCounter<weigh::ShiftEdits>>(m, "ShiftEditCounter");
  bind_words<weigh::ShiftCounter<weigh::TercomEdits>>(m, "TercomEditCounter");

  bind<weigh::MatchSizeCounter>(m, "MatchSizeCounter")
      .def(
          "__init__",
          [](Bound<weigh::MatchSizeCounter>* self, std::size_t sets, double exponent,
             std::string_view scheme) {
            new (self) Bound<weigh::MatchSizeCounter>(sets, exponent, weigh::scheme_named(scheme));
          },
          "sets"_a, "exponent"_a, "scheme"_a);

  bind_meteor(m);

  bind_resampler<std::int64_t>(m, "IntegerResampler");
  bind_resampler<double>(m, "RealResampler");
  bind_halving(m);

  bind_envelopes<std::int64_t>(m, "IntegerEnvelopes");
  bind_envelopes<double>(m, "RealEnvelopes");
  m.def("weighted_scores", &weighted_scores, "features"_a, "weights"_a);
  m.def("best_candidates", &best_candidates, "features"_a, "scores"_a, "offsets"_a, "weights"_a);

  m.def(
      "bleu_scores",
      [](nb::ndarray<const double, nb::ndim<3>, nb::device::cpu> sums, std::string_view smoothing,
         double value, bool effective_order) {
        check_aligned(sums);
        if (sums.shape(2) < 4 || sums.shape(2) % 2 != 0)
          throw nb::value_error("not BLEU's columns");
        const std::size_t outer = sums.shape(0), inner = sums.shape(1);
        const std::ptrdiff_t outer_step = sums.stride(0), step = sums.stride(1);
        const weigh::BleuOptions options{sums.shape(2) / 2 - 1, weigh::smoothing_named(smoothing),
                                         value, effective_order};
        auto values = std::make_unique<double[]>(checked_size<double>(outer, inner));
        {
          nb::gil_scoped_release release;
          weigh::BleuScorer scorer(options);
          for (std::size_t i = 0; i < outer; ++i) {
            for (std::size_t j = 0; j < inner; j += weigh::scores_at_once) {
              scorer.score(sums.data() + static_cast<std::ptrdiff_t>(i) * outer_step +
                               static_cast<std::ptrdiff_t>(j) * step,
                           std::min(weigh::scores_at_once, inner - j), step, sums.stride(2),
                           values.get() + i * inner + j);
            }
          }
        }
        return to_python(std::move(values), outer, inner);
      },
      "sums"_a, "smoothing"_a, "value"_a, "effective_order"_a);

  m.def(
      "draw_interval",
      [](nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu> worths,
         double temperature, double number) {
        check_aligned(worths);
        if (worths.shape(0) == 0) throw nb::value_error("no intervals");
        if (!(temperature > 0 && temperature <= std::numeric_limits<double>::max()))
          throw nb::value_error("the temperature is not above 0 and finite");
        if (!(number >= 0 && number <= 1)) throw nb::value_error("the number is not from 0 to 1");
        nb::gil_scoped_release release;
        return weigh::draw_interval(worths.data(), worths.shape(0), temperature, number);
      },
      "worths"_a, "temperature"_a, "number"_a);

  // The numbers as doubles in memory, or None where the text is not as expected.
  m.def(
      "numbers_in",
      [](std::string_view text, std::string_view layout, double largest) -> nb::object {
        std::vector<double> numbers;
        numbers.reserve(layout.size() / 2 + 1);
        if (!weigh::read_numbers(text, layout, largest, numbers)) return nb::none();
        return nb::bytes(numbers.data(), numbers.size() * sizeof(double));
      },
      "text"_a, "layout"_a, "largest"_a);

  m.def("span_substrings", &span_substrings, "outputs"_a, "owners"_a, "sources"_a, "targets"_a,
        "starts"_a, "ends"_a, "gap"_a);

  m.def(
      "tokens",
      [](nb::handle sequence, std::string_view scheme) {
        const Texts texts(sequence);
        weigh::Tokenizer tokenizer(weigh::scheme_named(scheme));
        nb::list lists;
        for (const Text text : texts.views) {
          nb::list words;
          for (const weigh::Word word : tokenizer.words(text)) {
            words.append(nb::steal(PyUnicode_FromKindAndData(
                PyUnicode_4BYTE_KIND, word.data(), static_cast<Py_ssize_t>(word.size()))));
          }
          lists.append(words);
        }
        return lists;
      },
      "texts"_a, "scheme"_a);
}
