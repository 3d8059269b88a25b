#include "apps/kmeans/commands/show.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "apps/kmeans/commands/trained_model.h"
#include "rota/io/number_text.h"

namespace rota::kmeans {
namespace {

constexpr Option kShowOptions[] = {
    integer_option("top", "10", "columns", 0, 268435456.0, "Number of columns shown for a cluster, the largest first."),
};

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

// The columns in which a centre is farthest from 0.
std::vector<std::uint64_t> top_columns(const Centres& centres, std::uint32_t k, std::size_t most) {
  std::vector<double> size(centres.columns());
  for (std::uint64_t j = 0; j < size.size(); ++j) size[j] = std::abs(centres.value(j, k));
  std::vector<std::uint64_t> order(size.size());
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
  std::partial_sort(order.begin(), end, order.end(),
                    [&](std::uint64_t a, std::uint64_t b) { return size[a] != size[b] ? size[a] > size[b] : a < b; });
  order.erase(end, order.end());
  std::erase_if(order, [&](std::uint64_t j) { return size[j] == 0; });
  return order;
}

}  // namespace

std::span<const Option> show_options() {
  return kShowOptions;
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const Centres& centres = model.centres;
  const auto most = static_cast<std::size_t>(call.options.integer("top"));
  out << centres.clusters() << " clusters, " << centres.columns() << " columns, epoch " << call.model->epoch() << "\n"
      << "For each: its number of rows, and its centre's largest numbers, column:number, columns from 1.\n\n";
  for (std::uint32_t k = 0; k < centres.clusters(); ++k) {
    out << right_aligned(std::to_string(k), 5)
        << right_aligned(io::exact_text(static_cast<std::uint64_t>(centres.count(k))), 11) << " ";
    for (const std::uint64_t j : top_columns(centres, k, most))
      out << " " << j + 1 << ":" << io::six_digits(centres.value(j, k));
    out << "\n";
  }
}

}  // namespace rota::kmeans
