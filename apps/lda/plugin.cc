// apps/lda/plugin.cc -- latent Dirichlet allocation by collapsed Gibbs sampling.  README.md has the mathematics.
#include "rota/plugin.h"

#include <numeric>

#include "apps/lda/commands/commands.h"
#include "apps/lda/commands/trained_model.h"
#include "apps/lda/corpus.h"
#include "apps/lda/pull.h"
#include "apps/lda/push.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/schedule.h"
#include "apps/lda/settings.h"

namespace rota::lda {
namespace {

class LdaApp final : public App {
 public:
  explicit LdaApp(const Job& job) : job_(job), settings_(settings_of(job.options)) {}

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    Corpus corpus = job_.packed == nullptr ? load_corpus(job_, settings_, hosted) : unpack_corpus(job_, hosted);
    vocabulary_ = corpus.vocabulary;
    std::shared_ptr<const OldModel> old_model;
    if (job_.initial != nullptr)
      old_model = std::make_shared<const OldModel>(read_model(*job_.initial, false), settings_.topics, *vocabulary_);
    std::vector<std::unique_ptr<Push>> shards;
    for (ShardDocuments& documents : corpus.hosted)
      shards.push_back(std::make_unique<LdaPush>(job_, settings_, corpus.size, std::move(documents), old_model));
    return shards;
  }

  void pack(DataPacker& out) override {
    std::vector<ShardId> all(job_.shards);
    std::iota(all.begin(), all.end(), ShardId{0});
    pack_corpus(load_corpus(job_, settings_, all), out);
  }

  std::vector<Table> tables(const Facts& facts) const override {
    const std::uint32_t topics = settings_.topics;
    return {
        {.name = "word_topic", .kind = Table::Kind::sliced},
        {.name = "totals", .keys = kFirstReplicated + facts.count("words"), .row_width = topics, .part_width = topics},
        {.name = "priors", .keys = 1, .row_width = topics + 1, .single_partition = true}};
  }

  std::vector<Term> terms() const override {
    std::vector<Term> terms = {{"doc", Term::Kind::objective},
                               {"word", Term::Kind::objective},
                               {"delta_t", Term::Kind::report},
                               {"tokens", Term::Kind::conserved}};
    if (settings_.held_out) {
      terms.push_back({"valid_loss", Term::Kind::report});
      terms.push_back({"valid_tokens", Term::Kind::report});
    }
    return terms;
  }

  std::vector<Score> scores() const override {
    if (!settings_.held_out) return {};
    return {{.name = "valid_perplexity",
             .term = "valid_loss",
             .count = "valid_tokens",
             .scale = Score::Scale::exp_mean,
             .held_out = true}};
  }

  std::unique_ptr<Schedule> schedule(const Facts& facts, Share) const override {
    return std::make_unique<LdaSchedule>(job_, settings_, facts.count("tokens"));
  }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<LdaPull>(settings_); }
  std::unique_ptr<Slice> slice(std::span<const Key> keys) const override {
    return std::make_unique<WordTopicSlice>(keys.size(), settings_.topics);
  }
  void save_common(Writer& out) const override {  // the words, as the field of a std::vector<std::string>
    out.put_varint(vocabulary_->size());
    for (std::size_t w = 0; w < vocabulary_->size(); ++w) out.put_text(vocabulary_->word(w));
  }

 private:
  Job job_;
  Settings settings_;
  std::shared_ptr<const io::Vocabulary> vocabulary_;
};

Plugin plugin() {
  static constexpr std::string_view kPackedOptions[] = {"format", "vocab"};
  static const Command kCommands[] = {show_command(),     predict_command(), evaluate_command(), diagnostics_command(),
                                      pyldavis_command(), convert_command(), generate_command()};
  return {.name = "lda",
          .summary = "topic model: latent Dirichlet allocation by collapsed Gibbs sampling",
          .items = "tokens",
          .options = options(),
          .starting_pass = true,
          .sliced = true,
          .takes_model = true,
          .packed_format = 2,
          .packed_options = kPackedOptions,
          .check = check,
          .framework_needs = kSynchronous,
          .choose_shards = choose_shards,
          .app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<LdaApp>(job); },
          .export_text = export_text,
          .commands = kCommands};
}

}  // namespace
}  // namespace rota::lda

ROTA_PLUGIN(rota::lda::plugin);
