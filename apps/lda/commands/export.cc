// apps/lda/commands/export.cc -- a model as text files; kReadme describes them.
#include <algorithm>
#include <string_view>
#include <utility>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"

namespace rota::lda {
namespace {

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

priors.txt      The sum of all alphas, and beta, the Dirichlet parameter of each word in a topic.
)";

constexpr std::size_t kTopWords = 10;

void write_topics(const TrainedModel& model, io::TextWriter out) {
  const auto top = top_words(model, kTopWords);
  for (std::size_t k = 0; k < top.size(); ++k) {
    out << k << "\t" << model.priors.alphas[k] << "\t" << model.totals[k] << "\t" << words_in(model, top[k]) << "\n";
  }
  out.close();
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
  write_topics(trained, io::TextWriter(folder / "topics.txt"));
  write_words(trained, io::TextWriter(folder / "word_topic.txt"));
  write_documents(trained, io::TextWriter(folder / "doc_topic.txt"));
  io::write_text(folder / "priors.txt", "alpha_sum " + io::exact_text(trained.priors.alpha_sum()) + "\nbeta " +
                                            io::exact_text(trained.priors.beta) + "\n");
  io::write_text(folder / "README.txt", kReadme);
}

}  // namespace rota::lda
