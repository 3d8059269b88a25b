// apps/lda/settings.cc
#include "apps/lda/settings.h"

#include "rota/error.h"

namespace rota::lda {
namespace {

constexpr Option kOptions[] = {
    {.name = "topics",
     .kind = Option::Kind::integer,
     .default_value = "100",
     .unit = "topics",
     .meaning = "Number of topics, K.",
     .least = 2,
     .most = 65535},
    {.name = "alpha",
     .kind = Option::Kind::real,
     .meaning = "Dirichlet parameter of each topic in a document (0.1 unless alpha_sum is given).",
     .least = 1e-9,
     .most = 1e6},
    {.name = "alpha_sum",
     .kind = Option::Kind::real,
     .meaning = "Sum of the topics' Dirichlet parameters in a document, instead of alpha.",
     .least = 1e-9,
     .most = 1e6},
    {.name = "beta",
     .kind = Option::Kind::real,
     .default_value = "0.01",
     .meaning = "Dirichlet parameter of each word in a topic.",
     .least = 1e-9,
     .most = 1e6},
    {.name = "vocab",
     .kind = Option::Kind::path,
     .meaning = "File with the words, one a line in the order of their ids."},
    {.name = "format",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|uci|text",
     .meaning = "Format of the input: UCI bag-of-words, or text with one document a line."},
    {.name = "start",
     .kind = Option::Kind::choice,
     .default_value = "online",
     .unit = "online|random",
     .meaning = "First topics of the tokens: drawn from the counts so far, or uniformly."},
    {.name = "top_words",
     .kind = Option::Kind::integer,
     .default_value = "10",
     .unit = "words",
     .meaning = "Number of words that the text export lists for a topic.",
     .least = 1,
     .most = 1000},
};

constexpr double kDefaultAlpha = 0.1;

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

void check(const Options& options) {
  if (options.has("alpha") && options.has("alpha_sum"))
    throw UsageError("--alpha and --alpha_sum exclude each other: alpha_sum is alpha times the number of topics");
  if (options.has("valid")) throw UsageError("--valid: lda has no held-out evaluation yet");
}

Settings settings_of(const Options& options) {
  Settings settings;
  settings.topics = static_cast<std::uint32_t>(options.integer("topics"));
  settings.alpha = options.has("alpha")       ? options.real("alpha")
                   : options.has("alpha_sum") ? options.real("alpha_sum") / settings.topics
                                              : kDefaultAlpha;
  settings.beta = options.real("beta");
  settings.online_start = options.text("start") != "random";
  settings.format = io::corpus_format(options.text("format"));
  settings.vocabulary = options.text("vocab");
  settings.top_words = static_cast<std::size_t>(options.integer("top_words"));
  return settings;
}

}  // namespace rota::lda
