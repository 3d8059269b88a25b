// apps/lda/push_shared.cc -- a shard's part of shared rounds: totals, replicated words and the statistics for the
// priors.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "apps/lda/push.h"

namespace rota::lda {

std::uint64_t LdaPush::push(const SharedTask& task, Random& random) {
  begin(task.epoch);
  if (task.table == kTotals) return push_totals(task, random);
  if (task.table == kPriors) send_statistics(task);
  return 0;
}

std::uint64_t LdaPush::push_totals(const SharedTask& task, Random& random) {
  // The keys of the entries may be in any order; the topic totals are complete only after all words.
  const Turn turn(task.argument);
  const Entry* totals = nullptr;
  std::uint64_t visited = 0;
  for (const Entry& entry : task.entries) {
    if (entry.key == kTopicTotals) {
      totals = &entry;
      continue;
    }
    if (!turn.is_of(shard_)) continue;
    const auto found = std::lower_bound(replicated_.begin(), replicated_.end(), entry.key - kFirstReplicated);
    if (found == replicated_.end() || *found != entry.key - kFirstReplicated)
      throw std::logic_error("shared row " + std::to_string(entry.key) + " is not a replicated word");
    const auto row = static_cast<std::uint32_t>(found - replicated_.begin());
    const auto words = tokens_.layout().replicated();
    const auto word = std::lower_bound(words.begin(), words.end(), row,
                                       [](const WordTokens& each, std::uint32_t wanted) { return each.row < wanted; });
    const bool has_tokens = word != words.end() && word->row == row;
    set_topics_replicated(entry, has_tokens ? *word : WordTokens{row, 0, 0}, random);
    visited += has_tokens ? word->count() : 0;
  }
  if (totals != nullptr) totals_.changes(totals->part);
  if (epoch_ > 0 && turn.ends_epoch()) score_ = held_out_.end_epoch();
  return visited;
}

// The part is this shard's change of its own copy of the row.
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

// Sends a shard's histograms, if they are needed, and from one shard the common data.
void LdaPush::send_statistics(const SharedTask& task) {
  const bool alpha = task.argument.size() == 2 && task.argument[0] != 0;
  const bool beta = task.argument.size() == 2 && task.argument[1] != 0;
  PriorStatistics statistics;
  statistics.topic_counts.resize(settings_.topics);
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; alpha && d < tokens_.lengths().size(); ++d) {
    tokens_.counts_of(d, cells);
    for (const TopicCount cell : cells) statistics.topic_counts[cell.topic].add(cell.count);
    statistics.document_lengths.add(tokens_.lengths()[d]);
  }
  CountHistogram visited = std::exchange(visited_, {});
  if (beta) statistics.word_counts = std::move(visited);
  if (speaks_for_all_) {
    if (beta) statistics.word_counts.add(replicated_counts_);
    statistics.common = {words_, {totals_.committed().begin(), totals_.committed().end()}, priors_};
  }
  write_fields(task.note, statistics);
}

void LdaPush::refresh(const Commit& commit) {
  if (commit.table == kTotals) return commit_totals(commit);
  if (commit.deltas.empty()) return;
  const std::span<const double> value = commit.deltas[0].value;
  if (commit.table == kPriors) set_priors({{value.begin(), value.end() - 1}, value.back()});
}

void LdaPush::commit_totals(const Commit& commit) {
  CountHistogram replicated;
  for (const Delta& delta : commit.deltas) {
    if (delta.key == kTopicTotals) {
      delta_t_ = totals_.distance(delta.value) / (static_cast<double>(shards_) * static_cast<double>(corpus_tokens_));
      totals_.commit(delta.value);
      if (Turn(commit.argument).ends_epoch()) tokens_.rows().choose_forms();
    } else if (speaks_for_all_) {
      for (const double count : delta.value) replicated.add(static_cast<std::uint32_t>(count));
    }
  }
  replicated_counts_ = std::move(replicated);
}

}  // namespace rota::lda
