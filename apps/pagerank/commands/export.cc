#include "apps/pagerank/commands/export.h"

#include <string_view>

#include "apps/pagerank/commands/trained_model.h"
#include "rota/io/csv_text.h"
#include "rota/io/text_writer.h"

namespace rota::pagerank {
namespace {

constexpr std::string_view kReadme = R"(The PageRank of a graph's nodes as text.

ranks.csv  One node a line, in the order of the nodes' first occurrence in the input: node, rank.  Ranks add up to 1,
           and are written so that reading them gives the same double.  A name with a comma or a quotation mark is
           quoted, and quotation marks in it are doubled (RFC 4180).
)";

}  // namespace

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(stored);
  io::TextWriter readme(folder / "README.txt"), ranks(folder / "ranks.csv");
  readme << kReadme;
  readme.close();
  ranks << "node,rank\n";
  for (std::size_t v = 0; v < model.ranks.size(); ++v)
    ranks << io::csv_field(model.names[v]) << "," << model.ranks[v] << "\n";
  ranks.close();
}

}  // namespace rota::pagerank
