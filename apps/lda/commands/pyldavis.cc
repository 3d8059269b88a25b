// apps/lda/commands/pyldavis.cc -- `rota pyldavis lda`: the arguments of pyLDAvis.prepare(), as JSON.
//
//   import json, pyLDAvis
//   pyLDAvis.display(pyLDAvis.prepare(**json.load(open("topics.json"))))
//
// Words without tokens are left out: pyLDAvis divides by their frequency.  All numbers are finite and positive, and the
// rows of both tables of shares add up to 1, for topics and documents without tokens too.
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"
#include "rota/io/number_text.h"

namespace rota::lda {

namespace {

// [a,b,...]
template <typename Each>
void write_list(std::size_t count, std::ostream& out, Each each) {
  out << '[';
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) out << ',';
    each(i);
  }
  out << ']';
}

// pyLDAvis uses at most seven digits, which take half of the bytes.
void write_share(double share, std::ostream& out) {
  out << io::exact_text(static_cast<float>(share));
}

void write_topics(const TrainedModel& model, const std::vector<std::uint32_t>& words, std::ostream& out) {
  const double beta = model.priors.beta, v_beta = beta * static_cast<double>(words.size());
  // A topic's words are spread over all rows, so they are collected first.
  std::vector<std::vector<TopWord>> of_topic(model.totals.size());
  for (std::uint32_t i = 0; i < words.size(); ++i)
    for (const TopicCount cell : model.words[words[i]]) of_topic[cell.topic].push_back({i, cell.count});
  write_list(of_topic.size(), out, [&](std::size_t k) {
    const double all = static_cast<double>(model.totals[k]) + v_beta;
    auto next = of_topic[k].begin();
    write_list(words.size(), out, [&](std::size_t i) {
      const bool has = next != of_topic[k].end() && next->word == i;
      write_share((beta + (has ? next->count : 0)) / all, out);
      if (has) ++next;
    });
  });
}

void write_documents(const TrainedModel& model, std::ostream& out) {
  std::vector<double> counts;
  write_list(model.documents.size(), out, [&](std::size_t d) {
    counts = model.priors.alphas;
    for (const TopicCount cell : model.documents[d]) counts[cell.topic] += cell.count;
    const double all = static_cast<double>(tokens_of(model.documents[d])) + model.priors.alpha_sum();
    write_list(counts.size(), out, [&](std::size_t k) { write_share(counts[k] / all, out); });
  });
}

void pyldavis(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, true);
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> frequency;
  for (std::uint32_t w = 0; w < model.words.size(); ++w) {
    const std::uint64_t tokens = tokens_of(model.words[w]);
    if (tokens == 0) continue;
    words.push_back(w);
    frequency.push_back(tokens);
  }
  out << "{\"topic_term_dists\":";
  write_topics(model, words, out);
  out << ",\n\"doc_topic_dists\":";
  write_documents(model, out);
  out << ",\n\"doc_lengths\":";
  write_list(model.documents.size(), out, [&](std::size_t d) { out << tokens_of(model.documents[d]); });
  out << ",\n\"vocab\":";
  write_list(words.size(), out, [&](std::size_t i) {
    const nlohmann::json word = model.vocabulary[words[i]];
    out << word.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  out << ",\n\"term_frequency\":";
  write_list(words.size(), out, [&](std::size_t i) { out << frequency[i]; });
  out << "}\n";
}

}  // namespace

Command pyldavis_command() {
  return {.name = "pyldavis",
          .summary = "writes the model as JSON that pyLDAvis.prepare() takes",
          .options = {},
          .run = pyldavis};
}

}  // namespace rota::lda
