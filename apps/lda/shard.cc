// apps/lda/shard.cc
#include "apps/lda/shard.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "apps/lda/word_topic_slice.h"

namespace rota::lda {

LdaPush::LdaPush(const Job& job, const Settings& settings, const io::CorpusSize& corpus, ShardDocuments documents,
                 std::shared_ptr<const io::Vocabulary> vocabulary)
    : settings_(settings),
      shards_(job.shards),
      corpus_(corpus),
      data_(std::move(documents)),
      vocabulary_(std::move(vocabulary)),
      lengths_(data_.documents),
      totals_(settings.topics, static_cast<double>(corpus.words) * settings.beta, settings.beta, job.shards),
      sampler_(settings.topics, settings.alpha, settings.beta),
      cursors_(job.slices),
      alpha_rise_(settings.alpha),
      alphas_rise_(settings.alpha * settings.topics),
      beta_rise_(settings.beta),
      betas_rise_(settings.beta * static_cast<double>(corpus.words)) {
  for (const io::WordCount& each : data_.counts) lengths_[each.document] += each.count;
  for (const std::uint32_t length : lengths_) tokens_ += length;
  rows_ = DocumentRows(settings.topics, lengths_);
}

void LdaPush::census(Census& weight) const {
  if (weight.size() < corpus_.words) weight.resize(corpus_.words);
  for (const io::WordCount& each : data_.counts) weight[each.word] += each.count;
}

void LdaPush::attach(const Cut& cut) {
  layout_ = TokenLayout(cut, data_.counts);
  replicated_ = cut.replicated;
  cursors_.assign(cut.slices.size(), 0);
  data_.counts = {};
}

Draw LdaPush::draw(Epoch epoch) const {
  if (epoch > 0) return Draw::resample;
  return settings_.online_start ? Draw::first : Draw::first_random;
}

void LdaPush::sample(WordRow& row, const WordTokens& word, Random& random) {
  const std::size_t count = word.end - word.begin;
  sampler_.sample(row, layout_.documents().subspan(word.begin, count), layout_.topics().subspan(word.begin, count),
                  random);
}

std::uint64_t LdaPush::push(SliceId id, Slice& slice, Epoch epoch, const Budget& budget, Random& random) {
  auto& rows = dynamic_cast<WordTopicSlice&>(slice);
  const std::span<const WordTokens> words = layout_.slice(id);
  sampler_.begin(draw(epoch), totals_, rows_);
  std::size_t at = cursors_[id];
  std::uint64_t visited = 0;
  for (std::size_t done = 0; done < words.size(); ++done) {
    if (done > 0 && epoch > 0 && budget.spent()) break;
    sample(rows.row(words[at].row), words[at], random);
    visited += words[at].count();
    at = at + 1 == words.size() ? 0 : at + 1;
  }
  cursors_[id] = static_cast<std::uint32_t>(at);
  return visited;
}

std::uint64_t LdaPush::push(const SharedTask& task, Random& random) {
  sampler_.begin(draw(task.epoch), totals_, rows_);
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
    if (word == words.end() || word->row != row) continue;
    sample_replicated(entry, *word, random);
    visited += word->count();
  }
  if (totals != nullptr) totals_.changes(totals->part);
  return visited;
}

// The part is what this shard changes in its own copy of the row.
void LdaPush::sample_replicated(const Entry& entry, const WordTokens& word, Random& random) {
  WordRow row;
  for (std::uint32_t k = 0; k < settings_.topics; ++k) {
    if (entry.value[k] == 0) continue;
    row.push_back({static_cast<std::uint32_t>(entry.value[k]), static_cast<std::uint16_t>(k)});
    entry.part[k] = -entry.value[k];
  }
  sample(row, word, random);
  for (const TopicCount cell : row) entry.part[cell.topic] += cell.count;
}

void LdaPush::refresh(std::span<const Delta> deltas) {
  for (const Delta& delta : deltas) {
    if (delta.table != kTotals || delta.key != kTopicTotals) continue;
    delta_t_ = totals_.distance(delta.value) / (static_cast<double>(shards_) * static_cast<double>(corpus_.tokens));
    totals_.commit(delta.value);
    rows_.choose_forms();
  }
}

void LdaPush::evaluate(std::span<double> terms) const {
  double doc = 0;
  std::vector<TopicCount> cells;
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    cells.clear();
    rows_.append_counts(d, cells);
    doc -= alphas_rise_(lengths_[d]);
    for (const TopicCount cell : cells) doc += alpha_rise_(cell.count);
  }
  terms[kDocTerm] += doc;
  terms[kDeltaTerm] += delta_t_;
  if (data_.shard != 0) return;
  // The totals' share of the word term is the same for all shards.  The store cannot add it: it does not know V.
  double word = 0;
  for (const std::int64_t total : totals_.committed()) word -= betas_rise_(static_cast<std::uint64_t>(total));
  terms[kWordTerm] += word;
}

void LdaPush::evaluate(SliceId, const Slice& slice, std::span<double> terms) const {
  const auto& rows = dynamic_cast<const WordTopicSlice&>(slice);
  double word = 0;
  std::uint64_t tokens = 0;
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    for (const TopicCount cell : rows.row(i)) {
      word += beta_rise_(cell.count);
      tokens += cell.count;
    }
  }
  terms[kWordTerm] += word;
  terms[kTokensTerm] += static_cast<double>(tokens);
}

void LdaPush::save(Writer& out) const {
  ShardState state;
  state.topics = settings_.topics;
  state.shard = data_.shard;
  state.shards = shards_;
  state.delta_t = delta_t_;
  state.committed.assign(totals_.committed().begin(), totals_.committed().end());
  state.cursors = cursors_;
  state.documents.resize(lengths_.size());
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    state.documents[d].is_list = rows_.is_list(d);
    rows_.append_counts(d, state.documents[d].cells);
  }
  state.token_topics.assign(layout_.topics().begin(), layout_.topics().end());
  state.has_vocabulary = data_.shard == 0;
  if (state.has_vocabulary)
    for (std::size_t w = 0; w < vocabulary_->size(); ++w) state.vocabulary.push_back(vocabulary_->word(w));
  state.encode(out);
}

void LdaPush::restore(Reader& in) {
  const ShardState state = ShardState::decode(in);
  if (!in.ok() || !fits(state)) return in.fail();
  std::copy(state.token_topics.begin(), state.token_topics.end(), layout_.topics().begin());
  if (!restore_rows(state)) return in.fail();
  const std::vector<double> committed(state.committed.begin(), state.committed.end());
  totals_.commit(committed);
  cursors_ = state.cursors;
  delta_t_ = state.delta_t;
}

// Whether a state is of this shard of this data.
bool LdaPush::fits(const ShardState& state) const {
  if (state.topics != settings_.topics || state.shard != data_.shard || state.shards != shards_) return false;
  if (state.documents.size() != lengths_.size() || state.token_topics.size() != tokens_) return false;
  if (state.cursors.size() != cursors_.size()) return false;
  for (SliceId b = 0; b < cursors_.size(); ++b) {
    const std::size_t words = layout_.slice(b).size();
    if (state.cursors[b] >= std::max<std::size_t>(words, 1)) return false;
  }
  std::int64_t total = 0;
  for (const std::int64_t each : state.committed) total += each;
  if (static_cast<std::uint64_t>(total) != corpus_.tokens) return false;
  if (state.has_vocabulary != (data_.shard == 0)) return false;
  if (!state.has_vocabulary) return true;
  if (state.vocabulary.size() != vocabulary_->size()) return false;
  for (std::size_t w = 0; w < state.vocabulary.size(); ++w)
    if (state.vocabulary[w] != vocabulary_->word(w)) return false;
  return true;
}

// The documents' counts must be those of their tokens' topics.
bool LdaPush::restore_rows(const ShardState& state) {
  std::vector<std::size_t> next(lengths_.size() + 1, 0);  // begin of each document's topics, and then their end
  for (std::size_t d = 0; d < lengths_.size(); ++d) next[d + 1] = next[d] + lengths_[d];
  std::vector<std::uint16_t> topics(tokens_);
  for (std::size_t i = 0; i < topics.size(); ++i) topics[next[layout_.documents()[i]]++] = layout_.topics()[i];

  std::vector<std::uint32_t> counts(settings_.topics, 0);
  std::size_t begin = 0;
  for (std::size_t d = 0; d < lengths_.size(); ++d) {
    std::uint64_t sum = 0;
    bool right = true;
    for (; begin < next[d]; ++begin) ++counts[topics[begin]];
    for (const TopicCount cell : state.documents[d].cells) {
      right = right && std::exchange(counts[cell.topic], 0U) == cell.count;
      sum += cell.count;
    }
    // Equal in every topic of the list and in the sum, so in all topics.
    if (!right || sum != lengths_[d]) return false;
    if (!rows_.assign(d, state.documents[d].is_list, state.documents[d].cells)) return false;
  }
  return true;
}

}  // namespace rota::lda
