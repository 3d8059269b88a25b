#include "apps/lda/commands/diagnostics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <unordered_map>

#include "apps/lda/commands/commands.h"
#include "rota/io/number_text.h"

namespace rota::lda {

namespace {

struct Diagnostics {
  io::CorpusForm form;
  std::uint32_t top_words = 10;
  void options(auto& list) {
    list.all_of(form);
    list.number("top_words", top_words, "words", 2, 1000,
                "Number of a topic's top words that exclusivity and coherence use.");
  }
};

// The reference documents that have each of the words in question, ascending.
using DocumentsOf = std::unordered_map<std::uint32_t, std::vector<std::uint32_t>>;

DocumentsOf documents_of(const std::vector<std::vector<TopWord>>& top, const std::vector<NewDocument>& reference) {
  DocumentsOf documents;
  for (const auto& of_topic : top)
    for (const TopWord each : of_topic) documents[each.word];
  for (std::uint32_t d = 0; d < reference.size(); ++d)
    for (const WordInDocument each : reference[d])
      if (const auto found = documents.find(each.word); found != documents.end())
        if (found->second.empty() || found->second.back() != d) found->second.push_back(d);
  return documents;
}

double number_in_both(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::uint32_t> both;
  std::ranges::set_intersection(a, b, std::back_inserter(both));
  return static_cast<double>(both.size());
}

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

void add_coherence(const DocumentsOf& documents, double all, const std::vector<TopWord>& top, TopicDiagnostics& topic) {
  double umass = 0, npmi = 0;
  int pairs = 0;
  for (std::size_t m = 1; m < top.size(); ++m) {
    for (std::size_t l = 0; l < m; ++l) {
      const auto &of_first = documents.at(top[l].word), &of_second = documents.at(top[m].word);
      if (of_first.empty() || of_second.empty()) continue;
      const auto first = static_cast<double>(of_first.size()), second = static_cast<double>(of_second.size());
      const double both = number_in_both(of_first, of_second);
      ++pairs;
      umass += std::log((both + 1) / first);
      const double p = both / all;
      // Two words that are in every document have the highest value.
      npmi += both == 0 ? -1 : p == 1 ? 1 : std::log(p * all * all / (first * second)) / -std::log(p);
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
  const DocumentsOf documents = documents_of(top, reference);
  for (std::size_t k = 0; k < topics.size(); ++k) {
    if (top[k].empty()) continue;
    topics[k].exclusivity = exclusivity(model, k, top[k]);
    add_coherence(documents, static_cast<double>(reference.size()), top[k], topics[k]);
  }
  return topics;
}

static void diagnostics(const Call& call, std::ostream& out) {
  const auto settings = rota::settings_of<Diagnostics>(call.options);
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments reference = read_new_documents(call.input, settings.form, model.vocabulary);
  const auto top = top_words(model, settings.top_words);
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
          .options = declared_options<Diagnostics>(),
          .run = diagnostics,
          .takes_input = true};
}

}  // namespace rota::lda
