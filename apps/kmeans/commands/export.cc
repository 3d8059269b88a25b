#include "apps/kmeans/commands/export.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/kmeans/commands/trained_model.h"
#include "apps/kmeans/shard.h"
#include "rota/io/text_writer.h"

namespace rota::kmeans {
namespace {

constexpr std::string_view kReadme = R"(Clusters of rows (k-means) as text.

Clusters are numbered from 0, columns of the data from 1.  Numbers are written so that reading them gives the same
double.

clusters.csv     One cluster a line: its number, and its number of rows.  One without rows has no centre.
centres.csv      One number of a centre a line, those that are not 0: cluster, column, value.
assignments.csv  One row of the data a line, in the order of the input, numbered from 1; a second input file continues
                 the count: row, the cluster of the nearest centre, the Euclidean distance to it.
)";

void write_clusters(const Centres& centres, io::TextWriter out) {
  out << "cluster,rows\n";
  for (std::uint32_t k = 0; k < centres.clusters(); ++k)
    out << std::uint64_t{k} << "," << static_cast<std::uint64_t>(centres.count(k)) << "\n";
  out.close();
}

void write_centres(const Centres& centres, io::TextWriter out) {
  out << "cluster,column,value\n";
  for (std::uint32_t k = 0; k < centres.clusters(); ++k)
    for (std::uint64_t j = 0; j < centres.columns(); ++j)
      if (const double c = centres.value(j, k); c != 0) out << std::uint64_t{k} << "," << j + 1 << "," << c << "\n";
  out.close();
}

void write_rows(const Model& model, io::TextWriter out) {
  std::vector<ShardState> shards(model.job().shards);
  std::uint64_t rows = 0;
  for (ShardId s = 0; s < shards.size(); ++s) {
    shards[s] = read_fields<ShardState>(model.shard(s));
    rows += shards[s].nearest.size();
  }
  out << "row,cluster,distance\n";
  for (std::uint64_t i = 0; i < rows; ++i) {  // row i is that of shard i mod S: rows.h
    const ShardState& shard = shards[i % shards.size()];
    const std::uint64_t r = i / shards.size();
    if (r >= shard.nearest.size()) throw std::runtime_error("row " + std::to_string(i + 1) + " is in no shard");
    out << i + 1 << "," << std::uint64_t{shard.nearest[r]} << "," << std::sqrt(shard.distance[r]) << "\n";
  }
  out.close();
}

}  // namespace

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(stored);
  io::TextWriter readme(folder / "README.txt");
  readme << kReadme;
  readme.close();
  write_clusters(model.centres, io::TextWriter(folder / "clusters.csv"));
  write_centres(model.centres, io::TextWriter(folder / "centres.csv"));
  write_rows(stored, io::TextWriter(folder / "assignments.csv"));
}

}  // namespace rota::kmeans
