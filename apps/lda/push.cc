#include "apps/lda/push.h"

#include <utility>

namespace rota::lda {
namespace {

constexpr std::size_t kWordsAhead = 4;  // words between prefetching a row and using it; twice that for its address

// Prefetches a row: rows of words are anywhere in memory, and are used so rarely that they are in no cache.
void ask_for(const WordRow& row) {
  constexpr std::size_t kLine = 64 / sizeof(TopicCount), kMost = 8 * kLine;
  const TopicCount* const begin = row.data();
  for (std::size_t i = 0; i < row.size() && i < kMost; i += kLine) __builtin_prefetch(begin + i, 1);
}

}  // namespace

LdaPush::LdaPush(const Job& job, const Settings& settings, const Corpus& corpus, ShardId shard,
                 ShardDocuments documents, std::shared_ptr<const OldModel> old_model)
    : settings_(settings),
      shards_(job.shards),
      slices_(job.slices),
      words_(corpus.words),
      corpus_tokens_(corpus.tokens),
      shard_(shard),
      data_(std::move(documents)),
      priors_(settings.priors()),
      tokens_(settings.topics, data_.train.number, data_.train.counts),
      totals_(settings.topics, 0, 0),
      sampler_(priors_, !exact_totals()),
      prior_terms_(priors_, words_, settings.copies),
      held_out_(priors_, job.seed, shard_, job.shards, data_.held_out.number, data_.held_out.counts),
      phi_(padded(settings.topics)) {
  data_.held_out = {};
  set_priors(priors_);
  if (old_model == nullptr) return;
  if (!settings.alpha_given) set_priors({old_model->priors().alphas, settings.beta});
  warm_start_.emplace(std::move(old_model), settings.topics);
}

void LdaPush::census(Census& weight) const {
  if (weight.size() < words_) weight.resize(words_);
  for (const io::WordCount& each : data_.train.counts) weight[each.word] += each.count;
}

void LdaPush::attach(const Shape& shape) {
  speaks_for_all_ = shape.speaks_for_all;
  const Cut& cut = shape.cut;
  tokens_.attach(cut, data_.train.counts);
  held_out_.attach(cut);
  replicated_ = cut.replicated;
  if (warm_start_) warm_start_->attach(cut);
  cursors_.assign(cut.slices.size(), 0);
  data_.train.counts = {};
}

void LdaPush::begin(Epoch epoch) {
  epoch_ = epoch;
  from_old_model_ = epoch == 0 && warm_start_.has_value();
  sampler_.begin(draw(), totals_, tokens_.rows());
}

Draw LdaPush::draw() const {
  if (epoch_ > 0) return exact_totals() ? Draw::resample_exact : Draw::resample;
  return settings_.online_start ? Draw::first : Draw::first_random;
}

void LdaPush::set_topics(WordRow& row, const WordTokens& word, Key number, Random& random) {
  if (!from_old_model_) return sample(row, word, random);
  warm_start_->draw(row, word, number, priors_.times(settings_.copies).alphas, tokens_, totals_, random);
}

void LdaPush::sample(WordRow& row, const WordTokens& word, Random& random) {
  TokenLayout& layout = tokens_.layout();
  sampler_.add(row, layout.documents().subspan(word.begin, word.count()),
               layout.topics().subspan(word.begin, word.count()), random, layout.documents().size() - word.end);
}

std::uint64_t LdaPush::push(const SliceTask& task, WordTopicSlice& rows, Random& random) {
  const SliceId id = task.slice;
  const std::span<const WordTokens> words = tokens_.layout().slice(id);
  begin(task.epoch);
  const bool limited = task.epoch > 0;
  std::size_t at = cursors_[id];
  std::uint64_t visited = 0;
  for (std::size_t done = 0; done < words.size(); ++done) {
    if (done > 0 && limited && task.budget.spent()) break;
    const std::uint32_t row = words[at].row;
    if (at + 2 * kWordsAhead < words.size()) __builtin_prefetch(&rows.row(words[at + 2 * kWordsAhead].row), 1);
    if (at + kWordsAhead < words.size()) ask_for(rows.row(words[at + kWordsAhead].row));
    set_topics(rows.row(row), words[at], warm_start_ ? warm_start_->word_of(id, row) : 0, random);
    visited += words[at].count();
    at = at + 1 == words.size() ? 0 : at + 1;
  }
  sampler_.finish();
  cursors_[id] = static_cast<std::uint32_t>(at);
  const std::span<const std::uint32_t> held_out = held_out_.rows(id);
  for (std::size_t i = 0; i < held_out.size(); ++i) visit_held_out(id, i, rows.row(held_out[i]));
  if (settings_.learns_beta(epoch_) && task.last_visit)
    for (std::size_t i = 0; i < rows.rows(); ++i)
      for (const TopicCount cell : rows.row(i)) visited_.add(cell.count);
  return visited;
}

// `group` is the slice, or the number of slices for the replicated words.
void LdaPush::visit_held_out(SliceId group, std::size_t i, const WordRow& row) {
  if (epoch_ == 0) return;
  totals_.phi_of(row, phi_);
  held_out_.visit(group, i, phi_, settings_.scores(epoch_));
}

void LdaPush::set_priors(const Priors& priors) {
  priors_ = priors;
  const Priors of_all = priors_.times(settings_.copies);
  sampler_.set_priors(of_all);
  totals_.set_beta(of_all.beta * static_cast<double>(words_), of_all.beta);
  prior_terms_ = PriorTerms(priors_, words_, settings_.copies);
  held_out_.set_priors(priors_);
}

void LdaPush::evaluate(Terms terms) const {
  double doc = 0;
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; d < tokens_.lengths().size(); ++d) {
    tokens_.counts_of(d, cells);
    doc -= prior_terms_.alpha_sum(tokens_.lengths()[d]);
    for (const TopicCount cell : cells) doc += prior_terms_.alpha(cell.topic, cell.count);
  }
  terms["doc"] += doc;
  terms["delta_t"] += delta_t_;
  if (settings_.held_out) {
    terms["valid_loss"] -= score_.log_probability;
    terms["valid_tokens"] += score_.tokens;
  }
  if (!speaks_for_all_) return;
  // Computed here by one shard, because the store knows neither V nor the learned beta.
  double word = 0, tokens = 0;
  for (const std::int64_t total : totals_.committed()) word -= prior_terms_.v_beta(static_cast<std::uint64_t>(total));
  replicated_counts_.for_each([&](std::uint32_t count, std::uint64_t times) {
    word += static_cast<double>(times) * prior_terms_.beta(count);
    tokens += static_cast<double>(times * count);
  });
  terms["word"] += word;
  terms["tokens"] += tokens;
}

void LdaPush::evaluate_slice(SliceId, const WordTopicSlice& rows, Terms terms) const {
  double word = 0;
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const TopicCount cell : rows.row(i)) {
      word += prior_terms_.beta(cell.count);
      tokens += cell.count;
    }
  }
  terms["word"] += word;
  terms["tokens"] += static_cast<double>(tokens);
}

}  // namespace rota::lda
