// apps/lda/cell_kernel.cc -- see cell_kernel.h.  ROTA_LDA_KERNEL is the name of the function that this copy defines.
//
// p(topic k) is proportional to (n_dk + alpha_k) phi_k, in two buckets (STRADS' sampler): n_dk phi_k over the
// document's topics, and alpha_k phi_k over all.  A bucket is summed lane by lane, keeping the running sums; a draw
// finds first its lane, then its block within the lane.
#include "apps/lda/cell_kernel.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace rota::lda {

void ROTA_LDA_KERNEL(Cell& cell);

namespace {

#define ROTA_INLINE [[gnu::always_inline]] inline

// Lanes of the processor's vectors, and how many of those make up the 16 lanes of the sums.
#if defined(__AVX512F__)
constexpr std::uint32_t kWidth = 16;
#elif defined(__AVX2__)
constexpr std::uint32_t kWidth = 8;
#else
constexpr std::uint32_t kWidth = 4;
#endif
constexpr std::uint32_t kParts = kLanes / kWidth;
#define ROTA_EACH_PART _Pragma("GCC unroll 4") for (std::uint32_t p = 0; p < kParts; ++p)

using PartFloats = float __attribute__((vector_size(kWidth * 4)));
using PartInts = std::int32_t __attribute__((vector_size(kWidth * 4)));
using PartWords = std::uint32_t __attribute__((vector_size(kWidth * 4)));
using PartShorts = std::uint16_t __attribute__((vector_size(kWidth * 2)));

constexpr std::uint32_t kLineNumbers = 32;  // 16-bit numbers in a cache line, and in a block of a list
constexpr std::uint32_t kUnknown = ~0U;     // place of a topic in a row
constexpr std::uint32_t kAhead = 6;         // tokens between asking for a document's row and using it

template <typename V, typename T>
ROTA_INLINE V load(const T* at) {
  V v;
  __builtin_memcpy(&v, at, sizeof v);
  return v;
}
template <typename V, typename T>
ROTA_INLINE void store(T* at, const V& v) {
  __builtin_memcpy(at, &v, sizeof v);
}

struct Floats {
  ROTA_INLINE static Floats load_from(const float* at) {
    Floats v;
    ROTA_EACH_PART v.part[p] = load<PartFloats>(at + p * kWidth);
    return v;
  }
  ROTA_INLINE void store_to(float* at) const { ROTA_EACH_PART store(at + p * kWidth, part[p]); }
  ROTA_INLINE void add(const Floats& other) { ROTA_EACH_PART part[p] += other.part[p]; }

  PartFloats part[kParts]{};
};

ROTA_INLINE Floats operator*(const Floats& a, const Floats& b) {
  Floats v;
  ROTA_EACH_PART v.part[p] = a.part[p] * b.part[p];
  return v;
}
ROTA_INLINE PartInts widen_part(const std::uint16_t* at) {
#if defined(__AVX512F__)
  return reinterpret_cast<PartInts>(_mm512_cvtepu16_epi32(load<__m256i>(at)));
#else
  return __builtin_convertvector(load<PartShorts>(at), PartInts);
#endif
}
ROTA_INLINE Floats widen(const std::uint16_t* at) {
  Floats v;
  ROTA_EACH_PART v.part[p] = __builtin_convertvector(widen_part(at + p * kWidth), PartFloats);
  return v;
}
ROTA_INLINE Floats widen(const std::uint32_t* at) {
  Floats v;
  ROTA_EACH_PART v.part[p] = __builtin_convertvector(load<PartWords>(at + p * kWidth), PartFloats);
  return v;
}

#if defined(__AVX512F__)
#define ROTA_LANES 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#elif defined(__AVX2__)
#define ROTA_LANES 0, 1, 2, 3, 4, 5, 6, 7
#else
#define ROTA_LANES 0, 1, 2, 3
#endif

// Changes of one number in an array that is otherwise read in whole vectors.  A vector load that overlaps a smaller
// store just before it must wait until that store has reached the cache; so the whole vector is stored.
ROTA_INLINE void put_lane(float* numbers, std::uint32_t i, float value) {
  float* const at = numbers + i / kWidth * kWidth;
  const PartInts here = PartInts{ROTA_LANES} == static_cast<std::int32_t>(i % kWidth) - PartInts{};
  store(at, here ? value - PartFloats{} : load<PartFloats>(at));
}
ROTA_INLINE void add_to_lane(std::uint16_t* numbers, std::uint32_t i, std::uint16_t value) {
  std::uint16_t* const at = numbers + i / kWidth * kWidth;
  const auto here = PartShorts{ROTA_LANES} == static_cast<std::uint16_t>(i % kWidth) - PartShorts{};
  store(at, load<PartShorts>(at) + (reinterpret_cast<PartShorts>(here) & (value - PartShorts{})));
}
ROTA_INLINE void add_to_lane(std::uint32_t* numbers, std::uint32_t i, std::uint32_t value) {
  numbers[i] += value;
}

// The numbers at these places.  Where 16 lanes are one vector a gather is faster than single loads; with less it is
// slower on some processors.
ROTA_INLINE PartFloats gather_part(const float* from, const std::uint16_t* at) {
#if defined(__AVX512F__)
  return reinterpret_cast<PartFloats>(_mm512_i32gather_ps(reinterpret_cast<__m512i>(widen_part(at)), from, 4));
#elif defined(__AVX2__)
  return PartFloats{from[at[0]], from[at[1]], from[at[2]], from[at[3]],
                    from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
#else
  return PartFloats{from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
#endif
}

// Bit i is set where lane i of a comparison's result is.
ROTA_INLINE std::uint32_t mask_of(const PartInts& truth) {
#if defined(__AVX512DQ__)
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(truth));
#elif defined(__AVX2__)
  return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(truth)));
#elif defined(__SSE2__)
  return static_cast<std::uint32_t>(_mm_movemask_ps(reinterpret_cast<__m128>(truth)));
#else
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < kWidth; ++i) mask |= truth[i] != 0 ? 1U << i : 0U;
  return mask;
#endif
}

// The lanes above `bound`, as bits.
ROTA_INLINE std::uint32_t lanes_above(const Floats& v, float bound) {
#if defined(__AVX512F__)
  return _mm512_cmp_ps_mask(reinterpret_cast<__m512>(v.part[0]), _mm512_set1_ps(bound), _CMP_GT_OQ);
#else
  std::uint32_t mask = 0;
  ROTA_EACH_PART mask |= mask_of(v.part[p] > bound - PartFloats{}) << (p * kWidth);
  return mask;
#endif
}

// Sums of lanes 0 .. i: first within each four lanes, then of the fours before.  Every width of vector can do that
// in this order.
ROTA_INLINE Floats prefix_sums(Floats v) {
#if defined(__AVX512F__)
  PartFloats& x = v.part[0];
  x += reinterpret_cast<PartFloats>(_mm512_maskz_permute_ps(0xeeee, reinterpret_cast<__m512>(x), 0x90));
  x += reinterpret_cast<PartFloats>(_mm512_maskz_permute_ps(0xcccc, reinterpret_cast<__m512>(x), 0x40));
  // The sum of each four in all its lanes; then those sums one, two and three fours further on.
  const __m512 sums = _mm512_permute_ps(reinterpret_cast<__m512>(x), 0xff);
  const auto one = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xfff0, sums, sums, 0x90));
  const auto two = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xff00, sums, sums, 0x40));
  const auto three = reinterpret_cast<PartFloats>(_mm512_maskz_shuffle_f32x4(0xf000, sums, sums, 0x00));
  x += three + two + one;
#elif defined(__AVX2__)
  const PartFloats zero{};
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{8, 0, 1, 2, 8, 4, 5, 6});
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{8, 8, 0, 1, 8, 8, 4, 5});
  const PartFloats first = __builtin_shuffle(v.part[0], PartInts{3, 3, 3, 3, 3, 3, 3, 3});
  const PartFloats second = __builtin_shuffle(v.part[0], PartInts{7, 7, 7, 7, 7, 7, 7, 7});
  const PartFloats third = __builtin_shuffle(v.part[1], zero, PartInts{8, 8, 8, 8, 3, 3, 3, 3});
  v.part[0] += __builtin_shuffle(first, zero, PartInts{8, 8, 8, 8, 4, 5, 6, 7});
  v.part[1] += first + second + third;
#else
  const PartFloats zero{};
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{4, 0, 1, 2});
  ROTA_EACH_PART v.part[p] += __builtin_shuffle(v.part[p], zero, PartInts{4, 4, 0, 1});
  PartFloats before{};
  ROTA_EACH_PART {
    const PartFloats its_sum = __builtin_shuffle(v.part[p], PartInts{3, 3, 3, 3});
    v.part[p] += before;
    before += its_sum;
  }
#endif
  return v;
}

// Sums of lanes, ready for a draw.
struct LaneSums {
  ROTA_INLINE explicit LaneSums(const Floats& sums) : upto(prefix_sums(sums)) {
    total = upto.part[kParts - 1][kWidth - 1];
  }
  Floats upto;
  float total;
};

// The lane in which `target` falls, and how far into it.  Rounding can make that miss the weights of the lane by a
// little; so whoever goes on from here checks that what it finds has a weight.
struct InLane {
  ROTA_INLINE InLane(const LaneSums& sums, float target) {
    alignas(64) float before[kLanes + 1];
    before[0] = 0;
    sums.upto.store_to(before + 1);
    lane = static_cast<std::uint32_t>(__builtin_ctz(lanes_above(sums.upto, target) | 1U << (kLanes - 1)));
    const float over = target - before[lane];
    rest = over > 0 ? over : 0;
  }
  std::uint32_t lane;
  float rest;
};

// The place (block * 16 + lane) of `target`, given the running sums of every block and the lanes' sums.
ROTA_INLINE std::uint32_t find_place(const float* runs, std::uint32_t blocks, const LaneSums& sums, float target) {
  const InLane in(sums, target);
  // The number of blocks whose running sum is at most `rest`, without branches: by eights, then within an eight.
  std::uint32_t block = 0;
  for (std::uint32_t b = 7; b + 1 < blocks; b += 8) block += runs[b * kLanes + in.lane] <= in.rest ? 8 : 0;
  const std::uint32_t last = block + 7 < blocks - 1 ? block + 7 : blocks - 1;
  std::uint32_t within = 0;
  for (std::uint32_t b = block; b < last; ++b) within += runs[b * kLanes + in.lane] <= in.rest ? 1 : 0;
  return (block + within) * kLanes + in.lane;
}

// In [0, 1), from 24 of the 64 random bits, starting at bit `from`.
ROTA_INLINE float uniform(std::uint64_t bits, unsigned from) {
  return static_cast<float>(static_cast<std::int32_t>(bits >> from & 0xffffff)) * 0x1p-24F;
}

// Brings all that depends on n_wk and n_k of one topic up to date.  kWhole: phi is read in whole vectors.  kAlphas:
// every topic has its own alpha.
template <bool kWhole, bool kAlphas>
ROTA_INLINE void count_topic(Cell& cell, std::uint32_t topic, std::int32_t by) {
  cell.word[topic] += static_cast<std::uint32_t>(by);
  cell.totals[topic] += by * cell.step;
  const float inverse = 1.0F / static_cast<float>(static_cast<double>(cell.totals[topic]) + cell.v_beta);
  const float phi = (static_cast<float>(cell.word[topic]) + cell.beta) * inverse;
  const double more = static_cast<double>(phi) - static_cast<double>(cell.phi[topic]);
  cell.phi_sum += kAlphas ? static_cast<double>(cell.alphas[topic]) * more : more;
  cell.inverse[topic] = inverse;
  if constexpr (kWhole)
    put_lane(cell.phi, topic, phi);
  else
    cell.phi[topic] = phi;
}

// A draw of the second bucket: in proportion to phi, or to alpha_k phi_k.  The blocks are summed in four chains, each
// of every fourth block, so that one addition need not wait for the one before it.
template <bool kAlphas>
[[gnu::noinline]] std::uint32_t draw_phi(const Cell& cell, float u) {
  const std::uint32_t blocks = phi_places(cell.topics) / kLanes;
  Floats run[kChains]{};
  for (std::uint32_t b = 0; b < blocks; b += kChains) {
    _Pragma("GCC unroll 4") for (std::uint32_t c = 0; c < kChains; ++c) {
      Floats weight = Floats::load_from(cell.phi + (b + c) * kLanes);
      if constexpr (kAlphas) weight = weight * Floats::load_from(cell.alphas + (b + c) * kLanes);
      run[c].add(weight);
      run[c].store_to(cell.runs + (b + c) * kLanes);
    }
  }
  for (std::uint32_t c = 1; c < kChains; ++c) run[0].add(run[c]);
  const LaneSums sums(run[0]);
  const InLane in(sums, u * sums.total);

  // Within the lane first the chain, then its block.
  const float* const ends = cell.runs + (blocks - kChains) * kLanes + in.lane;
  float before[kChains] = {0};
  std::uint32_t chain = 0;
  _Pragma("GCC unroll 4") for (std::uint32_t c = 1; c < kChains; ++c) {
    before[c] = before[c - 1] + ends[(c - 1) * kLanes];
    chain += before[c] <= in.rest ? 1 : 0;
  }
  const float rest = in.rest - before[chain];
  std::uint32_t steps = 0;
  for (std::uint32_t b = chain; b + kChains < blocks; b += kChains)
    steps += cell.runs[b * kLanes + in.lane] <= rest ? 1 : 0;
  const std::uint32_t topic = (steps * kChains + chain) * kLanes + in.lane;
  return topic < cell.topics ? topic : 0;  // every topic but the padding has a weight
}

// Rows with a count for each topic.
template <typename Count>
struct DenseRow {
  static constexpr bool kWhole = true;

  ROTA_INLINE DenseRow(const Cell& cell, Count* its_counts)
      : counts(its_counts), blocks(padded(cell.topics) / kLanes) {}

  ROTA_INLINE void remove(std::uint32_t topic) { add_to_lane(counts, topic, static_cast<Count>(-1)); }
  ROTA_INLINE void add(std::uint32_t topic, std::uint32_t) { add_to_lane(counts, topic, Count{1}); }
  ROTA_INLINE Floats sum(const float* phi, float* runs) const {
    Floats run{};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      run.add(widen(counts + b * kLanes) * Floats::load_from(phi + b * kLanes));
      run.store_to(runs + b * kLanes);
    }
    return run;
  }
  // The place itself, or the first with a weight if it has none.
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

  ROTA_INLINE static std::uint32_t offset(std::uint32_t place) {
    return place / kLanes * kLineNumbers + place % kLanes;
  }
  ROTA_INLINE std::uint16_t& topic(std::uint32_t place) { return begin[offset(place)]; }
  ROTA_INLINE std::uint16_t& count(std::uint32_t place) { return begin[offset(place) + kLanes]; }

  // The place of a topic, or `used` if it is not in the list.
  ROTA_INLINE std::uint32_t find(std::uint32_t wanted) const {
    const PartInts same = static_cast<std::int32_t>(wanted) - PartInts{};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint16_t* const block = begin + b * kLineNumbers;
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
    const std::uint32_t place = find(wanted);
    if (--count(place) != 0) return;
    const std::uint32_t last = --row->used;
    topic(place) = topic(last);
    count(place) = count(last);
    topic(last) = 0;
    count(last) = 0;
    blocks = (last + kLanes - 1) / kLanes;
  }
  ROTA_INLINE void add(std::uint32_t wanted, std::uint32_t place) {
    if (place == kUnknown) place = find(wanted);
    if (place == row->used) {
      topic(place) = static_cast<std::uint16_t>(wanted);
      ++row->used;
    }
    ++count(place);
  }
  ROTA_INLINE Floats sum(const float* phi, float* runs) const {
    Floats run{};
    for (std::uint32_t b = 0; b < blocks; ++b) {
      const std::uint16_t* const block = begin + b * kLineNumbers;
      Floats its_phi;
      ROTA_EACH_PART its_phi.part[p] = gather_part(phi, block + p * kWidth);
      run.add(widen(block + kLanes) * its_phi);
      run.store_to(runs + b * kLanes);
    }
    return run;
  }
  ROTA_INLINE std::uint32_t checked(std::uint32_t place) const { return place < row->used ? place : 0; }

  DocumentRow* row;
  std::uint16_t* begin;
  std::uint32_t blocks;
};

template <Draw kDraw, bool kAlphas, typename Row>
ROTA_INLINE void draw_token(Cell& cell, Row row, std::uint32_t token) {
  if constexpr (kDraw == Draw::resample) {
    const std::uint32_t old = cell.token_topics[token];
    row.remove(old);
    count_topic<Row::kWhole, kAlphas>(cell, old, -1);
  }
  const std::uint64_t bits = cell.draws[token];
  std::uint32_t topic = 0, place = kUnknown;
  if constexpr (kDraw == Draw::first_random) {
    topic = static_cast<std::uint32_t>((bits >> 32) * cell.topics >> 32);
  } else {
    const Floats run = row.sum(cell.phi, cell.runs);
    const LaneSums sums(run);
    const float smooth = static_cast<float>(kAlphas ? cell.phi_sum : static_cast<double>(cell.alpha) * cell.phi_sum);
    const float target = uniform(bits, 40) * (sums.total + smooth);
    if (target < sums.total) [[likely]] {
      place = row.checked(find_place(cell.runs, row.blocks, sums, target));
      topic = row.topic(place);
    } else {
      topic = draw_phi<kAlphas>(cell, uniform(bits, 16));
    }
  }
  cell.appeared[cell.appeared_count] = static_cast<std::uint16_t>(topic);
  cell.appeared_count += cell.word[topic] == 0 ? 1 : 0;
  count_topic<Row::kWhole, kAlphas>(cell, topic, 1);
  row.add(topic, place);
  cell.token_topics[token] = static_cast<std::uint16_t>(topic);
}

template <Draw kDraw, bool kAlphas>
void draw_tokens(Cell& cell) {
  for (std::uint32_t i = 0; i < cell.tokens; ++i) {
    if (i + kAhead < cell.tokens) {
      const std::uint16_t* const next = cell.store + cell.rows[cell.documents[i + kAhead]].at;
      for (std::uint32_t line = 0; line < 4; ++line) __builtin_prefetch(next + line * kLineNumbers, 1);
    }
    DocumentRow& row = cell.rows[cell.documents[i]];
    if (cell.all_narrow || row.kind == RowKind::narrow)
      draw_token<kDraw, kAlphas>(cell, DenseRow(cell, cell.store + row.at), i);
    else if (row.kind == RowKind::list)
      draw_token<kDraw, kAlphas>(cell, ListRow(cell, row), i);
    else
      draw_token<kDraw, kAlphas>(cell, DenseRow(cell, cell.wide_store + row.at), i);
  }
}

}  // namespace

void ROTA_LDA_KERNEL(Cell& cell) {
  const bool alphas = cell.alphas != nullptr;
  if (cell.draw == Draw::resample)
    alphas ? draw_tokens<Draw::resample, true>(cell) : draw_tokens<Draw::resample, false>(cell);
  else if (cell.draw == Draw::first)
    alphas ? draw_tokens<Draw::first, true>(cell) : draw_tokens<Draw::first, false>(cell);
  else
    draw_tokens<Draw::first_random, false>(cell);  // draws from no weights
}

}  // namespace rota::lda
