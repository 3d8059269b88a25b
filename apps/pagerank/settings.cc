#include "apps/pagerank/settings.h"

namespace rota::pagerank {
namespace {

constexpr Option kOptions[] = {
    real_option("damping", "0.85", "", 0, 0.999999, "Probability of following an edge, d; else any node is next."),
    real_option("tolerance", "1e-9", "", 0, 1,
                "End when an epoch changes the ranks by less, summed over all nodes; 0: after --epochs."),
    {.name = "exchange",
     .kind = Option::Kind::choice,
     .default_value = "store",
     .unit = "store|sparse",
     .meaning = "How shards hear of ranks: all of them over the store, or only those that they need, from each other."},
    integer_option("steps", "10", "", 1, 1000000,
                   "With --exchange=sparse: steps of an epoch, which then ends in the store."),
};

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

std::vector<Ignored> ignored(const Options& options) {
  const char* const why = "an epoch is one round, and all have seen it before the next";
  if (options.text("exchange") == "sparse") {
    const char* const sums = "a sum of all shards has several steps, and none may lag";
    return {{"asynchronous", sums}, {"staleness", sums}};
  }
  return {{"asynchronous", why}, {"staleness", why}, {"steps", "--exchange=store makes one step an epoch"}};
}

}  // namespace rota::pagerank
