// apps/lda/sampler/cell_kernel.h -- the inner loop: new topics for the tokens that a word, or two, have in one shard.
//
// The loop is compiled several times, for increasing vector widths, so this header and the kernel use plain data and no
// function of the standard library: the linker must never keep a copy compiled for a wide processor for all.  Every
// variant does the same operations on 16 lanes in the same order, so all give the same topics to the last bit.
#pragma once
#include <cstdint>

namespace rota::lda {

inline constexpr std::uint32_t kLanes = 16;

// Room for K topics: whole blocks of 16 lanes.  Always inlined, for the reason above.
[[gnu::always_inline]] constexpr std::uint32_t padded(std::uint32_t topics) {
  return (topics + kLanes - 1) / kLanes * kLanes;
}

// With more topics than kWholePhi the sum of every kPhiBlock of phi is kept, so that a draw need not read all.
inline constexpr std::uint32_t kWholePhi = 256;
inline constexpr std::uint32_t kPhiBlock = 4 * kLanes;
// Room for phi of K topics: whole such blocks.
[[gnu::always_inline]] constexpr std::uint32_t phi_places(std::uint32_t topics) {
  return (topics + kPhiBlock - 1) / kPhiBlock * kPhiBlock;
}

// A list of topics (RowKind::list) is made of blocks of 16 topics and then their 16 counts.
inline constexpr std::uint32_t kListBlock = 2 * kLanes;
// The place of the i-th topic; its count is kLanes further on.
[[gnu::always_inline]] constexpr std::uint32_t list_place(std::uint32_t i) {
  return i / kLanes * kListBlock + i % kLanes;
}

// Room for the running sums of a document's topics; the unused places at the end are infinite, to end the search.
[[gnu::always_inline]] constexpr std::uint32_t run_places(std::uint32_t topics) {
  return padded(topics) + 8 * kLanes;
}

// How the topic counts n_dk of one document are stored.  Numbers are 16 bits wide unless stated.
enum class RowKind : std::uint8_t {
  list,    // only the topics it has, in blocks; unused places are zeros
  narrow,  // a count for each of the padded topics
  wide,    // the same in 32 bits, for a document of more than 65,535 tokens
};
struct DocumentRow {
  std::uint64_t at;    // its first number in the store for its width; a multiple of 32
  std::uint32_t used;  // topics in the list
  RowKind kind;
};
// sum_k n_dk / (n_k + V beta) of a document, kept from its first token on, while n_k is constant.
struct RowSum {
  double sum;
  std::uint32_t version;  // of the n_k that it was computed with
  std::uint32_t task;     // the last in which the document had a token
};

inline constexpr std::uint16_t kNoPlace = 0xffff;

enum class Draw : std::uint8_t {
  resample,        // from the conditional distribution without the token itself, with n_k of the task's beginning, or,
                   // if words may be listed, as last committed
  resample_exact,  // the same with the current n_k
  first,           // as resample_exact, for tokens that have no topic yet
  first_fixed,     // as resample, for tokens that have no topic yet; only if words may be listed
  first_random,    // uniformly, for tokens that have no topic yet
};
// Whether n_k is constant during a task.
[[gnu::always_inline]] constexpr bool is_fixed(Draw draw) {
  return draw == Draw::resample || draw == Draw::first_fixed;
}

// Arrays over topics have padded(topics) places unless stated, and begin at a cache line.
//
// The data of one word.  Two words are drawn side by side, a token of each in turn: within one word every draw depends
// on the previous one, and a processor overlaps two such chains.
struct Side {
  float* phi;               // (n_wk + beta) * inverse; 0 in the padding; phi_places(topics) places
  double phi_sum;           // of all phi; with `alphas`: of all alpha_k phi_k
  double* phi_blocks;       // the same of each kPhiBlock topics, beyond kWholePhi
  std::uint32_t* word;      // n_wk
  std::uint16_t* appeared;  // room for the cell's tokens: topics whose n_wk has risen from 0, with repetitions
  std::uint32_t appeared_count;
  // The word's topics, if they are listed: phi is then that of a word without tokens.
  bool listed;
  std::uint32_t used;     // listed topics; those that a cell loses stay, with the weight 0
  std::uint16_t* topics;  // padded(topics) places, as the next
  float* weights;         // n_wk * inverse of each; 0 beyond `used`
  std::uint16_t* places;  // of every topic its place in the list, or kNoPlace

  float* runs;            // scratch: run_places(topics) places, infinite at first; if listed, beyond the list's blocks
  std::uint32_t removed;  // scratch: the topic that the last token had

  const std::uint32_t* documents;  // of each token
  std::uint16_t* token_topics;
  const std::uint64_t* draws;  // a random number for each token
  std::uint32_t ahead;         // the length of `documents`, which includes the next words' tokens
};

// All that the loop reads and writes.
struct Cell {
  Draw draw;
  std::uint32_t topics;  // K
  float alpha, beta;     // alpha: 1 with `alphas`
  const float* alphas;   // of each topic, 0 in the padding, phi_places(topics) places; null: all are `alpha`
  double v_beta;         // V beta
  std::int64_t* totals;  // n_k
  float* inverse;        // 1 / (n_k + V beta); 0 in the padding

  bool all_narrow;  // every document's row is narrow
  DocumentRow* rows;
  std::uint16_t* store;
  std::uint32_t* wide_store;
  RowSum* sums;           // of the rows, none of which is a list, if words may be listed; otherwise null
  std::uint32_t version;  // of n_k, if `sums` is not null; never 0
  std::uint32_t task;     // never 0
  float* row_runs;        // scratch for a row, as the sides' runs

  Side sides[2];
  bool both;  // draw from both; otherwise from sides[only]
  std::uint32_t only;
  std::uint32_t tokens;  // to draw from each, its first ones
};

using SampleCell = void (*)(Cell&);

// The best variant for this processor and this number of topics, or the one that the environment variable
// ROTA_LDA_KERNEL names (baseline, v3, v4; for tests).  Throws std::runtime_error if it is unknown or cannot run here.
SampleCell choose_kernel(std::uint32_t topics);

}  // namespace rota::lda
