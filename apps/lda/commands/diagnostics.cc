// apps/lda/commands/diagnostics.cc -- `rota diagnostics lda`: measures of topic quality, as a table.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <ostream>
#include <string>
#include <unordered_map>

#include "apps/lda/commands/commands.h"
#include "rota/io/number_text.h"
#include "rota/settings.h"

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

void add_coherence(const DocumentsOf& documents, double all, const std::vector<TopWord>& top, TopicDiagnostics& topic) {
  double umass = 0, npmi = 0;
  int pairs = 0;
  for (std::size_t m = 1; m < top.size(); ++m) {
    for (std::size_t l = 0; l < m; ++l) {
      const auto &of_first = documents.at(top[l].word), &of_second = documents.at(top[m].word);
      if (of_first.empty() || of_second.empty()) continue;
      std::vector<std::uint32_t> of_both;
      std::ranges::set_intersection(of_first, of_second, std::back_inserter(of_both));
      const auto first = static_cast<double>(of_first.size()), second = static_cast<double>(of_second.size());
      const auto both = static_cast<double>(of_both.size());
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

}  // namespace

std::vector<TopicDiagnostics> diagnose(const TrainedModel& model, const std::vector<std::vector<TopWord>>& top,
                                       const std::vector<NewDocument>& reference) {
  const auto words = static_cast<double>(model.words.size());
  double tokens = 0;
  for (const std::uint64_t total : model.totals) tokens += static_cast<double>(total);
  const auto p = [&](TopicCount cell) { return cell.count / static_cast<double>(model.totals[cell.topic]); };
  std::vector<double> squares(top.size()), uniform(top.size()), corpus(top.size());
  for (const WordRow& row : model.words) {
    const auto of_word = static_cast<double>(tokens_of(row));
    for (const TopicCount cell : row) {
      squares[cell.topic] += p(cell) * p(cell);
      uniform[cell.topic] += p(cell) * std::log(p(cell) * words);
      corpus[cell.topic] += p(cell) * std::log(p(cell) * tokens / of_word);
    }
  }
  const DocumentsOf documents = documents_of(top, reference);
  std::vector<TopicDiagnostics> topics(top.size());
  for (std::size_t k = 0; k < topics.size(); ++k) {
    if (top[k].empty()) continue;
    double exclusivity = 0;
    for (const TopWord each : top[k]) {
      double all = 0;
      for (const TopicCount cell : model.words[each.word]) all += p(cell);
      exclusivity += p({each.count, static_cast<std::uint16_t>(k)}) / all;
    }
    topics[k] = {1 / squares[k], uniform[k], corpus[k], exclusivity / static_cast<double>(top[k].size()), {}, {}};
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
    const auto& [effective, uniform, corpus, exclusivity, umass, npmi] = topics[k];
    out << k << '\t' << model.totals[k] << '\t' << io::six_digits(model.priors.alphas[k]);
    for (const auto& value : {effective, uniform, corpus, exclusivity, umass, npmi})
      out << '\t' << (value ? io::six_digits(*value) : "");
    out << '\t' << words_in(model, top[k]) << '\n';
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
