// apps/lda/commands/evaluate.cc -- `rota evaluate lda`: the probability of new documents under a model, as JSON.
#include <cmath>
#include <ostream>
#include <vector>

#include "apps/lda/commands/commands.h"
#include "apps/lda/held_out/left_to_right.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/seed_mixer.h"

namespace rota::lda {

namespace {

constexpr Option kEvaluateOptions[] = {
    kFormatOption,
    integer_option("particles", "20", "particles", 1, 1e6, "Particles of the left-to-right estimator."),
    {.name = "resample",
     .kind = Option::Kind::flag,
     .default_value = "true",
     .meaning = "Draw all topics again before every token: more accurate, and much slower for long documents."},
    {.name = "per_document",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "List every document's log-probability too."},
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds give equal estimates."),
};

void evaluate(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments read = read_new_documents(call.input, call.options.text("format"), model.vocabulary);
  if (read.tokens == 0) throw DataError(call.input.front(), 0, "the model has none of the words");
  const auto particles = static_cast<std::uint32_t>(call.options.integer("particles"));
  const bool resample = call.options.flag("resample");
  const auto seed = static_cast<std::uint64_t>(call.options.integer("seed"));
  LeftToRight estimator(model, particles, resample);
  double sum = 0;
  std::vector<double> log_p;
  for (std::size_t d = 0; d < read.documents.size(); ++d) {
    // Each document has its own random numbers, so its estimate does not depend on the others.
    Random random = random_named({seed, d});
    log_p.push_back(estimator.log_probability(read.documents[d], random));
    sum += log_p.back();
  }
  const double per_token = sum / static_cast<double>(read.tokens);
  out << "{\n  \"method\": \"left-to-right\",\n  \"particles\": " << particles
      << ",\n  \"resample\": " << (resample ? "true" : "false") << ",\n  \"documents\": " << read.documents.size()
      << ",\n  \"tokens\": " << read.tokens << ",\n  \"unknown_tokens\": " << read.unknown
      << ",\n  \"log_probability\": " << io::exact_text(sum) << ",\n  \"per_token\": " << io::exact_text(per_token)
      << ",\n  \"perplexity\": " << io::exact_text(std::exp(-per_token));
  if (call.options.flag("per_document")) {
    out << ",\n  \"log_probability_of_document\": [";
    for (std::size_t d = 0; d < log_p.size(); ++d) out << (d == 0 ? "" : ", ") << io::exact_text(log_p[d]);
    out << "]";
  }
  out << "\n}\n";
}

}  // namespace

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "estimates the probability of new documents, left to right, as JSON",
          .options = kEvaluateOptions,
          .run = evaluate,
          .takes_input = true};
}

}  // namespace rota::lda
