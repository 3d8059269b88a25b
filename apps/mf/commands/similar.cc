#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"

namespace rota::mf {
namespace {

constexpr Option kSimilarOptions[] = {
    {.name = "item", .kind = Option::Kind::text, .meaning = "The item, by its name in the ratings."},
    integer_option("top", "10", "items", 1, 268435456.0, "Number of items, the most similar first."),
};

void similar(const Call& call, std::ostream& out) {
  const std::string_view name = call.options.text("item");
  if (name.empty()) throw UsageError("--item is missing: the item to compare others with");
  const TrainedModel model = read_model(*call.model);
  const auto item = model.items.names.find(name);
  if (!item) throw UsageError("the model has no item " + io::quoted(name));
  const std::span<const float> wanted = model.items.row(*item);
  const double length = std::sqrt(dot(wanted, wanted));
  std::vector<std::pair<double, std::uint32_t>> order;  // minus the cosine, item
  for (std::uint32_t i = 0; i < model.items.size(); ++i) {
    const std::span<const float> row = model.items.row(i);
    const double lengths = length * std::sqrt(dot(row, row));
    if (i != *item) order.emplace_back(lengths > 0 ? -dot(wanted, row) / lengths : 0, i);
  }
  const auto top = std::min(static_cast<std::size_t>(call.options.integer("top")), order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(top), order.end());
  out << "item,cosine\n";
  for (std::size_t i = 0; i < top; ++i)
    out << io::csv_field(model.items.names.word(order[i].second)) << "," << io::six_digits(-order[i].first) << "\n";
}

}  // namespace

Command similar_command() {
  return {.name = "similar",
          .summary = "prints the items most similar to an item, as CSV",
          .options = kSimilarOptions,
          .run = similar};
}

}  // namespace rota::mf
