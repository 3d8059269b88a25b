// apps/lda/plugin.cc -- latent Dirichlet allocation by collapsed Gibbs sampling.  README.md has the mathematics.
#include "rota/plugin.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"
#include "apps/lda/corpus.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/push.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/schedule.h"
#include "apps/lda/settings.h"

namespace rota::lda {
namespace {

// Totals and replicated words are sums of the shards' parts; the priors are learned from the notes of all shards.
class LdaPull final : public AddPull {
 public:
  void pull(const PullTask& task) override {
    if (task.table == kTotals) return AddPull::pull(task);
    auto all = read_fields<PriorStatistics>(task.notes[0]);
    for (const Bytes& note : task.notes.subspan(1)) all.add(read_fields<PriorStatistics>(note));
    const Priors priors = learned_priors(all, task.argument.as<WhichPriors>());
    const std::span<double> row = task.entries[0].value;
    std::ranges::copy(priors.alphas, row.begin());
    row.back() = priors.beta;
  }
};

class LdaApp final : public PackedApp<Corpus, ShardDocuments> {
 public:
  explicit LdaApp(const Job& job) : PackedApp(job), settings_(settings_of(job.options)) {}

  Loaded read(std::span<const ShardId> hosted) const override { return load_corpus(job_, settings_, hosted); }
  std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override {
    vocabulary_ = std::move(loaded.common.vocabulary);
    repeat_tokens(settings_.copies, loaded.common, loaded.hosted);
    std::shared_ptr<const OldModel> old_model;
    if (job_.initial != nullptr)
      old_model = std::make_shared<const OldModel>(read_model(*job_.initial, false), settings_.topics, vocabulary_);
    std::vector<std::unique_ptr<Push>> shards;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      shards.push_back(
          std::make_unique<LdaPush>(job_, settings_, loaded.common, hosted[i], std::move(loaded.hosted[i]), old_model));
    return shards;
  }

  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t topics = settings_.topics;
    return {
        {.name = "word_topic", .kind = Table::Kind::sliced},
        {.name = "totals", .keys = kFirstReplicated + facts.count("words"), .row_width = topics, .part_width = topics},
        {.name = "priors", .keys = 1, .row_width = topics + 1, .single_partition = true}};
  }

  std::vector<Term> terms() const override {
    using enum Term::Kind;
    std::vector<Term> terms = {{"doc", objective}, {"word", objective}, {"delta_t", report}, {"tokens", conserved}};
    if (settings_.held_out) terms.insert(terms.end(), {{"valid_loss", report}, {"valid_tokens", report}});
    return terms;
  }
  std::vector<Score> scores() const override {
    if (!settings_.held_out) return {};
    return {{"valid_perplexity", "valid_loss", "valid_tokens", Score::Scale::exp_mean, Score::Better::smaller, true}};
  }
  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    return std::make_unique<LdaSchedule>(job_, settings_, facts.count("tokens"));
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<LdaPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<WordTopicSlice>(keys.size(), settings_.topics);
  }
  void save_common(Writer& out) const override { write_fields(out, vocabulary_); }

 private:
  Settings settings_;
  std::vector<std::string> vocabulary_;
};

constexpr std::string_view kPackedOptions[] = {"format", "target", "separator", "missing", "index_from", "vocab"};

}  // namespace
}  // namespace rota::lda

ROTA_APP(
    rota::lda::LdaApp, .name = "lda", .summary = "topic model: latent Dirichlet allocation by collapsed Gibbs sampling",
    .items = "tokens", .options = rota::declared_options<rota::lda::Settings>(), .starting_pass = true,
    .takes_model = true, .packed_format = 3, .packed_options = rota::lda::kPackedOptions,
    .check = [](const rota::Options& options) { (void)rota::lda::settings_of(options); },
    .framework_needs = rota::kSynchronous, .choose_shards = rota::lda::choose_shards,
    .export_text = rota::lda::export_text, .commands = rota::lda::commands());
