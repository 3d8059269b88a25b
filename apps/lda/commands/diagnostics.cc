#include "apps/lda/commands/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>

#include "apps/lda/commands/commands.h"
#include "rota/io/number_text.h"

namespace rota::lda {

namespace {

constexpr Option kDiagnosticsOptions[] = {
    kFormatOption,
    integer_option("top_words", "10", "words", 2, 1000,
                   "Number of a topic's top words that exclusivity and coherence use."),
};

// Which reference documents have which of the words in question.
class Reference {
 public:
  Reference(std::size_t words, const std::vector<std::vector<TopWord>>& top, const std::vector<NewDocument>& reference)
      : place_(words, kNowhere), count_(static_cast<double>(reference.size())) {
    for (const auto& of_topic : top) {
      for (const TopWord each : of_topic) {
        if (place_[each.word] != kNowhere) continue;
        place_[each.word] = static_cast<std::uint32_t>(of_word_.size());
        of_word_.emplace_back();
      }
    }
    for (std::uint32_t d = 0; d < reference.size(); ++d) {
      for (const WordInDocument each : reference[d]) {
        if (place_[each.word] == kNowhere) continue;
        std::vector<std::uint32_t>& documents = of_word_[place_[each.word]];
        if (documents.empty() || documents.back() != d) documents.push_back(d);
      }
    }
  }

  double all() const { return count_; }
  double with(std::uint32_t word) const { return static_cast<double>(of(word).size()); }
  double with_both(std::uint32_t a, std::uint32_t b) const {
    double both = 0;
    for (auto i = of(a).begin(), j = of(b).begin(); i != of(a).end() && j != of(b).end();) {
      both += *i == *j ? 1 : 0;
      *i < *j ? ++i : *j < *i ? ++j : (++i, ++j);
    }
    return both;
  }

 private:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  const std::vector<std::uint32_t>& of(std::uint32_t word) const { return of_word_[place_[word]]; }

  std::vector<std::uint32_t> place_;                 // of each word, in of_word_
  std::vector<std::vector<std::uint32_t>> of_word_;  // its documents, ascending
  double count_;
};

// Figures of the model alone.
void describe_topics(const TrainedModel& model, std::vector<TopicDiagnostics>& topics) {
  const auto words = static_cast<double>(model.words.size());
  double tokens = 0;
  for (const std::uint64_t total : model.totals) tokens += static_cast<double>(total);
  std::vector<double> squares(topics.size()), uniform(topics.size()), corpus(topics.size());
  for (const WordRow& row : model.words) {
    const auto of_word = static_cast<double>(tokens_of(row));
    for (const TopicCount cell : row) {
      const double p = cell.count / static_cast<double>(model.totals[cell.topic]);
      squares[cell.topic] += p * p;
      uniform[cell.topic] += p * std::log(p * words);
      corpus[cell.topic] += p * std::log(p * tokens / of_word);
    }
  }
  for (std::size_t k = 0; k < topics.size(); ++k) {
    if (model.totals[k] == 0) continue;
    topics[k].effective_words = 1 / squares[k];
    topics[k].uniform_nats = uniform[k];
    topics[k].corpus_nats = corpus[k];
  }
}

double exclusivity(const TrainedModel& model, std::size_t topic, const std::vector<TopWord>& top) {
  double sum = 0;
  for (const TopWord each : top) {
    double here = 0, all = 0;
    for (const TopicCount cell : model.words[each.word]) {
      const double p = cell.count / static_cast<double>(model.totals[cell.topic]);
      all += p;
      if (cell.topic == topic) here = p;
    }
    sum += here / all;
  }
  return sum / static_cast<double>(top.size());
}

void add_coherence(const Reference& documents, const std::vector<TopWord>& top, TopicDiagnostics& topic) {
  double umass = 0, npmi = 0;
  int pairs = 0;
  for (std::size_t m = 1; m < top.size(); ++m) {
    for (std::size_t l = 0; l < m; ++l) {
      const double first = documents.with(top[l].word), second = documents.with(top[m].word);
      if (first == 0 || second == 0) continue;
      const double both = documents.with_both(top[l].word, top[m].word);
      ++pairs;
      umass += std::log((both + 1) / first);
      const double p = both / documents.all();
      // Two words that are in every document have the highest value.
      npmi += both == 0 ? -1
              : p == 1  ? 1
                        : std::log(p * documents.all() * documents.all() / (first * second)) / -std::log(p);
    }
  }
  if (pairs == 0) return;
  topic.umass = umass;
  topic.npmi = npmi / pairs;
}

std::string field(const std::optional<double>& value) {
  return value ? io::six_digits(*value) : "";
}

}  // namespace

std::vector<TopicDiagnostics> diagnose(const TrainedModel& model, const std::vector<std::vector<TopWord>>& top,
                                       const std::vector<NewDocument>& reference) {
  std::vector<TopicDiagnostics> topics(model.totals.size());
  describe_topics(model, topics);
  const Reference documents(model.words.size(), top, reference);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    if (top[k].empty()) continue;
    topics[k].exclusivity = exclusivity(model, k, top[k]);
    add_coherence(documents, top[k], topics[k]);
  }
  return topics;
}

static void diagnostics(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments reference = read_new_documents(call.input, call.options.text("format"), model.vocabulary);
  const auto top = top_words(model, static_cast<std::size_t>(call.options.integer("top_words")));
  const auto topics = diagnose(model, top, reference.documents);
  out << "topic\ttokens\talpha\teffective_words\tuniform_nats\tcorpus_nats\texclusivity\tumass\tnpmi\twords\n";
  for (std::size_t k = 0; k < topics.size(); ++k) {
    out << k << '\t' << model.totals[k] << '\t' << io::six_digits(model.priors.alphas[k]);
    for (const auto& value : {topics[k].effective_words, topics[k].uniform_nats, topics[k].corpus_nats,
                              topics[k].exclusivity, topics[k].umass, topics[k].npmi})
      out << '\t' << field(value);
    out << '\t';
    for (std::size_t i = 0; i < top[k].size(); ++i) out << (i == 0 ? "" : " ") << model.vocabulary[top[k][i].word];
    out << '\n';
  }
}

Command diagnostics_command() {
  return {.name = "diagnostics",
          .summary = "prints figures of each topic's quality as a table; coherence refers to the input",
          .options = kDiagnosticsOptions,
          .run = diagnostics,
          .takes_input = true};
}

}  // namespace rota::lda
