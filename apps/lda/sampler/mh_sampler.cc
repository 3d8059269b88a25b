// apps/lda/sampler/mh_sampler.cc -- a token's visit is spread over the loop: first its proposals are drawn and their
// memory is prefetched, then the counts of the proposed topics, and last the token moves.
#include "apps/lda/sampler/mh_sampler.h"

#include "rota/seed_mixer.h"

namespace rota::lda {
namespace {

// Tokens between the first stage of a visit and the last, and the stage between them.
constexpr std::uint32_t kRing = 16;
constexpr std::uint32_t kCountsAfter = 8;

float inverse_of(const Cell& cell, std::int64_t total) {
  return 1.0F / static_cast<float>(static_cast<double>(total) + cell.v_beta);
}

}  // namespace

struct MhSampler::Visit {
  // The addresses of the proposed topics, whose values may change until they are read.
  const std::uint16_t* from_document[kMhPairs];
  const std::uint16_t* from_word[kMhPairs];
  float document_chance[kMhPairs], word_chance[kMhPairs];  // in [0, 1)
  std::uint16_t direct[2 * kMhPairs];                      // proposals that are not copied from another token
  std::uint32_t document;
  std::uint32_t old;
};

// All counts are without the token itself.
struct MhSampler::Current {
  std::uint32_t topic;
  float of_word;  // n_wk + beta
  float inverse;  // 1 / (n_k + V beta)
  float weight;   // n_dk + alpha_k, negative if not known yet
};

void MhSampler::set_priors(const Priors& priors) {
  const auto topics = static_cast<double>(priors.topics());
  alpha_sum_ = priors.alpha_sum();
  beta_sum_ = priors.beta * topics;
  topics_per_alpha_ = topics / alpha_sum_;
  topics_per_beta_ = topics / beta_sum_;
  alphas_.clear();
  if (priors.symmetric()) return;
  for (std::uint32_t k = 0; k < priors.topics(); ++k) alphas_.add(static_cast<std::uint16_t>(k), priors.alphas[k]);
  alphas_.finish();
}

void MhSampler::begin(DocumentRows& rows, DocumentTokens& documents) {
  rows_ = &rows;
  documents_ = &documents;
}

void MhSampler::begin_cell(Side& side, const WordRow& row, std::span<std::uint16_t> token_topics) {
  token_topics_ = token_topics;
  others_.clear();
  std::uint64_t in_row = 0;
  for (const TopicCount each : row) in_row += each.count;
  if (in_row == token_topics.size()) return;
  const auto count_own = [&](std::uint32_t by) {
    for (const std::uint16_t topic : token_topics) side.word[topic] += by;
  };
  count_own(~0U);
  for (const TopicCount each : row)
    if (side.word[each.topic] != 0) others_.add(each.topic, side.word[each.topic]);
  count_own(1);
  others_.finish();
}

// `share` is in [0, 1).
const std::uint16_t* MhSampler::from_document(const Cell& cell, std::uint32_t document, double share,
                                              std::uint16_t& direct) {
  const std::uint32_t begin = documents_->begins()[document];
  const auto length = static_cast<double>(documents_->begins()[document + 1] - begin);
  const double at = share * (length + alpha_sum_);
  if (at < length) return documents_->topics() + begin + static_cast<std::uint32_t>(at);
  if (cell.alphas != nullptr) return alphas_.draw(at - length);
  const auto topic = static_cast<std::uint32_t>((at - length) * topics_per_alpha_);
  direct = static_cast<std::uint16_t>(topic < cell.topics ? topic : cell.topics - 1);
  return &direct;
}

const std::uint16_t* MhSampler::from_word(const Cell& cell, double share, std::uint16_t& direct) {
  const auto own = static_cast<double>(token_topics_.size());
  const double others = others_.total();
  const double at = share * (own + others + beta_sum_);
  if (at < own) return token_topics_.data() + static_cast<std::uint32_t>(at);
  if (at - own < others) return others_.draw(at - own);
  const auto topic = static_cast<std::uint32_t>((at - own - others) * topics_per_beta_);
  direct = static_cast<std::uint16_t>(topic < cell.topics ? topic : cell.topics - 1);
  return &direct;
}

void MhSampler::prepare(const Cell& cell, const Side& side, std::uint32_t i, std::uint32_t place, Visit& visit) {
  visit.document = side.documents[i];
  visit.old = side.token_topics[i];
  std::uint64_t state = side.draws[i];
  // 40 bits choose, and 24 accept.
  const auto share = [](std::uint64_t bits) {
    return static_cast<double>(static_cast<std::int64_t>(bits >> 24)) * 0x1p-40;
  };
  const auto chance = [](std::uint64_t bits) {
    return static_cast<float>(static_cast<std::int32_t>(bits & 0xffffff)) * 0x1p-24F;
  };
  for (std::uint32_t pair = 0; pair < kMhPairs; ++pair) {
    const std::uint64_t first = next_mixed(state), second = next_mixed(state);
    visit.document_chance[pair] = chance(first);
    visit.from_document[pair] = from_document(cell, visit.document, share(first), visit.direct[2 * pair]);
    __builtin_prefetch(visit.from_document[pair]);
    visit.word_chance[pair] = chance(second);
    visit.from_word[pair] = from_word(cell, share(second), visit.direct[2 * pair + 1]);
  }
  __builtin_prefetch(documents_->topics() + place, 1);
}

// Inlined because the compiler treats a function that only prefetches as one without effect.
[[gnu::always_inline]] inline void MhSampler::prefetch_counts(const Visit& visit) {
  __builtin_prefetch(rows_->place(visit.document, visit.old), 1);
  for (const std::uint16_t* const from : visit.from_word) __builtin_prefetch(rows_->place(visit.document, *from), 1);
}

void MhSampler::finish(Cell& cell, Side& side, std::uint32_t i, std::uint32_t place, const Visit& visit) {
  const std::uint32_t old = visit.old;
  const auto alpha = [&](std::uint32_t topic) { return cell.alphas == nullptr ? cell.alpha : cell.alphas[topic]; };
  const auto look_at = [&](std::uint32_t topic) {
    const bool own = topic == old;
    return Current{topic, static_cast<float>(side.word[topic] - (own ? 1 : 0)) + cell.beta,
                   own ? inverse_of(cell, cell.totals[topic] - 1) : cell.inverse[topic], -1};
  };
  const auto weigh = [&](Current& its) {
    its.weight =
        static_cast<float>(rows_->count(visit.document, its.topic) - (its.topic == old ? 1 : 0)) + alpha(its.topic);
  };

  const std::uint16_t* const in_document = documents_->topics() + place;
  const std::uint16_t* const in_word = side.token_topics + i;
  Current now = look_at(old);
  for (std::uint32_t pair = 0; pair < kMhPairs; ++pair) {
    const std::uint32_t first = *visit.from_document[pair];
    if (first != now.topic && visit.from_document[pair] != in_document) {
      const Current offered = look_at(first);
      if (visit.document_chance[pair] * now.of_word * now.inverse < offered.of_word * offered.inverse) now = offered;
    }
    const std::uint32_t second = *visit.from_word[pair];
    if (second != now.topic && visit.from_word[pair] != in_word) {
      Current offered = look_at(second);
      weigh(offered);
      if (now.weight < 0) weigh(now);
      if (visit.word_chance[pair] * now.weight * now.inverse < offered.weight * offered.inverse) now = offered;
    }
  }
  if (now.topic == old) return;
  move(cell, side, visit.document, old, now.topic);
  side.token_topics[i] = static_cast<std::uint16_t>(now.topic);
  documents_->topics()[place] = static_cast<std::uint16_t>(now.topic);
}

void MhSampler::move(Cell& cell, Side& side, std::uint32_t document, std::uint32_t from, std::uint32_t to) {
  rows_->remove(document, static_cast<std::uint16_t>(from));
  --side.word[from];
  cell.inverse[from] = inverse_of(cell, --cell.totals[from]);
  rows_->add(document, static_cast<std::uint16_t>(to));
  side.appeared[side.appeared_count] = static_cast<std::uint16_t>(to);
  side.appeared_count += side.word[to] == 0 ? 1 : 0;
  ++side.word[to];
  cell.inverse[to] = inverse_of(cell, ++cell.totals[to]);
}

void MhSampler::sample(Cell& cell, Side& side, std::span<const std::uint32_t> places) {
  Visit ring[kRing];
  for (std::uint32_t i = 0; i < side.tokens + kRing; ++i) {
    if (i >= kRing) finish(cell, side, i - kRing, places[i - kRing], ring[i % kRing]);
    if (i < side.tokens) prepare(cell, side, i, places[i], ring[i % kRing]);
    if (i >= kCountsAfter && i - kCountsAfter < side.tokens) prefetch_counts(ring[(i - kCountsAfter) % kRing]);
  }
}

}  // namespace rota::lda
