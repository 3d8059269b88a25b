// apps/lda/commands/commands.cc -- the model as text: `rota show lda`, `rota pyldavis lda` and the files of model/; and
// the list of all commands.
#include "apps/lda/commands/commands.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/lda/commands/topic_map.h"
#include "rota/io/csv_text.h"
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

// ---- The text files of model/; kReadme describes them

constexpr std::string_view kReadme = R"(A topic model (latent Dirichlet allocation) as text.

Topics are numbered from 0.  Documents are numbered from 1 in the order of the input: in text and LDA-C the number is
that of the line, in UCI bag-of-words the document id, in a matrix that of the row; a second input file continues the
count.

topics.txt      One topic a line: number, alpha, tokens, top words; tabs between the four, spaces between words.
                Alpha is the topic's Dirichlet parameter, tokens how many tokens have the topic.

word_topic.txt  One word a line, in the order of the vocabulary: the word, then topic:count for every topic
                that tokens of the word have, topics ascending.

doc_topic.txt   One document a line: its number, then topic:proportion for every topic that tokens of the document
                have, those of most tokens first.  The proportion of topic k is (n_dk + alpha_k) / (N_d + A), where n_dk
                of the document's N_d tokens have topic k, and A is the sum of all alphas.  A topic that is not listed
                has alpha_k / (N_d + A), so that all proportions of a document add up to 1.

With --copies=M each token has M topics.  Counts are then of all of them, and the alphas in the proportions are
multiplied by M.

topic_map.csv   The topics as points of a plane, and their tokens: topics whose words are similar are close to each
                other.  x and y are the first two principal coordinates of the Hellinger distances between the topics'
                distributions of words.  Only distances mean something, not the directions of the axes.

topic_words.csv Words by which topics are told apart: topic, word, count (of its tokens those with the topic), and
                all_count (all of its tokens).  A topic has the words that are among its 30 most relevant ones for
                lambda = 0, 0.1, ... or 1, those of the highest counts first.  Relevance is
                lambda log p(word|topic) + (1 - lambda) log (p(word|topic) / p(word)), by shares of tokens.

priors.txt      The sum of all alphas, and beta, the Dirichlet parameter of each word in a topic.
)";

constexpr std::size_t kTopWords = 10, kRelevantWords = 30;

void export_topics(const TrainedModel& model, io::TextWriter out) {
  const auto top = top_words(model, kTopWords);
  for (std::size_t k = 0; k < top.size(); ++k) {
    out << k << "\t" << model.priors.alphas[k] << "\t" << model.totals[k] << "\t" << words_in(model, top[k]) << "\n";
  }
  out.close();
}

void write_map(const TrainedModel& model, io::TextWriter out) {
  out << "topic,x,y,tokens\n";
  const auto points = topic_map(model);
  for (std::size_t k = 0; k < points.size(); ++k)
    out << k << "," << io::six_digits(points[k].x) << "," << io::six_digits(points[k].y) << "," << model.totals[k]
        << "\n";
  out.close();
}

void write_relevant_words(const TrainedModel& model, const std::filesystem::path& file) {
  io::write_csv(file, "topic,word,count,all_count", [&](auto row) {
    std::uint32_t topic = 0;
    for (const auto& words : relevant_words(model, kRelevantWords)) {
      for (const TopWord each : words)
        row(topic, model.vocabulary[each.word], each.count, tokens_of(model.words[each.word]));
      ++topic;
    }
  });
}

void write_words(const TrainedModel& model, io::TextWriter out) {
  for (std::size_t w = 0; w < model.words.size(); ++w) {
    out << model.vocabulary[w];
    for (const TopicCount cell : model.words[w])
      out << " " << std::uint64_t{cell.topic} << ":" << std::uint64_t{cell.count};
    out << "\n";
  }
  out.close();
}

void write_documents(const TrainedModel& model, io::TextWriter out) {
  const Priors all_copies = model.priors.times(model.copies);
  const std::vector<double>& alphas = all_copies.alphas;
  const double alpha_sum = all_copies.alpha_sum();
  for (std::size_t d = 0; d < model.documents.size(); ++d) {
    std::vector<TopicCount> cells = model.documents[d];
    std::ranges::sort(cells, {}, [](TopicCount cell) { return std::pair(-std::int64_t{cell.count}, cell.topic); });
    const double all = static_cast<double>(tokens_of(cells)) + alpha_sum;
    out << std::uint64_t{d + 1};
    for (const TopicCount cell : cells)
      out << " " << std::uint64_t{cell.topic} << ":" << io::six_digits((cell.count + alphas[cell.topic]) / all);
    out << "\n";
  }
  out.close();
}

}  // namespace

void export_text(const Model& model, const std::filesystem::path& folder) {
  const TrainedModel trained = read_model(model, true);
  export_topics(trained, io::TextWriter(folder / "topics.txt"));
  write_words(trained, io::TextWriter(folder / "word_topic.txt"));
  write_documents(trained, io::TextWriter(folder / "doc_topic.txt"));
  write_map(trained, io::TextWriter(folder / "topic_map.csv"));
  write_relevant_words(trained, folder / "topic_words.csv");
  io::write_text(folder / "priors.txt", "alpha_sum " + io::exact_text(trained.priors.alpha_sum()) + "\nbeta " +
                                            io::exact_text(trained.priors.beta) + "\n");
  io::write_text(folder / "README.txt", kReadme);
}

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
