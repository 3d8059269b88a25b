// apps/lda/settings.cc
#include "apps/lda/settings.h"

#include "apps/lda/priors/priors.h"
#include "rota/error.h"

namespace rota::lda {
namespace {

constexpr Option kOptions[] = {
    integer_option("topics", "100", "topics", 2, 65535, "Number of topics, K."),
    real_option("alpha", "", "", 1e-9, 1e6,
                "Dirichlet parameter of each topic in a document (0.1 unless alpha_sum is given)."),
    real_option("alpha_sum", "", "", 1e-9, 1e6,
                "Sum of the topics' Dirichlet parameters in a document, instead of alpha."),
    real_option("beta", "0.01", "", 1e-9, 1e6, "Dirichlet parameter of each word in a topic."),
    integer_option("learn_alpha", "0", "epochs", 0, 1e9,
                   "Re-estimate alpha, for each topic, every N epochs; 0: never."),
    {.name = "symmetric_alpha",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Learn one alpha for all topics."},
    integer_option("learn_beta", "0", "epochs", 0, 1e9, "Re-estimate beta every N epochs; 0: never."),
    integer_option("burn_in", "5", "epochs", 0, 1e9, "The last epoch without re-estimates of alpha and beta.",
                   {"--learn_alpha or --learn_beta",
                    [](const Options& options) {
                      return options.integer("learn_alpha") > 0 || options.integer("learn_beta") > 0;
                    }}),
    integer_option("valid_every", "1", "epochs", 1, 1e9, "Epochs between scores of the held-out documents.",
                   {"--valid", [](const Options& options) { return options.has("valid"); }}),
    {.name = "vocab",
     .kind = Option::Kind::path,
     .meaning = "File with the words, one a line in the order of their ids."},
    kFormatOption,
    {.name = "start",
     .kind = Option::Kind::choice,
     .default_value = "online",
     .unit = "online|random",
     .meaning = "First topics of the tokens: drawn from the counts so far, or uniformly.",
     .needs = {"jobs without --init_model", [](const Options& options) { return !options.has("init_model"); }}},
    integer_option("top_words", "10", "words", 1, 1000, "Number of words that the text export lists for a topic."),
};

constexpr double kDefaultAlpha = 0.1;

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

void check(const Options& options) {
  if (options.has("alpha") && options.has("alpha_sum"))
    throw UsageError("--alpha and --alpha_sum exclude each other: alpha_sum is alpha times the number of topics");
  if (options.has("alpha_sum") && !is_prior(options.real("alpha_sum") / static_cast<double>(options.integer("topics"))))
    throw UsageError("--alpha_sum: with that number of topics, each has less than 1e-9");
  if (options.flag("symmetric_alpha") && options.integer("learn_alpha") == 0)
    throw UsageError("--symmetric_alpha requires --learn_alpha: without it all topics have one alpha anyway");
}

Settings settings_of(const Options& options) {
  Settings settings;
  const auto whole = [&](std::string_view name) { return static_cast<std::uint32_t>(options.integer(name)); };
  settings.topics = whole("topics");
  settings.alpha = options.has("alpha")       ? options.real("alpha")
                   : options.has("alpha_sum") ? options.real("alpha_sum") / settings.topics
                                              : kDefaultAlpha;
  settings.alpha_given = options.has("alpha") || options.has("alpha_sum");
  settings.beta = options.real("beta");
  settings.learn_alpha = whole("learn_alpha");
  settings.learn_beta = whole("learn_beta");
  settings.symmetric_alpha = options.flag("symmetric_alpha");
  settings.burn_in = whole("burn_in");
  settings.held_out = options.has("valid");
  settings.valid_every = whole("valid_every");
  settings.online_start = options.text("start") != "random";
  settings.format = io::corpus_format(options.text("format"));
  settings.vocabulary = options.text("vocab");
  settings.top_words = static_cast<std::size_t>(options.integer("top_words"));
  return settings;
}

}  // namespace rota::lda
