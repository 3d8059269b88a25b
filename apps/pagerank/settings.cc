#include "apps/pagerank/settings.h"

namespace rota::pagerank {
namespace {

constexpr Option kOptions[] = {
    real_option("damping", "0.85", "", 0, 0.999999, "Probability of following an edge, d; else any node is next."),
    real_option("tolerance", "1e-9", "", 0, 1,
                "End when an epoch changes the ranks by less, summed over all nodes; 0: after --epochs."),
};

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

std::vector<Ignored> ignored(const Options&) {
  const char* const why = "an epoch is one round, and all have seen it before the next";
  return {{"asynchronous", why}, {"staleness", why}};
}

}  // namespace rota::pagerank
