// bench/sparse_allreduce_bytes.cc -- bytes sent by a sparse allreduce, by its degrees: one layer, which is direct
// all-to-all, layers of two, and degrees planned from the distribution of the keys.
//
// usage: sparse_allreduce_bytes [KEYS] [DENSITY] [ALPHA] [LEAST_BYTES]
//
// Every simulated shard adds to and wants the same keys, drawn by the power law; only numbers are sent, as in every
// round after the first.  The sums are compared with those of the dense vectors, bit by bit.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>

#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "rota/exchange/replica_exchange.h"
#include "rota/exchange/sparse_allreduce.h"
#include "rota/numerics/power_law.h"

namespace {

using namespace rota;

struct Sent {
  std::size_t bytes = 0, messages = 0, largest = 0;
};

template <typename Scatter, typename Gather>
Sent run(const Dataflow& flow, std::size_t shards, Scatter scatter, Gather gather) {
  Sent sent;
  for (std::uint32_t step = 0; step < flow.steps.size(); ++step) {
    std::vector<std::vector<Incoming>> in(shards);
    for (ShardId s = 0; s < shards; ++s) {
      Outgoing out(flow.steps[step][s]);
      scatter(s, step, out);
      const auto messages = out.take();
      for (std::size_t i = 0; i < messages.size(); ++i) {
        sent.bytes += messages[i].size();
        ++sent.messages;
        sent.largest = std::max(sent.largest, messages[i].size());
        in[flow.steps[step][s][i]].push_back({s, messages[i]});
      }
    }
    for (ShardId s = 0; s < shards; ++s) gather(s, step, in[s]);
  }
  return sent;
}

std::vector<std::vector<Key>> drawn_sets(std::size_t shards, std::uint64_t keys, double alpha, double density) {
  std::mt19937_64 random(shards);
  std::uniform_real_distribution<double> uniform(0, 1);
  // lambda by bisection on the exact sum, as in PowerLaw but apart from it.
  const auto share = [&](double lambda) {
    double sum = 0;
    for (std::uint64_t r = 1; r <= keys; ++r) sum += -std::expm1(-lambda * std::pow(static_cast<double>(r), -alpha));
    return sum / static_cast<double>(keys);
  };
  double least = 0, most = 1;
  while (share(most) < density) most *= 2;
  for (int i = 0; i < 40; ++i) (share((least + most) / 2) < density ? least : most) = (least + most) / 2;
  std::vector<std::vector<Key>> sets(shards);
  for (auto& set : sets)
    for (std::uint64_t r = 1; r <= keys; ++r)
      if (uniform(random) < -std::expm1(-most * std::pow(static_cast<double>(r), -alpha))) set.push_back(r - 1);
  return sets;
}

std::string text_of(const std::vector<std::uint32_t>& degrees) {
  std::string text;
  for (const std::uint32_t d : degrees) text += (text.empty() ? "" : " x ") + std::to_string(d);
  return text;
}

// Returns whether the sums are right.
bool compare(const std::vector<std::vector<Key>>& sets, std::uint64_t keys, const std::vector<std::uint32_t>& degrees) {
  const std::size_t shards = sets.size();
  const Dataflow flow = nested_dataflow(degrees);
  std::vector<SparseAllreduce> sparse;
  std::vector<std::vector<double>> dense(shards, std::vector<double>(keys)), values(shards);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (ShardId s = 0; s < shards; ++s) {
    sparse.emplace_back(s, degrees).configure(sets[s], sets[s]);
    for (const Key key : sets[s]) values[s].push_back(dense[s][key] = normal(random));
  }
  Sent first, later;
  for (int round = 0; round < 2; ++round) {
    for (ShardId s = 0; s < shards; ++s) sparse[s].begin(values[s]);
    (round == 0 ? first : later) = run(
        flow, shards, [&](ShardId s, std::uint32_t step, Outgoing& out) { sparse[s].scatter(step, out); },
        [&](ShardId s, std::uint32_t step, std::span<const Incoming> in) { sparse[s].gather(step, in); });
  }
  const NestedSum sum(degrees);
  const Sent whole = run(
      flow, shards, [&](ShardId s, std::uint32_t step, Outgoing& out) { sum.scatter(s, dense[s], step, out); },
      [&](ShardId s, std::uint32_t step, std::span<const Incoming> in) { sum.gather(s, dense[s], step, in); });
  bool right = true;
  for (ShardId s = 0; s < shards; ++s)
    for (std::size_t i = 0; i < sets[s].size(); ++i) right = right && sparse[s].sums()[i] == dense[0][sets[s][i]];
  const auto each = [&](std::size_t bytes) { return static_cast<double>(bytes) / 1e6 / static_cast<double>(shards); };
  std::printf("| %zu | %s | %.3f | %.3f | %.3f | %.1f | %.1f | %s |\n", shards, text_of(degrees).c_str(),
              each(later.bytes), each(first.bytes), each(whole.bytes),
              static_cast<double>(later.messages) / static_cast<double>(shards),
              static_cast<double>(later.bytes) / static_cast<double>(later.messages) / 1e3, right ? "equal" : "WRONG");
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t keys = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const double density = argc > 2 ? std::atof(argv[2]) : 0.1, alpha = argc > 3 ? std::atof(argv[3]) : 1;
  const double least = argc > 4 ? std::atof(argv[4]) : 50000;
  std::puts("| shards | degrees | MB a shard, numbers | with keys | dense | messages a shard | KB a message | sums |");
  std::puts("|---|---|---|---|---|---|---|---|");
  bool right = true;
  for (const std::uint32_t shards : {4U, 8U, 16U, 32U, 64U}) {
    const auto sets = drawn_sets(shards, keys, alpha, density);
    std::map<std::vector<std::uint32_t>, bool> done;
    for (const auto& degrees : {std::vector<std::uint32_t>{shards}, prime_degrees(shards),
                                planned_degrees(shards, keys, PowerLaw(keys, alpha, density), 8, least)})
      if (done.emplace(degrees, true).second) right = compare(sets, keys, degrees) && right;
  }
  return right ? 0 : 1;
}
