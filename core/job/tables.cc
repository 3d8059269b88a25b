#include "core/job/tables.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rota {

Status check_tables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    if (!table.dense) continue;
    const auto broken = [&](const std::string& what) {
      return Status(ExitCode::failed, "table " + table.name + ": " + what);
    };
    if (table.kind != Table::Kind::shared) return broken("a sliced table cannot be dense");
    const std::uint64_t width = std::max({table.row_width, table.part_width, 1U});
    if (table.keys > kDenseNumbersMost / width)
      return broken(std::to_string(table.keys) + " rows of " + std::to_string(width) +
                    " numbers are too many for a dense table");
  }
  return {};
}

std::vector<Table> tables_of(const App& app, const Facts& facts) {
  std::vector<Table> tables = app.tables(facts);
  const Status checked = check_tables(tables);
  if (!checked.ok()) throw std::runtime_error(checked.what());
  return tables;
}

}  // namespace rota
