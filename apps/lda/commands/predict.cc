// apps/lda/commands/predict.cc -- `rota predict lda`: the topics of new documents.
#include <algorithm>
#include <numeric>
#include <ostream>
#include <vector>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"
#include "apps/lda/held_out/fold_in.h"
#include "rota/io/number_text.h"

namespace rota::lda {

namespace {

constexpr Needs kList = {"--layout=list", [](const Options& options) { return options.text("layout") == "list"; }};
constexpr Option kPredictOptions[] = {
    kFormatOption,
    {.name = "layout",
     .kind = Option::Kind::choice,
     .default_value = "list",
     .unit = "list|table",
     .meaning = "Each document's topics, largest first; or a column for each topic, with tabs."},
    real_option("least_share", "0.01", "", 0, 1, "Topics of a smaller share are not listed.", kList),
    integer_option("most_topics", "0", "topics", 0, 65535, "The most topics listed for a document; 0: all.", kList),
    integer_option("iterations", "100", "iterations", 1, 1e6, "The most iterations for a document."),
    real_option("tolerance", "0.0001", "", 0, 1, "A document is done when no share changes by more in an iteration."),
};

void write_list(std::span<const double> shares, double least, std::size_t most, std::ostream& out) {
  std::vector<std::size_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  if (most > 0) order.resize(std::min(most, order.size()));
  for (const std::size_t k : order)
    if (shares[k] >= least) out << ' ' << k << ':' << io::six_digits(shares[k]);
}

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments read = read_new_documents(call.input, call.options.text("format"), model.vocabulary);
  const bool table = call.options.text("layout") == "table";
  const double least = call.options.real("least_share");
  const auto most = static_cast<std::size_t>(call.options.integer("most_topics"));
  FoldIn fold_in(model, static_cast<std::uint32_t>(call.options.integer("iterations")), call.options.real("tolerance"));

  out << "# " << read.documents.size() << " documents, " << read.tokens << " tokens; " << read.unknown
      << " more are of words that the model does not have\n";
  if (table) {
    out << "document";
    for (std::size_t k = 0; k < model.totals.size(); ++k) out << '\t' << k;
    out << '\n';
  }
  for (std::size_t d = 0; d < read.documents.size(); ++d) {
    const std::span<const double> shares = fold_in.shares(read.documents[d]);
    out << d + 1;
    if (!table) write_list(shares, least, most, out);
    for (std::size_t k = 0; table && k < shares.size(); ++k) out << '\t' << io::six_digits(shares[k]);
    out << '\n';
  }
}

}  // namespace

Command predict_command() {
  return {.name = "predict",
          .summary = "prints the topics of new documents, a line for each",
          .options = kPredictOptions,
          .run = predict,
          .takes_input = true};
}

}  // namespace rota::lda
