#include "apps/pagerank/commands/show.h"

#include <algorithm>
#include <ostream>
#include <string>

#include "apps/pagerank/commands/trained_model.h"
#include "rota/io/number_text.h"

namespace rota::pagerank {
namespace {

constexpr Option kShowOptions[] = {
    integer_option("top", "20", "nodes", 0, 268435456.0, "Number of nodes shown, the highest ranks first; 0: all."),
};

}  // namespace

std::span<const Option> show_options() {
  return kShowOptions;
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto top = static_cast<std::size_t>(call.options.integer("top"));
  out << model.ranks.size() << " nodes, epoch " << call.model->epoch() << "\n\n      rank  node\n";
  for (const std::size_t v : top_nodes(model, top == 0 ? model.ranks.size() : top)) {
    const std::string rank = io::six_digits(model.ranks[v]);
    out << std::string(12 - std::min<std::size_t>(12, rank.size()), ' ') << rank << "  " << model.names[v] << "\n";
  }
}

}  // namespace rota::pagerank
