#include "apps/lda/commands/pyldavis.h"

#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/lda/commands/trained_model.h"
#include "rota/io/json_text.h"
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

struct Document {
  const std::vector<TopicCount>* cells;
  std::uint64_t length;
};

std::vector<Document> documents_of_input(const TrainedModel& model) {
  std::vector<Document> documents;
  std::size_t count = 0;
  for (const ShardState& shard : model.shards) count += shard.documents.size();
  for (std::size_t d = 0; d < count; ++d) {
    const auto& in_shard = model.shards[d % model.shards.size()].documents;
    if (d / model.shards.size() >= in_shard.size())
      throw std::runtime_error("document " + std::to_string(d + 1) + " is in no shard");
    documents.push_back({&in_shard[d / model.shards.size()].cells, 0});
    for (const TopicCount cell : *documents.back().cells) documents.back().length += cell.count;
  }
  return documents;
}

void write_documents(const TrainedModel& model, const std::vector<Document>& documents, std::ostream& out) {
  std::vector<double> counts(model.totals.size());
  write_list(documents.size(), out, [&](std::size_t d) {
    counts = model.priors.alphas;
    for (const TopicCount cell : *documents[d].cells) counts[cell.topic] += cell.count;
    const double all = static_cast<double>(documents[d].length) + model.priors.alpha_sum();
    write_list(counts.size(), out, [&](std::size_t k) { write_share(counts[k] / all, out); });
  });
}

}  // namespace

std::span<const Option> pyldavis_options() {
  return {};
}

void pyldavis(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, true);
  std::vector<std::uint32_t> words;
  std::vector<std::uint64_t> frequency;
  for (std::uint32_t w = 0; w < model.words.size(); ++w) {
    std::uint64_t tokens = 0;
    for (const TopicCount cell : model.words[w]) tokens += cell.count;
    if (tokens == 0) continue;
    words.push_back(w);
    frequency.push_back(tokens);
  }
  const std::vector<Document> documents = documents_of_input(model);
  out << "{\"topic_term_dists\":";
  write_topics(model, words, out);
  out << ",\n\"doc_topic_dists\":";
  write_documents(model, documents, out);
  out << ",\n\"doc_lengths\":";
  write_list(documents.size(), out, [&](std::size_t d) { out << documents[d].length; });
  out << ",\n\"vocab\":";
  write_list(words.size(), out, [&](std::size_t i) { out << io::json_text(model.vocabulary[words[i]]); });
  out << ",\n\"term_frequency\":";
  write_list(words.size(), out, [&](std::size_t i) { out << frequency[i]; });
  out << "}\n";
}

}  // namespace rota::lda
