// apps/lda/commands/predict.cc -- `rota predict lda`: the topics of new documents.
#include <algorithm>
#include <cmath>
#include <map>
#include <ostream>
#include <utility>

#include "apps/lda/commands/commands.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"
#include "rota/settings.h"

namespace rota::lda {

std::vector<double> fold_in(const TrainedModel& model, const NewDocument& document, std::uint32_t iterations,
                            double tolerance) {
  const std::vector<double>& alphas = model.priors.alphas;
  const std::size_t topics = alphas.size();
  double length = 0;
  std::map<std::uint32_t, double> counts;
  for (const auto& [word, count] : document) {
    counts[word] += count;
    length += count;
  }
  struct Word {
    double count;
    std::vector<double> phi, r;
  };
  std::vector<Word> words;
  for (const auto& [word, count] : counts) {
    words.push_back({count, std::vector<double>(topics), std::vector<double>(topics, 1 / static_cast<double>(topics))});
    phi_of_word(model, word, words.back().phi);
  }
  std::vector<double> m(topics, length / static_cast<double>(topics)), shares(topics), weights(topics);
  const double all = length + model.priors.alpha_sum();
  // Returns how much the share that changes most has changed.
  const auto update_shares = [&] {
    double moved = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      const double before = std::exchange(shares[k], (std::max(m[k], 0.0) + alphas[k]) / all);
      moved = std::max(moved, std::abs(shares[k] - before));
    }
    return moved;
  };
  update_shares();
  for (std::uint32_t i = 0; i < iterations; ++i) {
    for (auto& [count, phi, r] : words) {
      double sum = 0;
      for (std::size_t k = 0; k < topics; ++k) {
        weights[k] = (std::max(m[k] - r[k], 0.0) + alphas[k]) * phi[k];
        sum += weights[k];
      }
      for (std::size_t k = 0; k < topics; ++k) {
        const double now = weights[k] / sum;
        m[k] += count * (now - r[k]);
        r[k] = now;
      }
    }
    if (update_shares() <= tolerance) break;
  }
  return shares;
}

namespace {

bool as_list(const Options& options) {
  return options.text("layout") == "list";
}

struct Predict {
  io::CorpusForm form;
  bool table = false;
  double least_share = 0.01, tolerance = 1e-4;
  std::uint32_t most_topics = 0, iterations = 100;

  void options(auto& list) {
    list.all_of(form);
    list.choice("layout", table, {{"list", false}, {"table", true}},
                "Each document's topics, largest first; or a column for each topic, with tabs.");
    list.number("least_share", least_share, "", 0, 1, "Topics of a smaller share are not listed.").needs = {
        "--layout=list", as_list};
    list.number("most_topics", most_topics, "topics", 0, 65535, "The most topics listed for a document; 0: all.")
        .needs = {"--layout=list", as_list};
    list.number("iterations", iterations, "iterations", 1, 1e6, "The most iterations for a document.");
    list.number("tolerance", tolerance, "", 0, 1, "A document is done when no share changes by more in an iteration.");
  }
};

void predict(const Call& call, std::ostream& out) {
  const auto settings = rota::settings_of<Predict>(call.options);
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments read = read_new_documents(call.input, settings.form, model.vocabulary);
  out << "# " << read.documents.size() << " documents, " << read.tokens << " tokens; " << read.unknown
      << " more are of words that the model does not have\n";
  const std::size_t topics = model.totals.size();
  if (settings.table) {
    out << "document";
    for (std::size_t k = 0; k < topics; ++k) out << '\t' << k;
    out << '\n';
  }
  const std::size_t most = settings.most_topics > 0 ? settings.most_topics : topics;
  for (std::size_t d = 0; d < read.documents.size(); ++d) {
    const std::vector<double> shares = fold_in(model, read.documents[d], settings.iterations, settings.tolerance);
    out << d + 1;
    for (std::size_t k = 0; settings.table && k < topics; ++k) out << '\t' << io::six_digits(shares[k]);
    if (!settings.table)
      for (const std::uint32_t k : io::largest(topics, most, [&](auto i) { return shares[i]; }))
        if (shares[k] >= settings.least_share) out << ' ' << k << ':' << io::six_digits(shares[k]);
    out << '\n';
  }
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "prints the topics of new documents, a line for each",
          .options = declared_options<Predict>(),
          .run = predict,
          .takes_input = true};
}

}  // namespace rota::lda
