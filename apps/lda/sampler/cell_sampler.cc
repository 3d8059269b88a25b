// apps/lda/sampler/cell_sampler.cc
#include "apps/lda/sampler/cell_sampler.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace rota::lda {

// Defined by the objects that CMakeLists.txt makes of cell_kernel.cc.
void sample_cell_baseline(Cell&);
void sample_cell_v3(Cell&);
void sample_cell_v4(Cell&);

SampleCell choose_kernel(std::uint32_t topics) {
  const char* const wanted = std::getenv("ROTA_LDA_KERNEL");
  const auto chosen = [&](std::string_view name, bool best) { return wanted == nullptr ? best : wanted == name; };
#if defined(ROTA_LDA_WIDE_KERNELS)
  // Measured: below this number of topics vectors of 16 lanes are not faster than those of 8.  On AMD's processors (Zen
  // 4) gathers are slower than single loads, and the wide kernel takes 10 to 30 % longer with any number of topics.
  constexpr std::uint32_t kManyTopics = 512;
  const bool wide = topics >= kManyTopics && !__builtin_cpu_is("amd");
  if (chosen("v4", wide) && __builtin_cpu_supports("x86-64-v4")) return sample_cell_v4;
  if (chosen("v3", true) && __builtin_cpu_supports("x86-64-v3")) return sample_cell_v3;
#else
  (void)topics;
#endif
  if (chosen("baseline", true)) return sample_cell_baseline;
  throw std::runtime_error("ROTA_LDA_KERNEL=" + std::string(wanted) + " names no kernel that runs on this processor");
}

namespace {

constexpr std::size_t kBatch = 1024;  // random numbers drawn at a time
// Measured: a word with more topics than this part of all is not listed.
constexpr std::size_t kTopicsPerListed = 4;
constexpr float kInfinite = std::numeric_limits<float>::infinity();

// Updates phi of topic after topic.  Successive topics are mostly in the same block of phi, so the sum of one block is
// kept in a register: otherwise each addition would wait for the previous store.
class Refresh {
 public:
  Refresh(const Cell& cell, Side& side) : cell_(cell), side_(side), blocks_(cell.topics > kWholePhi) {
    if (blocks_) sum_ = side.phi_blocks[0];
  }
  ~Refresh() {
    if (blocks_) side_.phi_blocks[block_] = sum_;
    side_.phi_sum += more_;
  }
  Refresh(const Refresh&) = delete;

  void operator()(std::uint32_t topic) {
    const float phi = (static_cast<float>(side_.word[topic]) + cell_.beta) * cell_.inverse[topic];
    double more = static_cast<double>(phi) - static_cast<double>(side_.phi[topic]);
    if (cell_.alphas != nullptr) more *= static_cast<double>(cell_.alphas[topic]);
    side_.phi[topic] = phi;
    more_ += more;
    if (!blocks_) return;
    if (topic / kPhiBlock != block_) {
      side_.phi_blocks[block_] = sum_;
      block_ = topic / kPhiBlock;
      sum_ = side_.phi_blocks[block_];
    }
    sum_ += more;
  }

 private:
  const Cell& cell_;
  Side& side_;
  bool blocks_;
  std::uint32_t block_ = 0;
  double sum_ = 0, more_ = 0;
};

}  // namespace

CellSampler::CellSampler(const Priors& priors, bool side_by_side)
    : kernel_(choose_kernel(priors.topics())), side_by_side_(side_by_side) {
  cell_.topics = priors.topics();
  set_priors(priors);
  row_runs_.assign(run_places(priors.topics()), kInfinite);
  cell_.row_runs = row_runs_.data();
  for (std::size_t s = 0; s < 2; ++s) {
    Drawing& its = drawings_[s];
    its.phi_blocks.resize(phi_places(priors.topics()) / kPhiBlock);
    its.counts.resize(padded(priors.topics()));
    its.draws.resize(kBatch);
    its.runs.assign(run_places(priors.topics()), kInfinite);
    cell_.sides[s].phi_blocks = its.phi_blocks.data();
    cell_.sides[s].word = its.counts.data();
    cell_.sides[s].runs = its.runs.data();
    its.topics.resize(padded(priors.topics()));
    its.weights.resize(padded(priors.topics()));
    its.places.assign(priors.topics(), kNoPlace);
    cell_.sides[s].topics = its.topics.data();
    cell_.sides[s].weights = its.weights.data();
    cell_.sides[s].places = its.places.data();
  }
}

void CellSampler::set_priors(const Priors& priors) {
  cell_.alpha = static_cast<float>(priors.alphas[0]);
  cell_.beta = static_cast<float>(priors.beta);
  cell_.alphas = nullptr;
  if (priors.symmetric()) return;
  alphas_.assign(phi_places(priors.topics()), 0);
  for (std::uint32_t k = 0; k < priors.topics(); ++k) alphas_[k] = static_cast<float>(priors.alphas[k]);
  cell_.alpha = 1;
  cell_.alphas = alphas_.data();
}

void CellSampler::begin(Draw draw, TopicTotals& totals, DocumentRows& rows) {
  if (cell_.sums == nullptr || totals.commits() != commits_ || totals.v_beta() != cell_.v_beta) ++cell_.version;
  ++cell_.task;
  commits_ = totals.commits();
  cell_.sums = is_fixed(draw) ? rows.sums() : nullptr;
  if (is_fixed(draw)) totals.derive(cell_.sums == nullptr);
  cell_.draw = draw;
  cell_.v_beta = totals.v_beta();
  cell_.totals = totals.totals();
  cell_.inverse = totals.inverse();
  cell_.all_narrow = rows.all_narrow();
  cell_.rows = rows.rows();
  cell_.store = rows.store();
  cell_.wide_store = rows.wide_store();

  drawings_[1].phi.assign(totals.phi(), totals.phi() + phi_places(cell_.topics));
  cell_.sides[0].phi = totals.phi();
  cell_.sides[1].phi = drawings_[1].phi.data();
  std::vector<double>& sums = drawings_[0].phi_blocks;
  for (std::uint32_t k = 0; k < cell_.topics;) {
    const std::uint32_t block = k / kPhiBlock, end = std::min(cell_.topics, (block + 1) * kPhiBlock);
    double sum = 0;  // in a register: otherwise each addition would wait for the previous store
    for (; k < end; ++k) sum += weight(k) * static_cast<double>(cell_.sides[0].phi[k]);
    sums[block] = sum;
  }
  std::copy(sums.begin(), sums.end(), drawings_[1].phi_blocks.begin());
  cell_.sides[0].phi_sum = cell_.sides[1].phi_sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  sum_at_first_ = cell_.sides[0].phi_sum;
  blocks_at_first_ = sums;
}

void CellSampler::add(WordRow& word, std::span<const std::uint32_t> documents, std::span<std::uint16_t> token_topics,
                      Random& random, std::size_t following) {
  while (drawings_[0].word != nullptr && (drawings_[1].word != nullptr || !(side_by_side_ || is_fixed(cell_.draw))))
    run();
  const std::size_t s = drawings_[0].word == nullptr ? 0 : 1;
  Drawing& its = drawings_[s];
  its.word = &word;
  its.documents = documents;
  its.token_topics = token_topics;
  its.random = &random;
  its.following = following;
  its.done = its.ready = 0;
  if (its.appeared.size() < documents.size()) its.appeared.resize(documents.size());
  cell_.sides[s].appeared = its.appeared.data();
  cell_.sides[s].appeared_count = 0;
  spread(s);
}

void CellSampler::finish() {
  while (drawings_[0].word != nullptr || drawings_[1].word != nullptr) run();
}

void CellSampler::run() {
  cell_.tokens = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t s = 0; s < 2; ++s) {
    Drawing& its = drawings_[s];
    if (its.word == nullptr) continue;
    if (its.ready == its.done) {
      its.ready = std::min(its.done + kBatch, its.documents.size());
      Random random = *its.random;  // its state in registers: the compiler cannot exclude aliasing with the numbers
      for (std::size_t i = its.done; i < its.ready; ++i) its.draws[i % kBatch] = random();
      *its.random = random;
    }
    Side& side = cell_.sides[s];
    side.documents = its.documents.data() + its.done;
    side.token_topics = its.token_topics.data() + its.done;
    side.draws = its.draws.data() + its.done % kBatch;
    side.ahead = static_cast<std::uint32_t>(its.documents.size() - its.done + its.following);
    cell_.tokens = std::min(cell_.tokens, static_cast<std::uint32_t>(its.ready - its.done));
  }
  cell_.both = drawings_[0].word != nullptr && drawings_[1].word != nullptr;
  cell_.only = drawings_[0].word == nullptr ? 1 : 0;
  kernel_(cell_);
  for (std::size_t s = 0; s < 2; ++s) {
    Drawing& its = drawings_[s];
    if (its.word == nullptr) continue;
    its.done += cell_.tokens;
    if (its.done < its.documents.size()) continue;
    collect(s);
    its.word = nullptr;
  }
}

// Phi of all topics is that of a word without tokens; changes it to the cell's.
void CellSampler::spread(std::size_t s) {
  Side& side = cell_.sides[s];
  Drawing& its = drawings_[s];
  const WordRow& word = *its.word;
  side.listed = cell_.sums != nullptr && word.size() * kTopicsPerListed <= cell_.topics;
  if (side.listed) {
    side.used = 0;
    for (const TopicCount each : word) {
      side.word[each.topic] = each.count;
      side.topics[side.used] = each.topic;
      side.weights[side.used] = static_cast<float>(each.count) * cell_.inverse[each.topic];
      side.places[each.topic] = static_cast<std::uint16_t>(side.used++);
    }
    const std::uint32_t blocks = padded(side.used) / kLanes;
    if (its.run_blocks > blocks)
      std::fill(its.runs.begin() + blocks * kLanes, its.runs.begin() + its.run_blocks * kLanes, kInfinite);
    return;
  }
  const std::uint32_t last = padded(cell_.topics) / kLanes - 1;
  if (its.run_blocks > last) std::fill_n(its.runs.begin() + last * kLanes, kLanes, kInfinite);
  its.run_blocks = last;
  Refresh refresh(cell_, side);
  for (const TopicCount each : word) {
    side.word[each.topic] = each.count;
    refresh(each.topic);
  }
}

// The reverse: moves the counts back into the row, and leaves zeros.
void CellSampler::collect(std::size_t s) {
  Side& side = cell_.sides[s];
  if (side.listed) {
    const std::size_t before = drawings_[s].word->size();
    side.appeared = side.topics + before;
    side.appeared_count = side.used - static_cast<std::uint32_t>(before);
    std::fill_n(side.weights, side.used, 0.0F);
    drawings_[s].run_blocks = padded(side.used) / kLanes;
    return collect(s, [&](std::uint32_t topic) { side.places[topic] = kNoPlace; });
  }
  if (!is_fixed(cell_.draw)) return collect(s, Refresh(cell_, side));
  // Of a word without tokens phi, and so its sums, have the values of the task's beginning.
  collect(s, [&](std::uint32_t topic) {
    side.phi[topic] = cell_.beta * cell_.inverse[topic];
    if (cell_.topics > kWholePhi) side.phi_blocks[topic / kPhiBlock] = blocks_at_first_[topic / kPhiBlock];
  });
  side.phi_sum = sum_at_first_;
}

template <typename Update>
void CellSampler::collect(std::size_t s, Update&& refresh) {
  Side& side = cell_.sides[s];
  WordRow& word = *drawings_[s].word;
  const auto take = [&](std::uint16_t topic) {
    const std::uint32_t count = std::exchange(side.word[topic], 0U);
    refresh(topic);
    return count;
  };
  std::size_t kept = 0;
  for (const TopicCount each : word)
    if (const std::uint32_t count = take(each.topic)) word[kept++] = {count, each.topic};
  word.resize(kept);

  new_cells_.clear();
  for (std::uint32_t i = 0; i < side.appeared_count; ++i)
    if (const std::uint32_t count = take(side.appeared[i])) new_cells_.push_back({count, side.appeared[i]});
  if (new_cells_.empty()) return;
  std::ranges::sort(new_cells_, {}, &TopicCount::topic);
  // Merged from the end: std::inplace_merge allocates.
  word.resize(kept + new_cells_.size());
  for (std::size_t to = word.size(), from = new_cells_.size(); from > 0;) {
    const bool old = kept > 0 && word[kept - 1].topic > new_cells_[from - 1].topic;
    word[--to] = old ? word[--kept] : new_cells_[--from];
  }
}

}  // namespace rota::lda
