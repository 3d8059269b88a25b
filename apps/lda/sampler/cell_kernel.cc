// apps/lda/sampler/cell_kernel.cc -- see cell_kernel.h.  ROTA_LDA_KERNEL is the name of the function that this copy
// defines.
//
// p(topic k) is proportional to (n_dk + alpha_k) phi_k, in two buckets (STRADS' sampler): n_dk phi_k over the
// document's topics, and alpha_k phi_k over all.  A bucket is summed lane by lane, and the running sums are kept; a
// draw first finds its lane, then its block within the lane.
#include "apps/lda/sampler/cell_kernel.h"

#include "apps/lda/sampler/kernel_lanes.h"

namespace rota::lda {

void ROTA_LDA_KERNEL(Cell& cell);

namespace {

constexpr std::uint32_t kLineNumbers = 32;  // 16-bit numbers in a cache line
constexpr std::uint32_t kUnknown = ~0U;     // place of a topic in a row
constexpr std::uint32_t kAhead = 6;         // tokens between prefetching a document's row and using it

// For a number of blocks: rows of any form; narrow rows of any number; and rows that are no lists, for words that may
// be listed.
constexpr std::uint32_t kAnyForm = 0, kAnyNumber = ~0U, kListedWords = ~1U;

// The place (block * 16 + lane) of `target`, given the running sums of every block but the last, followed by infinite
// ones (run_places), and the lanes' sums.  kBlocks: the number of blocks if it is known and at most 8.
template <std::uint32_t kBlocks = kAnyNumber>
ROTA_INLINE std::uint32_t find_place(const float* runs, std::uint32_t blocks, const LaneSums& sums, float target) {
  const InLane in(sums, target);
  // The number of blocks whose running sum is at most `rest`, without branches: by eights, then within an eight.
  const float* at = runs + in.lane;
  std::uint32_t block = 0, within = 0;
  if constexpr (kBlocks == kAnyNumber) {
    for (std::uint32_t b = 7; b + 1 < blocks; b += 8) block += at[b * kLanes] <= in.rest ? 8 : 0;
    at += block * kLanes;
  }
  constexpr std::uint32_t kLast = kBlocks == kAnyNumber ? 7 : kBlocks - 1;
  _Pragma("GCC unroll 7") for (std::uint32_t b = 0; b < kLast; ++b) within += at[b * kLanes] <= in.rest ? 1 : 0;
  return (block + within) * kLanes + in.lane;
}

// In [0, 1), from 24 of the 64 random bits, starting at bit `from`.
ROTA_INLINE float uniform(std::uint64_t bits, unsigned from) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> from & 0xffffff)) * 0x1p-24F;
}

// Updates phi of one topic, and what depends on it.  kWhole: phi is read in whole vectors.
template <bool kWhole>
ROTA_INLINE void refresh_phi(const Cell& cell, Side& side, std::uint32_t topic, float inverse) {
  const float phi = (static_cast<float>(side.word[topic]) + cell.beta) * inverse;
  double more = static_cast<double>(phi) - static_cast<double>(side.phi[topic]);
  if (cell.alphas != nullptr) more *= static_cast<double>(cell.alphas[topic]);
  side.phi_sum += more;
  if (cell.topics > kWholePhi) side.phi_blocks[topic / kPhiBlock] += more;
  if constexpr (kWhole)
    put_lane(side.phi, topic, phi);
  else
    side.phi[topic] = phi;
}

// 1 / (x - 1) of 1 / x, but for terms from x^-4 on.
ROTA_INLINE float without_one(float inverse) {
  return inverse * (1 + inverse * (1 + inverse));
}

// Counts one token more, or less, of this side's word with a topic.  The other side is not updated yet.
template <Draw kDraw, bool kWhole>
ROTA_INLINE void count_topic(Cell& cell, Side& side, std::uint32_t topic, std::int32_t by) {
  side.word[topic] += static_cast<std::uint32_t>(by);
  cell.totals[topic] += by;
  float inverse = cell.inverse[topic];
  if constexpr (is_fixed(kDraw)) {
    if (by < 0) inverse = without_one(inverse);
  } else {
    inverse = 1.0F / static_cast<float>(static_cast<double>(cell.totals[topic]) + cell.v_beta);
    cell.inverse[topic] = inverse;
  }
  refresh_phi<kWhole>(cell, side, topic, inverse);
}

// A draw of the second bucket: in proportion to phi, or to alpha_k phi_k.
[[gnu::noinline]] std::uint32_t draw_phi(const Cell& cell, const Side& side, float u) {
  std::uint32_t begin = 0, blocks = phi_places(cell.topics) / kLanes;
  float share = u;
  if (cell.topics > kWholePhi) {
    // The block of kPhiBlock topics, and the offset there: by eights, then within an eight.
    const double* s = side.phi_blocks;
    const double* const end = s + phi_places(cell.topics) / kPhiBlock;
    double rest = static_cast<double>(u) * side.phi_sum;
    for (; s + 8 < end; s += 8) {
      const double eight = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
      if (rest < eight) break;
      rest -= eight;
    }
    const double* const last = s + 8 < end ? s + 7 : end - 1;
    while (s < last && rest >= *s) rest -= *s++;
    begin = static_cast<std::uint32_t>(s - side.phi_blocks) * kPhiBlock;
    blocks = kPhiBlock / kLanes;
    // The kept sum was computed in another order than the one below.
    share = static_cast<float>(rest / *s);
    if (!(share > 0)) share = 0;
  }
  alignas(64) float runs[kWholePhi];
  Floats run{};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    Floats weight = Floats::load_from(side.phi + begin + b * kLanes);
    if (cell.alphas != nullptr) weight = weight * Floats::load_from(cell.alphas + begin + b * kLanes);
    run.add(weight);
    run.store_to(runs + b * kLanes);
  }
  const LaneSums sums(run);
  const InLane in(sums, share * sums.total);
  std::uint32_t block = 0;
  for (std::uint32_t b = 0; b + 1 < blocks; ++b) block += runs[b * kLanes + in.lane] <= in.rest ? 1 : 0;
  const std::uint32_t topic = begin + block * kLanes + in.lane;
  return topic < cell.topics ? topic : cell.topics - 1;  // every topic but the padding has a weight
}

// Rows with a count for each topic.  kBlocks: their number of blocks, or kAnyNumber.
template <typename Count, std::uint32_t kBlocks = kAnyNumber>
struct DenseRow {
  static constexpr bool kWhole = true;

  ROTA_INLINE DenseRow(const Cell& cell, Count* its_counts)
      : counts(its_counts), blocks(kBlocks == kAnyNumber ? padded(cell.topics) / kLanes : kBlocks) {}

  ROTA_INLINE void remove(std::uint32_t topic) { add_to_lane(counts, topic, static_cast<Count>(-1)); }
  ROTA_INLINE void add(std::uint32_t topic, std::uint32_t) { add_to_lane(counts, topic, Count{1}); }
  ROTA_INLINE Floats sum(const float* phi, float* runs) const {
    Floats run{};
    const std::uint32_t last = blocks - 1;
    _Pragma("GCC unroll 4") for (std::uint32_t b = 0; b < last; ++b) {
      run.add(widen(counts + b * kLanes) * Floats::load_from(phi + b * kLanes));
      run.store_to(runs + b * kLanes);
    }
    run.add(widen(counts + last * kLanes) * Floats::load_from(phi + last * kLanes));
    return run;
  }
  ROTA_INLINE std::uint32_t find(const float* runs, const LaneSums& sums, float target) const {
    return find_place<kBlocks>(runs, blocks, sums, target);
  }
  // The place itself if it has a weight, else the first that has one.
  ROTA_INLINE std::uint32_t checked(std::uint32_t place) const {
    if (counts[place] != 0) [[likely]]
      return place;
    for (place = 0; counts[place] == 0;) ++place;
    return place;
  }
  ROTA_INLINE std::uint32_t topic(std::uint32_t place) const { return place; }

  Count* counts;
  std::uint32_t blocks;
};

struct ListRow {
  static constexpr bool kWhole = false;

  ROTA_INLINE ListRow(const Cell& cell, DocumentRow& its_row)
      : row(&its_row), begin(cell.store + its_row.at), blocks((its_row.used + kLanes - 1) / kLanes) {}

  ROTA_INLINE std::uint16_t& topic(std::uint32_t place) { return begin[list_place(place)]; }
  ROTA_INLINE std::uint16_t& count(std::uint32_t place) { return begin[list_place(place) + kLanes]; }

  // The place of a topic, or `used` if it is not in the list.
  ROTA_INLINE std::uint32_t place_of(std::uint32_t wanted) const {
    const PartInts same = static_cast<std::int32_t>(wanted) - PartInts{};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint16_t* const block = begin + b * kListBlock;
      std::uint32_t mask = 0;
      ROTA_EACH_PART {
        const PartInts topics = widen_part(block + p * kWidth), counts = widen_part(block + kLanes + p * kWidth);
        mask |= mask_of((topics == same) & (counts != 0)) << (p * kWidth);
      }
      if (mask != 0) return b * kLanes + static_cast<std::uint32_t>(__builtin_ctz(mask));
    }
    return row->used;
  }
  ROTA_INLINE void remove(std::uint32_t wanted) {
    const std::uint32_t place = place_of(wanted);
    if (--count(place) != 0) return;
    const std::uint32_t last = --row->used;
    topic(place) = topic(last);
    count(place) = count(last);
    topic(last) = 0;
    count(last) = 0;
    blocks = (last + kLanes - 1) / kLanes;
  }
  ROTA_INLINE void add(std::uint32_t wanted, std::uint32_t place) {
    if (place == kUnknown) place = place_of(wanted);
    if (place == row->used) {
      topic(place) = static_cast<std::uint16_t>(wanted);
      ++row->used;
    }
    ++count(place);
  }
  ROTA_INLINE Floats sum(const float* phi, float* runs) const {
    Floats run{};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint16_t* const block = begin + b * kListBlock;
      Floats its_phi;
      ROTA_EACH_PART its_phi.part[p] = gather_part(phi, block + p * kWidth);
      run.add(widen(block + kLanes) * its_phi);
      run.store_to(runs + b * kLanes);
    }
    if (blocks == 0) return run;
    Floats infinite;
    ROTA_EACH_PART infinite.part[p] = __builtin_inff() - PartFloats{};
    for (std::uint32_t b = blocks - 1; b <= ((blocks - 1) | 7); ++b) infinite.store_to(runs + b * kLanes);
    return run;
  }
  ROTA_INLINE std::uint32_t find(const float* runs, const LaneSums& sums, float target) const {
    return find_place(runs, blocks, sums, target);
  }
  ROTA_INLINE std::uint32_t checked(std::uint32_t place) const { return place < row->used ? place : 0; }

  DocumentRow* row;
  std::uint16_t* begin;
  std::uint32_t blocks;
};

// Words whose topics are listed (the buckets of SparseLDA: Yao, Mimno and McCallum, KDD 2009):
//
//   p(k)  ~  n_wk (n_dk + alpha_k) / (n_k + V beta)  +  beta n_dk / (n_k + V beta)  +  beta alpha_k / (n_k + V beta)
//
// The first is summed over the word's topics, of which there are mostly far fewer than of the document.  The sum of the
// second is kept for each document while n_k is constant, that of the third is the same for all.
// The running sum of the last block is stored as well: where that leads beyond the list, the caller corrects it.
template <bool kOneAlpha, typename Count>
ROTA_INLINE Floats listed_sum(const Cell& cell, const Side& side, std::uint32_t blocks, const Count* counts) {
  Floats run{};
  const PartFloats alpha = cell.alpha - PartFloats{};
  for (std::uint32_t b = 0; b < blocks; ++b) {
    const std::uint16_t* const topics = side.topics + b * kLanes;
    Floats n;
    ROTA_EACH_PART {
      n.part[p] = gather_counts(counts, topics + p * kWidth);
      n.part[p] += kOneAlpha ? alpha : gather_part(cell.alphas, topics + p * kWidth);
    }
    run.add(Floats::load_from(side.weights + b * kLanes) * n);
    run.store_to(side.runs + b * kLanes);
  }
  return run;
}

// The sum of n_dk / (n_k + V beta) over all topics.
template <typename Count>
[[gnu::noinline]] double row_sum(const Cell& cell, const Count* counts) {
  constexpr std::uint32_t kChains = 4;  // otherwise each addition would wait for the previous one
  Floats sums[kChains]{};
  const std::uint32_t blocks = padded(cell.topics) / kLanes;
  const auto add = [&](std::uint32_t b, Floats & sum) __attribute__((always_inline)) {
    sum.add(widen(counts + b * kLanes) * Floats::load_from(cell.inverse + b * kLanes));
  };
  std::uint32_t b = 0;
  for (; b + kChains <= blocks; b += kChains)
    _Pragma("GCC unroll 4") for (std::uint32_t i = 0; i < kChains; ++i) add(b + i, sums[i]);
  for (; b < blocks; ++b) add(b, sums[0]);
  sums[0].add(sums[1]);
  sums[2].add(sums[3]);
  sums[0].add(sums[2]);
  return static_cast<double>(LaneSums(sums[0]).total);
}
// A draw of the second bucket; kUnknown if the document has no other token.
template <typename Count>
[[gnu::noinline]] std::uint32_t draw_row(const Cell& cell, Count* counts, float u) {
  const DenseRow row(cell, counts);
  const LaneSums sums(row.sum(cell.inverse, cell.row_runs));
  return sums.total > 0 ? row.checked(row.find(cell.row_runs, sums, u * sums.total)) : kUnknown;
}

// A draw of the third, in which the topic `changed` has another inverse.
[[gnu::noinline]] std::uint32_t draw_prior(const Cell& cell, Side& side, std::uint32_t changed, float inverse,
                                           float u) {
  const float old_phi = side.phi[changed];
  const double old_sum = side.phi_sum;
  double& block = side.phi_blocks[changed / kPhiBlock];
  const double old_block = block;
  side.phi[changed] = cell.beta * inverse;
  double more = static_cast<double>(side.phi[changed]) - static_cast<double>(old_phi);
  if (cell.alphas != nullptr) more *= static_cast<double>(cell.alphas[changed]);
  side.phi_sum += more;
  block += more;
  const std::uint32_t topic = draw_phi(cell, side, u);
  side.phi[changed] = old_phi;
  side.phi_sum = old_sum;
  block = old_block;
  return topic;
}

// A token whose new topic is chosen, but not counted yet.
//
// A processor does not let a load pass a store to an unknown address if the two have collided before: here the loads of
// a token's sum and the stores of the token before it.  So the sum of one side's token comes before the counting of the
// other side's last token, whose topic is found only now.  If n_k is updated within the task, it lacks that token, but
// n_wk and n_dk never do: if both tokens are in one document, the other is counted first.
struct Chosen {
  static constexpr std::uint32_t kNone = ~0U;
  std::uint32_t document = kNone;
  std::uint32_t token, topic, place;
};

// Calls `use` with the row of a document, in its form.  kBlocks: all are narrow, with this number of blocks; or
// kAnyForm.
template <std::uint32_t kBlocks, typename Use>
ROTA_INLINE void with_row(Cell& cell, std::uint32_t document, const Use& use) {
  DocumentRow& row = cell.rows[document];
  if constexpr (kBlocks != kAnyForm && kBlocks != kListedWords) {
    use(DenseRow<std::uint16_t, kBlocks>(cell, cell.store + row.at));
  } else {
    if (row.kind == RowKind::narrow) return use(DenseRow(cell, cell.store + row.at));
    if (row.kind == RowKind::wide) return use(DenseRow(cell, cell.wide_store + row.at));
    if constexpr (kBlocks == kAnyForm) use(ListRow(cell, row));
  }
}

// Counts the token chosen for `side`, a listed word.
template <typename Count>
ROTA_INLINE void count_listed(Cell& cell, Side& side, const Chosen& chosen, Count* counts) {
  const std::uint32_t topic = chosen.topic;
  std::uint32_t place = chosen.place;
  if (place == kUnknown) {
    place = side.places[topic];
    if (place == kNoPlace) {
      place = side.used++;
      side.topics[place] = static_cast<std::uint16_t>(topic);
      side.places[topic] = static_cast<std::uint16_t>(place);
    }
  }
  put_lane(side.weights, place, static_cast<float>(++side.word[topic]) * cell.inverse[topic]);
  ++cell.totals[topic];
  ++counts[topic];
  side.token_topics[chosen.token] = static_cast<std::uint16_t>(topic);
}

// Counts the token chosen for `side`.
template <Draw kDraw, std::uint32_t kBlocks>
ROTA_INLINE void count_chosen(Cell& cell, Side& side, Side& other, const Chosen& chosen) {
  if (chosen.document == Chosen::kNone) return;
  with_row<kBlocks>(
      cell, chosen.document, [&](auto row) __attribute__((always_inline)) {
        constexpr bool kWhole = decltype(row)::kWhole;
        const std::uint32_t topic = chosen.topic;
        if constexpr (kBlocks == kListedWords) {
          cell.sums[chosen.document].sum += static_cast<double>(cell.inverse[topic]);
          if (side.listed) return count_listed(cell, side, chosen, row.counts);
        }
        side.appeared[side.appeared_count] = static_cast<std::uint16_t>(topic);
        side.appeared_count += side.word[topic] == 0 ? 1 : 0;
        count_topic<kDraw, kWhole>(cell, side, topic, 1);
        row.add(topic, chosen.place);
        side.token_topics[chosen.token] = static_cast<std::uint16_t>(topic);
        if constexpr (!is_fixed(kDraw)) refresh_phi<kWhole>(cell, other, topic, cell.inverse[topic]);
        if constexpr (kDraw == Draw::resample_exact)
          refresh_phi<kWhole>(cell, other, side.removed, cell.inverse[side.removed]);
      });
}
// If only one side is drawn from, the token is its own last one.
template <Draw kDraw, std::uint32_t kBlocks>
ROTA_INLINE void count_last(Cell& cell, Side& side, Side& other, const Chosen& last) {
  count_chosen<kDraw, kBlocks>(cell, cell.both ? other : side, cell.both ? side : other, last);
}

// Chooses a topic for a token of `side`, a listed word, and counts the token chosen before it.
template <Draw kDraw, std::uint32_t kBlocks, typename Count>
ROTA_INLINE void choose_listed(Cell& cell, Side& side, Side& other, Chosen& chosen, const Chosen& last,
                               std::uint64_t bits, Count* counts) {
  RowSum& sum = cell.sums[chosen.document];
  if (sum.version != cell.version) [[unlikely]]
    sum = {row_sum(cell, counts), cell.version, cell.task};
  constexpr bool kRemoves = kDraw == Draw::resample;
  const std::uint32_t removed = kRemoves ? side.token_topics[chosen.token] : 0;
  // Without the token n_k is one less; so is n_dk in both.
  const float inverse = cell.inverse[removed], its_inverse = kRemoves ? without_one(inverse) : inverse;
  const float more = its_inverse - inverse;
  Count left = 0;
  if constexpr (kRemoves) {
    left = --counts[removed];
    --cell.totals[removed];
    put_lane(side.weights, side.places[removed], static_cast<float>(--side.word[removed]) * its_inverse);
    sum.sum -= static_cast<double>(inverse);
  }

  const std::uint32_t blocks = (side.used + kLanes - 1) / kLanes;
  const Floats run = cell.alphas == nullptr ? listed_sum<true>(cell, side, blocks, counts)
                                            : listed_sum<false>(cell, side, blocks, counts);
  const float of_row = cell.beta * (static_cast<float>(sum.sum) + static_cast<float>(left) * more);
  const float prior = cell.alphas == nullptr ? cell.alpha : cell.alphas[removed];
  const float of_prior = cell.alpha * static_cast<float>(side.phi_sum) + cell.beta * prior * more;
  count_chosen<kDraw, kBlocks>(cell, other, side, last);
  const LaneSums sums(run);
  const float target = uniform(bits, 40) * (sums.total + (of_row + of_prior));
  if (target < sums.total) [[likely]] {
    chosen.place = find_place(side.runs, blocks, sums, target);
    if (chosen.place >= side.used || !(side.weights[chosen.place] > 0)) [[unlikely]]
      for (chosen.place = 0; !(side.weights[chosen.place] > 0);) ++chosen.place;
    chosen.topic = side.topics[chosen.place];
    return;
  }
  chosen.topic = kUnknown;
  if (target - sums.total < of_row) {
    cell.inverse[removed] = its_inverse;
    chosen.topic = draw_row(cell, counts, uniform(bits, 16));
    cell.inverse[removed] = inverse;
  }
  if (chosen.topic == kUnknown) chosen.topic = draw_prior(cell, side, removed, its_inverse, uniform(bits, 16));
}

// Chooses a topic for a token of `side`, and counts the token chosen before it.
template <Draw kDraw, std::uint32_t kBlocks>
ROTA_INLINE Chosen choose(Cell& cell, Side& side, Side& other, std::uint32_t token, Chosen last) {
  if (token + kAhead < side.ahead) {
    const std::uint32_t document = side.documents[token + kAhead];
    std::uint32_t lines = 4;
    if constexpr (kBlocks == kListedWords) {
      RowSum& its = cell.sums[document];
      lines = its.task == cell.task ? 0 : padded(cell.topics) / kLineNumbers;  // of a row, all at its first token
      its.task = cell.task;
    }
    const std::uint16_t* const next = cell.store + cell.rows[document].at;
    for (std::uint32_t line = 0; line < lines; ++line) __builtin_prefetch(next + line * kLineNumbers, 1);
  }
  const bool random = kDraw == Draw::first && cell.draw == Draw::first_random;
  const std::uint64_t bits = side.draws[token];
  Chosen chosen{side.documents[token], token, 0, kUnknown};
  if (!cell.both || chosen.document == last.document) {
    count_last<kDraw, kBlocks>(cell, side, other, last);
    last.document = Chosen::kNone;
  }
  with_row<kBlocks>(
      cell, chosen.document, [&](auto row) __attribute__((always_inline)) {
        if constexpr (kBlocks == kListedWords) {
          if (side.listed) return choose_listed<kDraw, kBlocks>(cell, side, other, chosen, last, bits, row.counts);
          if constexpr (kDraw == Draw::resample)
            cell.sums[chosen.document].sum -= static_cast<double>(cell.inverse[side.token_topics[token]]);
        }
        if constexpr (kDraw == Draw::resample || kDraw == Draw::resample_exact) {
          side.removed = side.token_topics[token];
          row.remove(side.removed);
          count_topic<kDraw, decltype(row)::kWhole>(cell, side, side.removed, -1);
        }
        Floats run{};
        if (!random) run = row.sum(side.phi, side.runs);
        const auto smooth = static_cast<float>(static_cast<double>(cell.alpha) * side.phi_sum);
        count_chosen<kDraw, kBlocks>(cell, other, side, last);
        if (random) {
          chosen.topic = static_cast<std::uint32_t>((bits >> 32) * cell.topics >> 32);
          return;
        }
        const LaneSums sums(run);
        const float target = uniform(bits, 40) * (sums.total + smooth);
        if (target < sums.total) [[likely]] {
          chosen.place = row.checked(row.find(side.runs, sums, target));
          chosen.topic = row.topic(chosen.place);
        } else {
          chosen.topic = draw_phi(cell, side, uniform(bits, 16));
        }
      });
  return chosen;
}

// If both sides are drawn from, a token of each in turn.  One loop for either case, because it takes long to compile.
template <Draw kDraw, std::uint32_t kBlocks>
void draw_tokens(Cell& cell) {
  Side* side = &cell.sides[cell.both ? 0 : cell.only];
  Side* other = &cell.sides[cell.both ? 1 : 1 - cell.only];
  Chosen last;
  for (std::uint32_t i = 0, end = cell.both ? 2 * cell.tokens : cell.tokens; i < end; ++i) {
    last = choose<kDraw, kBlocks>(cell, *side, *other, cell.both ? i / 2 : i, last);
    if (!cell.both) continue;
    Side* const next = other;
    other = side;
    side = next;
  }
  count_last<kDraw, kBlocks>(cell, *side, *other, last);
}

// With few topics the cost of a token beside its sum matters: loops of constant length, up to 8 blocks.
template <std::uint32_t kBlocks = 1>
void resample_narrow(Cell& cell) {
  if constexpr (kBlocks > 8)
    draw_tokens<Draw::resample, kAnyNumber>(cell);
  else if (cell.topics <= kBlocks * kLanes)
    draw_tokens<Draw::resample, kBlocks>(cell);
  else
    resample_narrow<kBlocks + 1>(cell);
}

// kDraw: Draw::first stands for Draw::first_random, too.
template <Draw kDraw>
void draw_of(Cell& cell) {
  if constexpr (kDraw == Draw::resample)
    if (cell.sums != nullptr) return draw_tokens<kDraw, kListedWords>(cell);
  if (!cell.all_narrow)
    draw_tokens<kDraw, kAnyForm>(cell);
  else if constexpr (kDraw == Draw::resample)
    resample_narrow(cell);
  else
    draw_tokens<kDraw, kAnyNumber>(cell);
}

}  // namespace

void ROTA_LDA_KERNEL(Cell& cell) {
  if (cell.draw == Draw::resample)
    draw_of<Draw::resample>(cell);
  else if (cell.draw == Draw::resample_exact)
    draw_of<Draw::resample_exact>(cell);
  else if (cell.draw == Draw::first_fixed)
    draw_tokens<Draw::first_fixed, kListedWords>(cell);
  else
    draw_of<Draw::first>(cell);
}

}  // namespace rota::lda
