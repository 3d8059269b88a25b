// apps/lda/plugin.cc -- latent Dirichlet allocation by collapsed Gibbs sampling.  README.md has the mathematics.
#include "rota/plugin.h"

#include "apps/lda/corpus.h"
#include "apps/lda/export.h"
#include "apps/lda/pull.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard.h"
#include "apps/lda/show.h"
#include "apps/lda/word_topic_slice.h"
#include "rota/rotation.h"

namespace rota::lda {
namespace {

std::vector<Table> tables(const Job& job) {
  const std::uint32_t topics = settings_of(job.options).topics;
  return {{.name = "word_topic", .kind = Table::Kind::sliced},
          // How many words there are only the input says, so room is left for all that may be.
          {.name = "totals",
           .kind = Table::Kind::shared,
           .keys = kFirstReplicated + io::kMostWords,
           .row_width = topics,
           .part_width = topics}};
}

std::vector<Term> terms(const Job&) {
  return {{"doc", Term::Kind::objective},
          {"word", Term::Kind::objective},
          {"delta_t", Term::Kind::report},
          {"tokens", Term::Kind::conserved}};
}

std::unique_ptr<Schedule> schedule(const Job& job) {
  return std::make_unique<RotationSchedule>(
      job, RotationSchedule::Shared{.table = kTotals, .totals = {kTopicTotals}, .first_replicated = kFirstReplicated});
}

std::vector<std::unique_ptr<Push>> load(const Job& job, std::span<const ShardId> hosted) {
  const Settings settings = settings_of(job.options);
  Corpus corpus = load_corpus(job, settings, hosted);
  std::vector<std::unique_ptr<Push>> shards;
  for (ShardDocuments& documents : corpus.hosted) {
    const auto vocabulary = documents.shard == 0 ? corpus.vocabulary : nullptr;
    shards.push_back(std::make_unique<LdaPush>(job, settings, corpus.size, std::move(documents), vocabulary));
  }
  return shards;
}

std::unique_ptr<Pull> pull(const Job& job) {
  return std::make_unique<LdaPull>(settings_of(job.options));
}

std::unique_ptr<Slice> slice(const Job& job, std::span<const Key> keys) {
  return std::make_unique<WordTopicSlice>(keys.size(), settings_of(job.options).topics);
}

Plugin plugin() {
  static const Command kCommands[] = {
      {.name = "show", .summary = "prints the topics with their top words", .options = show_options(), .run = show}};
  return {.name = "lda",
          .summary = "topic model: latent Dirichlet allocation by collapsed Gibbs sampling",
          .items = "tokens",
          .options = options(),
          .starting_pass = true,
          .check = check,
          .tables = tables,
          .terms = terms,
          .schedule = schedule,
          .load = load,
          .pull = pull,
          .slice = slice,
          .export_text = export_text,
          .commands = kCommands};
}

}  // namespace
}  // namespace rota::lda

ROTA_PLUGIN(rota::lda::plugin);
