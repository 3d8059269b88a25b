#include "apps/kmeans/commands/export.h"

#include <string_view>

#include "apps/kmeans/commands/trained_model.h"
#include "rota/io/text_writer.h"

namespace rota::kmeans {
namespace {

constexpr std::string_view kReadme = R"(Clusters of rows (k-means) as text.

Clusters are numbered from 0, columns of the data from 1.  Numbers are written so that reading them gives the same
double.

clusters.csv  One cluster a line: its number, and how many rows it has.  One without rows has no centre.
centres.csv   One number of a centre a line, those that are not 0: cluster, column, value.
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

}  // namespace

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(stored);
  io::TextWriter readme(folder / "README.txt");
  readme << kReadme;
  readme.close();
  write_clusters(model.centres, io::TextWriter(folder / "clusters.csv"));
  write_centres(model.centres, io::TextWriter(folder / "centres.csv"));
}

}  // namespace rota::kmeans
