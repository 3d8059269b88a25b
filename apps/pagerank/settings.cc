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
     .meaning = "How shards receive ranks: all of them from the store, or only those that they need, from each other."},
    integer_option("steps", "10", "", 1, 1000000, "Steps of an epoch, which then ends with a round of the store.",
                   {"--exchange=sparse", [](const Options& options) { return options.text("exchange") == "sparse"; }}),
};

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

}  // namespace rota::pagerank
