// apps/lda/commands/commands.cc -- `rota show lda` and `rota pyldavis lda`, and the list of all commands.
#include "apps/lda/commands/commands.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "rota/io/number_text.h"
#include "rota/io/report_text.h"
#include "rota/settings.h"

namespace rota::lda {
namespace {

// ---- show: the topics as a table

struct Show {
  std::uint32_t top_words = 10;
  void options(auto& list) {
    list.number("top_words", top_words, "words", 1, 1000, "Number of words shown for a topic.");
  }
};

// "7.3%"
std::string percent(std::uint64_t part, std::uint64_t whole) {
  const double share = whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, share, std::chars_format::fixed, 1).ptr};
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, false);
  const auto top = top_words(model, rota::settings_of<Show>(call.options).top_words);
  const auto tokens = std::accumulate(model.totals.begin(), model.totals.end(), std::uint64_t{0});
  out << top.size() << " topics, " << model.vocabulary.size() << " words, " << tokens << " tokens, epoch "
      << call.model->epoch() << "\n"
      << "Share: of all tokens those with the topic; after a word: of the topic's tokens those of the word.\n\n"
      << "topic   share  words\n";
  for (const std::uint32_t k : io::largest(top.size(), top.size(), [&](auto i) { return model.totals[i]; })) {
    out << io::right_aligned(std::to_string(k), 5) << io::right_aligned(percent(model.totals[k], tokens), 7) << "% ";
    for (const TopWord each : top[k])
      out << " " << model.vocabulary[each.word] << " " << percent(each.count, model.totals[k]) << "%";
    out << "\n";
  }
}

// ---- pyldavis: the arguments of pyLDAvis.prepare(), as JSON
//
//   import json, pyLDAvis
//   pyLDAvis.display(pyLDAvis.prepare(**json.load(open("topics.json"))))
//
// Words without tokens are left out: pyLDAvis divides by their frequency.  All numbers are finite and positive, and the
// rows of both tables of shares add up to 1, for topics and documents without tokens too.

// [a,b,...], written one by one: a model may have some hundred million numbers.
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
  const double beta = model.copies * model.priors.beta, v_beta = beta * static_cast<double>(words.size());
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
  const Priors all_copies = model.priors.times(model.copies);
  write_list(model.documents.size(), out, [&](std::size_t d) {
    std::vector<double> counts = all_copies.alphas;
    for (const TopicCount cell : model.documents[d]) counts[cell.topic] += cell.count;
    const double all = static_cast<double>(tokens_of(model.documents[d])) + all_copies.alpha_sum();
    write_list(counts.size(), out, [&](std::size_t k) { write_share(counts[k] / all, out); });
  });
  out << ",\n\"doc_lengths\":";
  write_list(model.documents.size(), out, [&](std::size_t d) { out << tokens_of(model.documents[d]); });
  out << ",\n\"vocab\":";
  write_list(words.size(), out, [&](std::size_t i) {
    const nlohmann::json word = model.vocabulary[words[i]];
    out << word.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  out << ",\n\"term_frequency\":" << nlohmann::json(frequency).dump() << "}\n";
}

}  // namespace

std::span<const Command> commands() {
  static const Command kCommands[] = {{.name = "show",
                                       .summary = "prints the topics with their top words",
                                       .options = declared_options<Show>(),
                                       .run = show},
                                      predict_command(),
                                      evaluate_command(),
                                      diagnostics_command(),
                                      {.name = "pyldavis",
                                       .summary = "writes the model as JSON that pyLDAvis.prepare() takes",
                                       .options = {},
                                       .run = pyldavis},
                                      convert_command()};
  return kCommands;
}

}  // namespace rota::lda
