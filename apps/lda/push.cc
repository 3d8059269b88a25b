#include "apps/lda/push.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "apps/lda/priors/prior_statistics.h"

namespace rota::lda {

LdaPush::LdaPush(const Job& job, const Settings& settings, const io::CorpusSize& corpus, ShardDocuments documents,
                 std::shared_ptr<const io::Vocabulary> vocabulary, std::shared_ptr<const OldModel> old_model)
    : settings_(settings),
      shards_(job.shards),
      slices_(job.slices),
      corpus_(corpus),
      data_(std::move(documents)),
      vocabulary_(std::move(vocabulary)),
      old_model_(std::move(old_model)),
      priors_(settings.priors()),
      lengths_(data_.documents),
      totals_(settings.topics, static_cast<double>(corpus.words) * settings.beta, settings.beta, job.shards),
      sampler_(priors_, job.shards > 1),  // with one shard n_k are to be exact; with several they are behind anyway
      cursors_(job.slices),
      rises_(priors_, corpus.words),
      held_out_(priors_, job.seed, data_.shard, job.shards, data_.held_out_documents, data_.held_out),
      early_stop_(settings.patience),
      phi_(padded(settings.topics)),
      more_(settings.topics) {
  for (const io::WordCount& each : data_.counts) lengths_[each.document] += each.count;
  for (const std::uint32_t length : lengths_) tokens_ += length;
  rows_ = DocumentRows(settings.topics, lengths_, mh_rule(settings.sampler));
  data_.held_out = {};
  if (old_model_ && !settings.alpha_given) set_priors({old_model_->priors().alphas, settings.beta});
}

void LdaPush::census(Census& weight) const {
  if (weight.size() < corpus_.words) weight.resize(corpus_.words);
  for (const io::WordCount& each : data_.counts) weight[each.word] += each.count;
}

void LdaPush::attach(const Cut& cut) {
  std::vector<bool> is_mh(lengths_.size());
  for (std::size_t d = 0; d < is_mh.size(); ++d) is_mh[d] = rows_.is_mh(d);
  layout_ = TokenLayout(cut, data_.counts, is_mh);
  mh_documents_ = DocumentTokens(lengths_, is_mh, layout_.documents());
  held_out_.attach(cut);
  replicated_ = cut.replicated;
  if (old_model_) slice_words_ = cut.slices;
  cursors_.assign(cut.slices.size(), 0);
  data_.counts = {};
}

void LdaPush::begin(Epoch epoch) {
  epoch_ = epoch;
  assignment_ = epoch == 0 && old_model_ ? Assignment::warm_start
                : early_stop_.over()     ? Assignment::rollback
                                         : Assignment::gibbs;
  sampler_.begin(draw(), totals_, rows_, mh_documents_);
}

Draw LdaPush::draw() const {
  if (epoch_ > 0) return Draw::resample;
  return settings_.online_start ? Draw::first : Draw::first_random;
}

void LdaPush::set_topics(WordRow& row, const WordTokens& word, Key number, Random& random) {
  if (assignment_ == Assignment::gibbs) {
    // The starting pass is exact: from worse topics Metropolis-Hastings steps take many epochs.
    const bool mh = mh_documents_.ready() && word.mh < word.end;
    const std::span<const std::uint32_t> places = mh_documents_.places();
    const auto mh_places = mh ? places.subspan(word.mh, word.end - word.mh) : places.first(0);
    sampler_.add(row, layout_.documents().subspan(word.begin, word.count()),
                 layout_.topics().subspan(word.begin, word.count()), mh_places, random);
    return;
  }
  for (const TopicCount cell : row) more_[cell.topic] += cell.count;
  if (assignment_ == Assignment::rollback)
    put_back(word);
  else
    draw_from_old_model(word, number, random);
  row.clear();
  for (std::uint32_t k = 0; k < settings_.topics; ++k)
    if (const std::int64_t count = std::exchange(more_[k], 0))
      row.push_back({static_cast<std::uint32_t>(count), static_cast<std::uint16_t>(k)});
}

void LdaPush::put_back(const WordTokens& word) {
  for (std::uint32_t i = word.begin; i < word.end; ++i) {
    const std::uint16_t best = best_topics_[i], now = std::exchange(layout_.topics()[i], best);
    --more_[now], totals_.add(now, -1);
    ++more_[best], totals_.add(best, 1);
  }
}

void LdaPush::draw_from_old_model(const WordTokens& word, Key number, Random& random) {
  std::vector<double> phi(settings_.topics), upto(settings_.topics), document(settings_.topics);
  std::vector<TopicCount> cells;
  old_model_->phi(static_cast<std::uint32_t>(number), phi);
  for (std::uint32_t i = word.begin; i < word.end; ++i) {
    const std::uint32_t d = layout_.documents()[i];
    cells.clear();
    rows_.append_counts(d, cells);
    for (const TopicCount cell : cells) document[cell.topic] = cell.count;
    const std::uint16_t topic = draw_topic(document, priors_.alphas, phi, upto, random.uniform());
    for (const TopicCount cell : cells) document[cell.topic] = 0;
    layout_.topics()[i] = topic;
    rows_.add(d, topic);
    ++more_[topic], totals_.add(topic, 1);
  }
}

std::uint64_t LdaPush::push(SliceId id, Slice& slice, Epoch epoch, const Budget& budget, Random& random) {
  auto& rows = dynamic_cast<WordTopicSlice&>(slice);
  const std::span<const WordTokens> words = layout_.slice(id);
  begin(epoch);
  const bool limited = epoch > 0 && assignment_ == Assignment::gibbs;
  std::size_t at = cursors_[id];
  std::uint64_t visited = 0;
  for (std::size_t done = 0; done < words.size(); ++done) {
    if (done > 0 && limited && budget.spent()) break;
    const std::uint32_t row = words[at].row;
    set_topics(rows.row(row), words[at], slice_words_.empty() ? 0 : slice_words_[id][row], random);
    visited += words[at].count();
    at = at + 1 == words.size() ? 0 : at + 1;
  }
  sampler_.finish();
  cursors_[id] = static_cast<std::uint32_t>(at);
  const std::span<const std::uint32_t> held_out = held_out_.rows(id);
  for (std::size_t i = 0; i < held_out.size(); ++i) visit_held_out(id, i, rows.row(held_out[i]));
  note_word_counts(id, rows);
  return visited;
}

// `group` is the slice, or behind them the replicated words.
void LdaPush::visit_held_out(SliceId group, std::size_t i, const WordRow& row) {
  if (epoch_ == 0 || assignment_ != Assignment::gibbs) return;
  std::copy_n(totals_.phi(), phi_.size(), phi_.begin());
  const auto beta = static_cast<float>(priors_.beta);
  for (const TopicCount cell : row)
    phi_[cell.topic] = (static_cast<float>(cell.count) + beta) * totals_.inverse()[cell.topic];
  held_out_.visit(group, i, phi_, settings_.scores(epoch_));
}

// The last slices_ / shards_ steps of an epoch are the last visits to all slices (rota/rotation.h).
void LdaPush::note_word_counts(SliceId id, const WordTopicSlice& rows) {
  if (assignment_ != Assignment::gibbs || !settings_.learns_beta(epoch_)) return;
  const std::uint32_t per_shard = slices_ / shards_;
  const std::uint32_t step = (id + slices_ - per_shard * data_.shard) % slices_;
  if (step + per_shard < slices_) return;
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (const TopicCount cell : rows.row(i)) word_counts_.add(cell.count);
}

std::uint64_t LdaPush::push(const SharedTask& task, Random& random) {
  begin(task.epoch);
  if (task.table == kTotals) return push_totals(task, random);
  if (task.table == kPriors) tell_statistics(task);
  if (task.table == kScores && !task.entries.empty()) {
    task.entries[0].part[0] = score_.log_probability;
    task.entries[0].part[1] = score_.tokens;
  }
  return 0;
}

std::uint64_t LdaPush::push_totals(const SharedTask& task, Random& random) {
  // Entries come with the keys ascending or not; the topic totals are part of the answer only after all words.
  const Entry* totals = nullptr;
  std::uint64_t visited = 0;
  for (const Entry& entry : task.entries) {
    if (entry.key == kTopicTotals) {
      totals = &entry;
      continue;
    }
    const auto found = std::lower_bound(replicated_.begin(), replicated_.end(), entry.key - kFirstReplicated);
    if (found == replicated_.end() || *found != entry.key - kFirstReplicated)
      throw std::logic_error("shared row " + std::to_string(entry.key) + " is no replicated word");
    const auto row = static_cast<std::uint32_t>(found - replicated_.begin());
    const auto words = layout_.replicated();
    const auto word = std::lower_bound(words.begin(), words.end(), row,
                                       [](const WordTokens& each, std::uint32_t wanted) { return each.row < wanted; });
    const bool has_tokens = word != words.end() && word->row == row;
    set_topics_replicated(entry, has_tokens ? *word : WordTokens{row, 0, 0, 0}, random);
    visited += has_tokens ? word->count() : 0;
  }
  if (totals != nullptr) totals_.changes(totals->part);
  if (assignment_ == Assignment::rollback) rebuild_rows();
  if (epoch_ > 0 && assignment_ == Assignment::gibbs) score_ = held_out_.end_epoch();
  return visited;
}

// The part is what this shard changes in its own copy of the row.
void LdaPush::set_topics_replicated(const Entry& entry, const WordTokens& word, Random& random) {
  WordRow row;
  for (std::uint32_t k = 0; k < settings_.topics; ++k) {
    if (entry.value[k] == 0) continue;
    row.push_back({static_cast<std::uint32_t>(entry.value[k]), static_cast<std::uint16_t>(k)});
    entry.part[k] = -entry.value[k];
  }
  if (word.count() > 0) set_topics(row, word, entry.key - kFirstReplicated, random);
  sampler_.finish();
  for (const TopicCount cell : row) entry.part[cell.topic] += cell.count;
  const std::span<const std::uint32_t> held_out = held_out_.rows(slices_);
  const auto at = std::lower_bound(held_out.begin(), held_out.end(), word.row);
  if (at != held_out.end() && *at == word.row)
    visit_held_out(slices_, static_cast<std::size_t>(at - held_out.begin()), row);
}

// A shard's histograms, if they are wanted; and from shard 0 what all shards know.
void LdaPush::tell_statistics(const SharedTask& task) {
  const bool alpha = task.argument.size() == 2 && task.argument[0] != 0;
  const bool beta = task.argument.size() == 2 && task.argument[1] != 0;
  PriorStatistics statistics;
  statistics.topic_counts.resize(settings_.topics);
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; alpha && d < lengths_.size(); ++d) {
    cells.clear();
    rows_.append_counts(d, cells);
    for (const TopicCount cell : cells) statistics.topic_counts[cell.topic].add(cell.count);
    statistics.document_lengths.add(lengths_[d]);
  }
  if (beta) statistics.word_counts = std::move(word_counts_);
  word_counts_ = {};
  statistics.has_common = data_.shard == 0;
  if (statistics.has_common) {
    if (beta) statistics.word_counts.add(replicated_counts_);
    statistics.words = corpus_.words;
    for (const std::int64_t total : totals_.committed()) statistics.totals.push_back(static_cast<std::uint64_t>(total));
    statistics.priors = priors_;
  }
  statistics.encode(task.note);
}

void LdaPush::refresh(const Commit& commit) {
  if (commit.table == kTotals) return commit_totals(commit);
  if (commit.deltas.empty()) return;
  const std::span<const double> value = commit.deltas[0].value;
  if (commit.table == kScores) commit_score(value);
  if (commit.table == kPriors) set_priors({{value.begin(), value.end() - 1}, value.back()});
}

void LdaPush::commit_totals(const Commit& commit) {
  if (data_.shard == 0) replicated_counts_ = {};
  for (const Delta& delta : commit.deltas) {
    if (delta.key == kTopicTotals) {
      delta_t_ = totals_.distance(delta.value) / (static_cast<double>(shards_) * static_cast<double>(corpus_.tokens));
      totals_.commit(delta.value);
      rows_.choose_forms();
      if (!mh_documents_.ready()) mh_documents_.assign(layout_.topics());
    } else if (data_.shard == 0) {
      for (const double count : delta.value) replicated_counts_.add(static_cast<std::uint32_t>(count));
    }
  }
}

void LdaPush::commit_score(std::span<const double> value) {
  score_ = {value[0], value[1]};
  const bool best = early_stop_.add(score_);
  if (settings_.patience == 0) return;
  if (best) {
    best_topics_.assign(layout_.topics().begin(), layout_.topics().end());
    best_priors_ = priors_;
  }
  if (!early_stop_.over()) return;
  // The next epoch brings the best model back, and this is its score.
  score_.log_probability = early_stop_.best() * score_.tokens;
  set_priors(best_priors_);
}

void LdaPush::set_priors(const Priors& priors) {
  priors_ = priors;
  sampler_.set_priors(priors_);
  totals_.set_beta(priors_.beta * static_cast<double>(corpus_.words), priors_.beta);
  rises_ = PriorTerms(priors_, corpus_.words);
  held_out_.set_priors(priors_);
}

void LdaPush::evaluate(std::span<double> terms) const {
  double doc = 0;
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    cells.clear();
    rows_.append_counts(d, cells);
    doc -= rises_.alpha_sum(lengths_[d]);
    for (const TopicCount cell : cells) doc += rises_.alpha(cell.topic, cell.count);
  }
  terms[kDocTerm] += doc;
  terms[kDeltaTerm] += delta_t_;
  if (data_.shard != 0) return;
  // What is the same for all shards, and the store cannot add: it knows neither V nor the learned beta.
  double word = 0, tokens = 0;
  for (const std::int64_t total : totals_.committed()) word -= rises_.v_beta(static_cast<std::uint64_t>(total));
  replicated_counts_.for_each([&](std::uint32_t count, std::uint64_t times) {
    word += static_cast<double>(times) * rises_.beta(count);
    tokens += static_cast<double>(times * count);
  });
  terms[kWordTerm] += word;
  terms[kTokensTerm] += tokens;
  if (!settings_.held_out || score_.tokens == 0) return;
  terms[kPerplexityTerm] += std::exp(-score_.log_per_token());
  terms[kScoresTerm] += 1;
}

void LdaPush::evaluate(SliceId, const Slice& slice, std::span<double> terms) const {
  const auto& rows = dynamic_cast<const WordTopicSlice&>(slice);
  double word = 0;
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const TopicCount cell : rows.row(i)) {
      word += rises_.beta(cell.count);
      tokens += cell.count;
    }
  }
  terms[kWordTerm] += word;
  terms[kTokensTerm] += static_cast<double>(tokens);
}

}  // namespace rota::lda
