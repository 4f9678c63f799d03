// Phrase-based decoding: stacks by the number of translated words, recombination, future cost and
// cube pruning (Koehn, Och & Marcu 2003; Huang & Chiang 2007), and the best derivations of the
// recombined graph in order.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "languagemodel.hpp"
#include "phrasetable.hpp"

namespace weigh {

constexpr std::size_t longest_sentence = 256;

// Features in the order in which weights and n-best lists have them.
enum Feature {
  distortion,
  before_monotone,  // and swapped, discontinuous
  after_monotone = before_monotone + 3,
  language = after_monotone + 3,
  target_given_source,
  source_given_target,
  lexical_target,
  lexical_source,
  phrase_penalty,
  word_penalty,
  feature_count
};
using Features = std::array<double, feature_count>;

// What a phrase pair adds by itself: four translation scores, and log chances of orientations.
struct PhraseScores {
  std::array<double, 4> translation{};
  std::array<double, 3> before{}, after{};
};

// All phrase pairs of a model by their sources.
class PhraseTable {
 public:
  // Pairs must be in the order of their sources.
  PhraseTable(PhraseLists phrases, std::vector<PhrasePair> pairs, std::vector<PhraseScores> scores)
      : phrases_(std::move(phrases)), pairs_(std::move(pairs)), scores_(std::move(scores)) {
    starts_.assign(phrases_.sources.size() + 1, 0);
    for (const PhrasePair& pair : pairs_) ++starts_[pair.source + 1];
    for (std::size_t at = 1; at < starts_.size(); ++at) starts_[at] += starts_[at - 1];
  }
  // The numbers of the pairs of a source phrase, [first, last).
  std::pair<std::size_t, std::size_t> of(std::span<const WordId> source) const {
    const std::int32_t number = phrases_.sources.number(source);
    return number < 0 ? std::pair<std::size_t, std::size_t>{0, 0}
                      : std::pair<std::size_t, std::size_t>{starts_[number], starts_[number + 1]};
  }
  std::span<const WordId> target(std::size_t pair) const {
    return phrases_.targets[pairs_[pair].target];
  }
  const PhraseScores& scores(std::size_t pair) const { return scores_[pair]; }

 private:
  PhraseLists phrases_;
  std::vector<PhrasePair> pairs_;
  std::vector<PhraseScores> scores_;
  std::vector<std::size_t> starts_;
};

struct DecoderLimits {
  std::size_t longest_phrase = 7;
  std::size_t options = 20;     // translations of a span that are tried
  std::size_t pops = 500;       // hypotheses made for each stack
  std::size_t stack = 200;      // of which so many are gone on with
  std::int32_t distortion = 6;  // words that may be skipped at most
};

// A step of a derivation: the source words [start, end), and the pair that translates them, or -1
// for a word that passes through.
struct Step {
  std::int32_t start, end;
  std::int64_t pair;
};

struct Derivation {
  std::vector<Step> steps;
  std::vector<WordId> words;  // -1 - i is the source word i, or one like it, passed through
  Features features{};
  double total = 0;
};

class Decoder {
 public:
  Decoder(const PhraseTable& table, const LanguageModel& model, std::span<const WordId> sentence,
          const Features& weights, const DecoderLimits& limits)
      : table_(table),
        model_(model),
        sentence_(sentence),
        weights_(weights),
        limits_(limits),
        size_(static_cast<std::int32_t>(sentence.size())) {
    find_options();
    estimate_future();
    search();
  }

  // The best derivations, the best first; with `distinct`, those whose words are new.
  std::vector<Derivation> best(std::size_t count, bool distinct) const;

 private:
  static constexpr double passed_through = -10.0;  // each translation score of such a word
  using Covered = std::bitset<longest_sentence>;

  struct Option {
    std::int32_t start, end;
    std::int64_t pair;
    std::span<const WordId> words;
    std::array<double, 3> before, after;  // weighted
    double score;                         // weighted translation scores and penalties
    double estimate;                      // with the language model's estimate of the words alone
  };

  struct Hypothesis {
    Covered covered;
    std::int32_t count = 0, start = 0, end = 0;  // the last phrase's
    std::int32_t state = 0;
    std::array<double, 3> after{};  // of the last phrase
    double score = 0, future = 0;
    std::int32_t arcs = -1;  // the first of all ways that lead here
  };
  struct Arc {
    std::int32_t from, option, next;
    double gain;
  };
  struct Candidate {
    double score;  // with the future
    double gain;
    std::int32_t bundle, hypothesis, option, state;
    bool operator<(const Candidate& other) const { return score < other.score; }
  };
  // Hypotheses alike in what they cover and in the last phrase's place, with one span to go on to.
  struct Bundle {
    const std::vector<std::int32_t>* hypotheses;
    const std::vector<std::int32_t>* options;
    Orientation orientation;
    double jump;
  };

  static Orientation orientation(std::int32_t start, std::int32_t end, std::int32_t next_start,
                                 std::int32_t next_end) {
    return next_start == end ? monotone : next_end == start ? swapped : discontinuous;
  }

  std::array<double, 3> weighted(const std::array<double, 3>& chances, Feature first) const {
    return {weights_[first] * chances[0], weights_[first + 1] * chances[1],
            weights_[first + 2] * chances[2]};
  }

  std::size_t span(std::int32_t start, std::int32_t end) const {
    return static_cast<std::size_t>(start) * (size_ + 1) + end;
  }

  void find_options() {
    by_span_.resize(static_cast<std::size_t>(size_ + 1) * (size_ + 1));
    std::vector<Option> found;
    for (std::int32_t start = 0; start < size_; ++start) {
      const std::int32_t most =
          std::min<std::int32_t>(size_, start + static_cast<std::int32_t>(limits_.longest_phrase));
      for (std::int32_t end = start + 1; end <= most; ++end) {
        found.clear();
        const auto [first, last] = table_.of(sentence_.subspan(start, end - start));
        for (std::size_t pair = first; pair < last; ++pair)
          found.push_back(option(start, end, static_cast<std::int64_t>(pair)));
        if (end == start + 1 && first == last) found.push_back(passing(start));
        // Ties by the order of the table, so that all runs agree.
        const auto is_better = [](const Option& a, const Option& b) {
          return a.estimate != b.estimate ? a.estimate > b.estimate : a.pair < b.pair;
        };
        const std::size_t kept = std::min(found.size(), limits_.options);
        std::partial_sort(found.begin(), found.begin() + kept, found.end(), is_better);
        for (std::size_t at = 0; at < kept; ++at) {
          by_span_[span(start, end)].push_back(static_cast<std::int32_t>(options_.size()));
          options_.push_back(found[at]);
        }
      }
    }
  }

  Option option(std::int32_t start, std::int32_t end, std::int64_t pair) const {
    const PhraseScores& scores = table_.scores(pair);
    Option made{start,
                end,
                pair,
                table_.target(pair),
                weighted(scores.before, before_monotone),
                weighted(scores.after, after_monotone),
                0,
                0};
    for (std::size_t i = 0; i < 4; ++i)
      made.score += weights_[target_given_source + i] * scores.translation[i];
    made.score += weights_[phrase_penalty] - weights_[word_penalty] * made.words.size();
    made.estimate = made.score + weights_[language] * alone(made.words);
    return made;
  }

  Option passing(std::int32_t start) const {
    static constexpr WordId unknown = LanguageModel::unknown;
    Option made{start, start + 1, -1, std::span<const WordId>(&unknown, 1), {}, {}, 0, 0};
    for (std::size_t i = 0; i < 4; ++i)
      made.score += weights_[target_given_source + i] * passed_through;
    made.score += weights_[phrase_penalty] - weights_[word_penalty];
    made.estimate = made.score + weights_[language] * alone(made.words);
    return made;
  }

  // The log chance of words without what stands before them.
  double alone(std::span<const WordId> words) const {
    std::int32_t state = LanguageModel::root;
    double sum = 0;
    for (const WordId word : words) sum += model_.advance(state, word);
    return sum;
  }

  void estimate_future() {
    constexpr double never = -1e300;
    future_.assign(by_span_.size(), never);
    for (std::int32_t length = 1; length <= size_; ++length)
      for (std::int32_t start = 0; start + length <= size_; ++start) {
        const std::int32_t end = start + length;
        double most = never;
        for (const std::int32_t number : by_span_[span(start, end)])
          most = std::max(most, options_[number].estimate);
        for (std::int32_t middle = start + 1; middle < end; ++middle)
          most = std::max(most, future_[span(start, middle)] + future_[span(middle, end)]);
        future_[span(start, end)] = most;
      }
  }

  double future_of(const Covered& covered) const {
    double sum = 0;
    for (std::int32_t at = 0; at < size_;) {
      if (covered[at]) {
        ++at;
        continue;
      }
      std::int32_t end = at;
      while (end < size_ && !covered[end]) ++end;
      sum += future_[span(at, end)];
      at = end;
    }
    return sum;
  }

  bool may_follow(const Hypothesis& from, std::int32_t start, std::int32_t end) const {
    for (std::int32_t at = start; at < end; ++at)
      if (from.covered[at]) return false;
    if (std::abs(start - from.end) > limits_.distortion) return false;
    std::int32_t gap = 0;
    while (gap < size_ && from.covered[gap]) ++gap;
    // One must still be able to come back to the first word that is left.
    return gap == start || end - gap <= limits_.distortion;
  }

  void search() {
    stacks_.resize(size_ + 1);
    Hypothesis first;
    first.state = model_.begin();
    first.future = future_of(first.covered);
    hypotheses_.push_back(first);
    stacks_[0].push_back(0);
    std::vector<Groups> groups(size_ + 1);
    for (std::int32_t count = 0; count <= size_; ++count) {
      if (count > 0) fill(count, groups);
      groups[count] = grouped(count);
    }
  }

  // Hypotheses of a stack by what they cover and by their last phrase's place, best first.
  using Groups = std::vector<std::vector<std::int32_t>>;
  Groups grouped(std::int32_t count) const {
    Groups groups;
    std::unordered_map<std::string, std::size_t> known;
    for (const std::int32_t number : stacks_[count]) {  // which stand in order
      const Hypothesis& one = hypotheses_[number];
      std::string key(reinterpret_cast<const char*>(&one.covered), sizeof one.covered);
      key.append(reinterpret_cast<const char*>(&one.start), sizeof one.start);
      key.append(reinterpret_cast<const char*>(&one.end), sizeof one.end);
      const auto [place, is_new] = known.try_emplace(std::move(key), groups.size());
      if (is_new) groups.emplace_back();
      groups[place->second].push_back(number);
    }
    return groups;
  }

  void fill(std::int32_t count, const std::vector<Groups>& groups) {
    std::vector<Bundle> bundles;
    std::priority_queue<Candidate> waiting;
    const auto longest = static_cast<std::int32_t>(limits_.longest_phrase);
    for (std::int32_t before = std::max(0, count - longest); before < count; ++before) {
      const std::int32_t length = count - before;
      for (const auto& group : groups[before]) {
        const Hypothesis& from = hypotheses_[group.front()];
        for (std::int32_t start = 0; start + length <= size_; ++start) {
          const auto& options = by_span_[span(start, start + length)];
          if (options.empty() || !may_follow(from, start, start + length)) continue;
          const Orientation turn = from.count == 0
                                       ? (start == 0 ? monotone : discontinuous)
                                       : orientation(from.start, from.end, start, start + length);
          bundles.push_back(
              {&group, &options, turn, -weights_[distortion] * std::abs(start - from.end)});
        }
      }
    }
    for (std::size_t at = 0; at < bundles.size(); ++at)
      waiting.push(candidate(bundles, static_cast<std::int32_t>(at), 0, 0));
    std::unordered_map<std::string, std::int32_t> known;
    for (std::size_t popped = 0; popped < limits_.pops && !waiting.empty(); ++popped) {
      const Candidate best = waiting.top();
      waiting.pop();
      add(bundles, best, count, known);
      // The next option of this hypothesis; and of its first, the next hypothesis.
      const Bundle& bundle = bundles[best.bundle];
      if (best.option + 1 < static_cast<std::int32_t>(bundle.options->size()))
        waiting.push(candidate(bundles, best.bundle, best.hypothesis, best.option + 1));
      if (best.option == 0 &&
          best.hypothesis + 1 < static_cast<std::int32_t>(bundle.hypotheses->size()))
        waiting.push(candidate(bundles, best.bundle, best.hypothesis + 1, 0));
    }
    auto& stack = stacks_[count];
    std::ranges::stable_sort(stack, [&](std::int32_t a, std::int32_t b) {
      return hypotheses_[a].score + hypotheses_[a].future >
             hypotheses_[b].score + hypotheses_[b].future;
    });
    if (count < size_ && stack.size() > limits_.stack) stack.resize(limits_.stack);
  }

  Candidate candidate(const std::vector<Bundle>& bundles, std::int32_t at, std::int32_t hypothesis,
                      std::int32_t option) const {
    const Bundle& bundle = bundles[at];
    const Hypothesis& from = hypotheses_[(*bundle.hypotheses)[hypothesis]];
    const Option& step = options_[(*bundle.options)[option]];
    std::int32_t state = from.state;
    double language_score = 0;
    for (const WordId word : step.words) language_score += model_.advance(state, word);
    const double after = from.count == 0 ? 0.0 : from.after[bundle.orientation];
    const double gain = step.score + weights_[language] * language_score + bundle.jump +
                        step.before[bundle.orientation] + after;
    // What is left of the future: the span's own part is replaced by what it came to.
    Covered covered = from.covered;
    for (std::int32_t i = step.start; i < step.end; ++i) covered.set(i);
    return {from.score + gain + future_of(covered), gain, at, hypothesis, option, state};
  }

  void add(const std::vector<Bundle>& bundles, const Candidate& best, std::int32_t count,
           std::unordered_map<std::string, std::int32_t>& known) {
    const Bundle& bundle = bundles[best.bundle];
    const std::int32_t from_number = (*bundle.hypotheses)[best.hypothesis];
    const std::int32_t option_number = (*bundle.options)[best.option];
    const Option& step = options_[option_number];
    Hypothesis made;
    made.covered = hypotheses_[from_number].covered;
    for (std::int32_t i = step.start; i < step.end; ++i) made.covered.set(i);
    made.count = count;
    made.start = step.start;
    made.end = step.end;
    made.state = best.state;
    made.after = step.after;
    made.score = hypotheses_[from_number].score + best.gain;
    made.future = best.score - made.score;
    std::string key(reinterpret_cast<const char*>(&made.covered), sizeof made.covered);
    key.append(reinterpret_cast<const char*>(&made.start), sizeof made.start);
    key.append(reinterpret_cast<const char*>(&made.end), sizeof made.end);
    key.append(reinterpret_cast<const char*>(&made.state), sizeof made.state);
    key.append(reinterpret_cast<const char*>(made.after.data()), sizeof made.after);
    const auto arc = static_cast<std::int32_t>(arcs_.size());
    const auto [place, is_new] =
        known.try_emplace(std::move(key), static_cast<std::int32_t>(hypotheses_.size()));
    if (is_new) {
      made.arcs = arc;
      hypotheses_.push_back(made);
      stacks_[count].push_back(place->second);
      arcs_.push_back({from_number, option_number, -1, best.gain});
      return;
    }
    Hypothesis& same = hypotheses_[place->second];
    arcs_.push_back({from_number, option_number, same.arcs, best.gain});
    same.arcs = arc;
    if (made.score > same.score) same.score = made.score;
  }

  // What the end of the sentence adds to a hypothesis.
  double ending(const Hypothesis& last) const {
    std::int32_t state = last.state;
    const double language_score = model_.advance(state, model_.end());
    const double after =
        last.count == 0 ? 0.0 : last.after[last.end == size_ ? monotone : discontinuous];
    return weights_[language] * language_score + after;
  }

  Derivation derivation(const std::vector<std::int32_t>& options) const;

  // A word that an option makes. Of a word that passes through it is the first place where it
  // stands: words below 0 are the same where their numbers are; others, which all may be 0, not.
  WordId word_of(const Option& option, std::size_t place) const {
    if (option.pair >= 0) return option.words[place];
    const WordId word = sentence_[option.start];
    return word >= 0
               ? -1 - option.start
               : -1 - static_cast<WordId>(std::ranges::find(sentence_, word) - sentence_.begin());
  }

  const PhraseTable& table_;
  const LanguageModel& model_;
  std::span<const WordId> sentence_;
  Features weights_;
  DecoderLimits limits_;
  std::int32_t size_;
  std::vector<Option> options_;
  std::vector<std::vector<std::int32_t>> by_span_;
  std::vector<double> future_;
  std::vector<Hypothesis> hypotheses_;
  std::vector<Arc> arcs_;
  std::vector<std::vector<std::int32_t>> stacks_;
};

// Best first from the end: the best score of every hypothesis is known, and so is what is lost by
// any other way to it. A path is a last way that was chosen, and what comes after it. The best way
// to a hypothesis loses exactly nothing, and of paths alike the newest is gone on with, so that
// no more paths are begun than the derivations that are asked for have steps.
inline std::vector<Derivation> Decoder::best(std::size_t count, bool distinct) const {
  struct Path {
    double score;
    std::int32_t hypothesis, way, after;  // `after`: the path that this one goes on
    std::int32_t text = 0;                // the number of its words, when they must be distinct
  };
  std::vector<Path> paths;
  std::priority_queue<std::pair<double, std::int32_t>> waiting;
  const auto push = [&](Path path) {
    waiting.emplace(path.score, static_cast<std::int32_t>(paths.size()));
    paths.push_back(path);
  };
  const auto lost = [&](std::int32_t hypothesis, const Arc& arc) {
    return hypotheses_[hypothesis].score - (hypotheses_[arc.from].score + arc.gain);
  };
  // The ways to a hypothesis, the best first; ordered when they are asked for.
  std::vector<std::vector<std::int32_t>> ways(hypotheses_.size());
  const auto ways_to = [&](std::int32_t hypothesis) -> const std::vector<std::int32_t>& {
    auto& ordered = ways[hypothesis];
    if (ordered.empty()) {
      for (std::int32_t arc = hypotheses_[hypothesis].arcs; arc >= 0; arc = arcs_[arc].next)
        ordered.push_back(arc);
      std::ranges::sort(ordered, [&](std::int32_t a, std::int32_t b) {
        const double of_a = lost(hypothesis, arcs_[a]), of_b = lost(hypothesis, arcs_[b]);
        return of_a != of_b ? of_a < of_b : a < b;
      });
    }
    return ordered;
  };
  // A path to the start of one of the ways to the hypothesis where path `after` begins.
  const auto push_way = [&](std::int32_t after, std::size_t place) {
    const std::int32_t hypothesis = paths[after].hypothesis;
    const auto& ordered = ways_to(hypothesis);
    if (place >= ordered.size()) return;
    const Arc& arc = arcs_[ordered[place]];
    push({paths[after].score - lost(hypothesis, arc), arc.from, static_cast<std::int32_t>(place),
          after});
  };
  for (const std::int32_t number : stacks_[size_])
    push({hypotheses_[number].score + ending(hypotheses_[number]), number, -1, -1});
  const auto option_of = [&](const Path& path) -> std::int32_t {
    return arcs_[ways[paths[path.after].hypothesis][path.way]].option;
  };
  // Of paths with the same words from the same hypothesis only the first, which is the best, can
  // become words that are new. Texts have numbers: by the word before a text, and its own number.
  std::unordered_map<std::uint64_t, std::int32_t> texts;
  std::unordered_set<std::uint64_t> seen;
  const auto joined = [](std::int32_t a, std::int32_t b) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 |
           static_cast<std::uint32_t>(b);
  };
  const auto is_new = [&](Path& path) {
    if (path.after >= 0) {
      const Option& step = options_[option_of(path)];
      path.text = paths[path.after].text;
      for (std::size_t at = step.words.size(); at-- > 0;) {
        const auto number = static_cast<std::int32_t>(texts.size() + 1);
        path.text = texts.try_emplace(joined(path.text, word_of(step, at)), number).first->second;
      }
    }
    return seen.insert(joined(path.hypothesis, path.text)).second;
  };
  std::vector<Derivation> found;
  // Where nearly all derivations have the same words, one must give up at some time.
  const std::size_t most_paths = std::size_t{1} << (distinct ? 22 : 26);
  while (!waiting.empty() && found.size() < count && paths.size() < most_paths) {
    const std::int32_t at = waiting.top().second;
    waiting.pop();
    if (paths[at].after >= 0) push_way(paths[at].after, paths[at].way + 1);
    if (distinct && !is_new(paths[at])) continue;
    if (paths[at].hypothesis != 0) {
      push_way(at, 0);
      continue;
    }
    std::vector<std::int32_t> options;
    for (std::int32_t step = at; paths[step].after >= 0; step = paths[step].after)
      options.push_back(option_of(paths[step]));
    found.push_back(derivation(options));
  }
  // Sums in another order may differ in their last digits.
  std::ranges::stable_sort(
      found, [](const Derivation& a, const Derivation& b) { return a.total > b.total; });
  return found;
}

inline Derivation Decoder::derivation(const std::vector<std::int32_t>& options) const {
  Derivation made;
  std::int32_t state = model_.begin(), start = 0, end = 0;
  std::int64_t before = -1;
  double language_score = 0;
  const auto turn_after = [&](std::int64_t pair, Orientation turn) {
    if (pair >= 0)
      made.features[after_monotone + static_cast<int>(turn)] += table_.scores(pair).after[turn];
  };
  for (std::size_t at = 0; at < options.size(); ++at) {
    const Option& step = options_[options[at]];
    made.steps.push_back({step.start, step.end, step.pair});
    made.features[distortion] -= std::abs(step.start - end);
    const Orientation turn = at == 0 ? (step.start == 0 ? monotone : discontinuous)
                                     : orientation(start, end, step.start, step.end);
    if (at > 0) turn_after(before, turn);
    for (std::size_t i = 0; i < step.words.size(); ++i) {
      language_score += model_.advance(state, step.words[i]);
      made.words.push_back(word_of(step, i));
    }
    if (step.pair >= 0) {
      const PhraseScores& scores = table_.scores(step.pair);
      made.features[before_monotone + static_cast<int>(turn)] += scores.before[turn];
      for (std::size_t i = 0; i < 4; ++i)
        made.features[target_given_source + i] += scores.translation[i];
    } else {
      for (std::size_t i = 0; i < 4; ++i) made.features[target_given_source + i] += passed_through;
    }
    made.features[phrase_penalty] += 1;
    made.features[word_penalty] -= static_cast<double>(step.words.size());
    start = step.start, end = step.end, before = step.pair;
  }
  if (!options.empty()) turn_after(before, end == size_ ? monotone : discontinuous);
  language_score += model_.advance(state, model_.end());
  made.features[language] = language_score;
  for (std::size_t i = 0; i < feature_count; ++i) made.total += weights_[i] * made.features[i];
  return made;
}

}  // namespace weigh
