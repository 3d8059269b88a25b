// apps/lda/push.h -- one data shard: collapsed Gibbs sampling of its tokens in the rounds of a rotation.
#pragma once
#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "apps/lda/corpus.h"
#include "apps/lda/held_out.h"
#include "apps/lda/priors/log_likelihood.h"
#include "apps/lda/priors/priors.h"
#include "apps/lda/sampler/cell_sampler.h"
#include "apps/lda/sampler/document_rows.h"
#include "apps/lda/sampler/shard_tokens.h"
#include "apps/lda/sampler/topic_totals.h"
#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/schedule.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "apps/lda/warm_start.h"
#include "rota/numerics/seed_mixer.h"
#include "rota/push.h"

namespace rota::lda {

// Words between prefetching a row and using it; twice that for its address.
inline constexpr std::size_t kWordsAhead = 4;
// Prefetches a row: rows of words are anywhere in memory, and are used so rarely that they are in no cache.
inline void ask_for(const WordRow& row) {
  constexpr std::size_t kLine = 64 / sizeof(TopicCount), kMost = 8 * kLine;
  const TopicCount* const begin = row.data();
  for (std::size_t i = 0; i < row.size() && i < kMost; i += kLine) __builtin_prefetch(begin + i, 1);
}

inline std::vector<std::uint32_t> lengths_of(const Documents& documents) {
  std::vector<std::uint32_t> lengths(documents.number);
  for (const io::WordCount& each : documents.counts) lengths[each.document] += each.count;
  return lengths;
}

class LdaPush final : public SlicePush<WordTopicSlice>, public SharedPush {
 public:
  // `old_model` is null if there is no warm start.
  LdaPush(const Job& job, const Settings& settings, const Corpus& corpus, ShardId shard, ShardDocuments documents,
          std::shared_ptr<const OldModel> old_model)
      : settings_(settings),
        seed_(job.seed),
        shards_(job.shards),
        words_(corpus.words),
        corpus_tokens_(corpus.tokens),
        with_sample_(begins_with_sample(job, settings, corpus.tokens)),
        document_length_(static_cast<double>(corpus.tokens) / settings.copies / static_cast<double>(corpus.documents)),
        items_(documents.items()),
        shard_(shard),
        data_(std::move(documents)),
        totals_(settings.topics, 0, 0),
        sampler_(settings.priors(), job.shards > 1 && !is_small(corpus.tokens, settings.topics, job.shards)),
        prior_terms_(settings.priors(), words_, settings.copies),
        old_model_(std::move(old_model)),
        phi_(padded(settings.topics)) {
    Priors priors = settings.priors();
    if (old_model_ != nullptr && !settings.alpha) priors.alphas = old_model_->priors().alphas;
    set_priors(priors);
  }

  std::uint64_t items() const override { return items_; }
  void facts(Facts& facts) const override {
    facts.largest("words", static_cast<double>(words_));
    facts.largest("tokens", static_cast<double>(corpus_tokens_));
  }
  void census(Census& weight) const override {
    if (weight.size() < words_) weight.resize(words_);
    for (const io::WordCount& each : data_.train.counts) weight[each.word] += each.count;
  }
  void attach(const Shape& shape) override {
    speaks_for_all_ = shape.speaks_for_all;
    tokens_ = ShardTokens(shape.cut, data_.train.counts, with_sample_);
    std::vector<std::uint32_t> lengths = lengths_of(data_.train);
    data_.train = {};  // before the rows take memory
    documents_ = DocumentRows(settings_.topics, std::move(lengths), lists_words());
    const Documents& held_out = data_.held_out;
    held_out_ = HeldOut(priors_, seed_, shard_, shards_, held_out.number, shape.cut, held_out.counts);
    cursors_.assign(shape.cut.slices.size(), 0);
    data_ = {};
  }

  std::uint64_t push(const SliceTask& task, WordTopicSlice& rows, Random& random) override {
    const std::vector<WordTokens>& words = tokens_.groups()[task.slice];
    const Pass pass = task.epoch == 0 ? task.argument.as<Turn>().pass : Pass::all;
    begin(task.epoch, pass);
    Random own = stream_of(pass, random);
    const bool limited = task.epoch > 0;
    std::size_t at = cursors_[task.slice];
    std::uint64_t visited = 0;
    for (std::size_t done = 0; done < words.size(); ++done) {
      if (done > 0 && limited && task.budget.spent()) break;
      if (at + 2 * kWordsAhead < words.size()) __builtin_prefetch(&rows.row(words[at + 2 * kWordsAhead].row), 1);
      if (at + kWordsAhead < words.size()) ask_for(rows.row(words[at + kWordsAhead].row));
      visited += set_topics(rows.row(words[at].row), words[at], own);
      at = at + 1 == words.size() ? 0 : at + 1;
    }
    sampler_.finish();
    cursors_[task.slice] = static_cast<std::uint32_t>(at);
    for (const WordTokens& word : held_out_.groups()[task.slice]) visit_held_out(word, rows.row(word.row));
    if (settings_.learned(epoch_).beta && task.last_visit)
      for (std::size_t i = 0; i < rows.rows(); ++i)
        for (const TopicCount cell : rows.row(i)) visited_.add(cell.count);
    return visited;
  }

  // The shared rounds: the totals with the replicated words, and the statistics for the priors.
  std::uint64_t push(const SharedTask& task, Random& random) override {
    if (task.table == kPriors) {
      epoch_ = task.epoch;
      write_fields(task.note, statistics(task.argument.as<WhichPriors>()));
      return 0;
    }
    const auto turn = task.argument.as<Turn>();
    begin(task.epoch, turn.pass);
    std::uint64_t visited = 0;
    for (const Entry& entry : task.entries)
      if (entry.key != kTopicTotals && turn.is_of(shard_)) visited += push_replicated(entry, random);
    for (const Entry& entry : task.entries)
      if (entry.key == kTopicTotals) totals_.changes(entry.part);  // complete only after all words
    if (epoch_ > 0 && turn.ends_epoch()) score_ = held_out_.end_epoch();
    return visited;
  }

  void refresh(const Commit& commit) override {
    if (commit.table == kPriors && !commit.deltas.empty()) {
      const std::span<const double> value = commit.deltas[0].value;
      set_priors({{value.begin(), value.end() - 1}, value.back()});
    }
    if (commit.table != kTotals) return;
    replicated_counts_ = {};
    for (const Delta& delta : commit.deltas) {
      if (delta.key == kTopicTotals) {
        delta_t_ = totals_.distance(delta.value) / (static_cast<double>(shards_) * static_cast<double>(corpus_tokens_));
        totals_.commit(delta.value);
        if (commit.argument.as<Turn>().ends_pass()) documents_.choose_forms();
      } else if (speaks_for_all_) {
        for (const double count : delta.value) replicated_counts_.add(static_cast<std::uint32_t>(count));
      }
    }
  }

  void evaluate(Terms terms) const override {
    double doc = 0;
    std::vector<TopicCount> cells;
    for (std::size_t d = 0; d < documents_.lengths().size(); ++d) {
      documents_.counts_of(d, cells);
      doc -= prior_terms_.alpha_sum(documents_.lengths()[d]);
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
  void evaluate_slice(SliceId, const WordTopicSlice& rows, Terms terms) const override {
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

  void state(Archive& list) override {
    ShardState state;
    if (!list.reads()) {
      state = saved();
      // The size of the largest part, reserved at once: a buffer that grows is copied again and again.
      Writer& out = *list.writer();
      out.reserve(out.view().size() + 2 * state.tokens.of_tokens.size() + 8 * state.documents.size());
    }
    list(state);
    if (list.reads()) list.check(list.ok() && restore(state));
  }
  bool restores_in_place() const override { return true; }

 private:
  // Whether n_k is updated within a task.  With one shard it is then exact; with several it lags anyway, which matters
  // little if topics are large.
  bool exact_totals() const {
    return shards_ == 1 || (is_small(corpus_tokens_, settings_.topics, shards_) && !lists_words());
  }
  // Whether documents have whole rows, so that words may be listed (cell_kernel.cc).
  bool lists_words() const {
    return shards_ > 1 && settings_.topics > kWholePhi && settings_.topics <= 8 * document_length_;
  }
  void begin(Epoch epoch, Pass pass) {
    epoch_ = epoch;
    pass_ = pass;
    if (old_model_ == nullptr)
      sample_with(sampled_beta(settings_.start, epoch, priors_.beta, document_length_, settings_.alpha_sum()));
    Draw draw = exact_totals() ? Draw::resample_exact : Draw::resample;
    if (pass == Pass::rest)
      draw = lists_words() ? Draw::first_fixed : Draw::first;
    else if (epoch == 0 && (pass == Pass::all || pass == Pass::sample))
      draw = settings_.start == Start::random ? Draw::first_random : Draw::first;
    sampler_.begin(draw, totals_, documents_);
  }
  // A visit's stream is the same in all passes of an epoch, so each has its own.
  static Random stream_of(Pass pass, const Random& random) {
    return pass == Pass::all ? random : random_named({Random(random)(), static_cast<std::uint64_t>(pass)});
  }
  // The topics of the tokens that a word has in this shard and pass; returns their number.
  std::uint32_t set_topics(WordRow& row, const WordTokens& word, Random& random) {
    if (epoch_ == 0 && old_model_ != nullptr) {
      const Priors of_all = priors_.times(settings_.copies);
      old_model_->draw(word, of_all.alphas, row, tokens_, documents_, totals_, random);
      return word.count();
    }
    const std::uint32_t begin = pass_ == Pass::rest ? word.sample_end : word.begin;
    const std::uint32_t end = pass_ == Pass::rest || pass_ == Pass::all ? word.end : word.sample_end;
    if (begin == end) return 0;
    sampler_.add(row, tokens_.documents().subspan(begin, end - begin), tokens_.topics().subspan(begin, end - begin),
                 random, tokens_.documents().size() - end);
    return end - begin;
  }
  // The part is this shard's change of its own copy of the row.
  std::uint64_t push_replicated(const Entry& entry, Random& random) {
    WordRow row;
    for (std::uint32_t k = 0; k < settings_.topics; ++k) {
      if (entry.value[k] == 0) continue;
      row.push_back({static_cast<std::uint32_t>(entry.value[k]), static_cast<std::uint16_t>(k)});
      entry.part[k] = -entry.value[k];
    }
    const WordTokens* const word = find_word(tokens_.replicated(), entry.key - kFirstReplicated);
    const std::uint64_t visited = word == nullptr ? 0 : set_topics(row, *word, random);
    sampler_.finish();
    for (const TopicCount cell : row) entry.part[cell.topic] += cell.count;
    const WordTokens* const held_out = find_word(held_out_.groups().back(), entry.key - kFirstReplicated);
    if (held_out != nullptr) visit_held_out(*held_out, row);
    return visited;
  }
  void visit_held_out(const WordTokens& word, const WordRow& row) {
    if (epoch_ == 0) return;
    sample_with(priors_.beta);
    totals_.phi_of(row, phi_);
    held_out_.visit(word, phi_);
  }

  // This shard's histograms, as far as they are needed, and what all shards know.
  PriorStatistics statistics(WhichPriors which) {
    PriorStatistics its;
    its.topic_counts.resize(settings_.topics);
    std::vector<TopicCount> cells;
    for (std::size_t d = 0; which.alpha && d < documents_.lengths().size(); ++d) {
      documents_.counts_of(d, cells);
      for (const TopicCount cell : cells) its.topic_counts[cell.topic].add(cell.count);
      its.document_lengths.add(documents_.lengths()[d]);
    }
    its.word_counts = std::exchange(visited_, {});
    if (which.beta && speaks_for_all_) its.word_counts.add(replicated_counts_);
    its.words = words_;
    its.totals = totals_.committed();
    its.priors = priors_;
    return its;
  }
  void set_priors(const Priors& priors) {
    priors_ = priors;
    set_sampled(priors);
    prior_terms_ = PriorTerms(priors_, words_, settings_.copies);
    held_out_.set_priors(priors_);
  }

  // Another beta than the priors' until the next call; not between begin() and finish() of the sampler.
  void sample_with(double beta) {
    if (beta != sampled_beta_) set_sampled({priors_.alphas, beta});
  }
  void set_sampled(const Priors& priors) {
    const Priors of_all = priors.times(settings_.copies);
    sampler_.set_priors(of_all);
    totals_.set_beta(of_all.beta * static_cast<double>(words_), of_all.beta);
    sampled_beta_ = priors.beta;
  }

  ShardState saved() const {
    ShardState state{delta_t_,           totals_.committed(),  cursors_, {}, {}, priors_,
                     replicated_counts_, held_out_.expected(), score_};
    state.tokens.of_tokens.assign(tokens_.topics().begin(), tokens_.topics().end());
    std::vector<TopicCount> cells;  // with room for all topics, so each document gets a copy
    for (std::size_t d = 0; d < documents_.lengths().size(); ++d) {
      documents_.counts_of(d, cells);
      state.documents.push_back(cells);
    }
    return state;
  }
  // False if it is not the state of this shard and its data.
  bool restore(const ShardState& state) {
    const std::vector<std::uint16_t>& topics = state.tokens.of_tokens;
    if (state.committed.size() != settings_.topics || topics.size() != tokens_.topics().size()) return false;
    if (std::accumulate(state.committed.begin(), state.committed.end(), std::uint64_t{0}) != corpus_tokens_)
      return false;
    if (state.documents.size() != documents_.lengths().size() || state.cursors.size() != cursors_.size()) return false;
    for (SliceId b = 0; b < cursors_.size(); ++b)
      if (state.cursors[b] > 0 && state.cursors[b] >= tokens_.groups()[b].size()) return false;
    // The rows must be those of the tokens' topics: their number, and a sum over hashes of the topics, are the same.
    std::vector<std::uint64_t> sums(state.documents.size());
    for (std::size_t i = 0; i < topics.size(); ++i) sums[tokens_.documents()[i]] += mixed({topics[i]});
    for (std::size_t d = 0; d < sums.size(); ++d) {
      std::uint64_t length = 0, sum = 0;
      for (const TopicCount cell : state.documents[d]) {
        length += cell.count;
        sum += cell.count * mixed({cell.topic});
      }
      if (length != documents_.lengths()[d] || sum != sums[d]) return false;
      documents_.assign(d, state.documents[d]);
    }
    if (!held_out_.set_expected(state.held_out)) return false;
    std::ranges::copy(topics, tokens_.topics().begin());
    totals_.commit(std::vector<double>(state.committed.begin(), state.committed.end()));
    set_priors(state.priors);
    cursors_ = state.cursors;
    delta_t_ = state.delta_t;
    visited_ = {};
    replicated_counts_ = state.replicated;
    score_ = state.score;
    return true;
  }

  Settings settings_;
  std::uint64_t seed_;
  std::uint32_t shards_;
  std::uint64_t words_, corpus_tokens_;
  bool with_sample_;
  double document_length_;  // the mean, without copies
  std::uint64_t items_;
  ShardId shard_;
  ShardDocuments data_;          // until the tokens are laid out
  bool speaks_for_all_ = false;  // whether it reports the replicated words, which are common to all

  // The sampler and its counts.
  ShardTokens tokens_;
  DocumentRows documents_;
  TopicTotals totals_;
  CellSampler sampler_;
  Epoch epoch_ = 0;
  Pass pass_ = Pass::all;
  std::vector<std::uint32_t> cursors_;  // of each slice: the word with which its next visit begins
  double delta_t_ = 0;                  // this shard's summand, at the last commit
  CountHistogram replicated_counts_;    // committed n_wk of the replicated words, the same for all shards

  // The priors.
  Priors priors_;  // of one copy of each token; counts are those of all copies
  double sampled_beta_ = 0;
  PriorTerms prior_terms_;  // of the likelihood
  CountHistogram visited_;  // n_wk of the slices visited for the last time in an epoch that learns beta

  std::shared_ptr<const OldModel> old_model_;

  HeldOut held_out_;
  HeldOutScore score_;      // of this shard, in the last epoch
  std::vector<float> phi_;  // of one word: scratch for held-out documents
};

}  // namespace rota::lda
