#include "core/job/tables.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <utility>

#include "core/base/finite.h"
#include "core/base/seed.h"
#include "rota/error.h"

namespace rota {

Status check_tables(const std::vector<Table>& tables) {
  for (const Table& table : tables) {
    if (!table.dense && !table.started) continue;
    const char* const what = table.dense ? "dense" : "started";
    const auto broken = [&](const std::string& why) {
      return Status(ExitCode::failed, "table " + table.name + ": " + why);
    };
    if (table.kind != Table::Kind::shared) return broken(std::string("a sliced table cannot be ") + what);
    const std::uint64_t width = std::max({table.row_width, table.part_width, 1U});
    if (table.keys > kDenseNumbersMost / width)
      return broken(std::to_string(table.keys) + " rows of " + std::to_string(width) + " numbers are too many for a " +
                    what + " table");
  }
  return {};
}

void for_each_starting_row(const App& app, const Facts& facts, const std::vector<Table>& tables, std::uint64_t seed,
                           const std::function<void(TableId, Key, std::span<const double>)>& f) {
  std::vector<double> row;
  for (TableId table = 0; table < tables.size(); ++table) {
    if (!tables[table].started) continue;
    for (Key key = 0; key < tables[table].keys; ++key) {
      row.assign(tables[table].row_width, 0.0);
      Random random = random_for(seed, Stream::start_row, table, key, 0);
      app.start_row(facts, table, key, row, random);
      if (!all_finite(row))
        throw std::runtime_error("row " + std::to_string(key) + " of " + tables[table].name +
                                 " does not start with finite numbers");
      f(table, key, row);
    }
  }
}

double workers_of(const Job& job) {
  return job.options.has("workers") ? static_cast<double>(job.options.integer("workers")) : 1;
}

std::string beyond_memory(const Job& job, const std::string& what, double bytes, const std::string& most) {
  const auto gigabytes = [](double number) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3g GB", number / 1e9);
    return std::string(text);
  };
  return what + " takes about " + gigabytes(bytes) + " of each worker's memory" + most + ", and this machine has " +
         gigabytes(static_cast<double>(job.memory)) + " for each of " +
         std::to_string(static_cast<int>(workers_of(job))) + ": choose less, or --memory=unchecked";
}

namespace {

// Less than it will be: nothing is refused that would fit.
void check_memory(const std::vector<Table>& tables, const Job& job) {
  if (job.memory == 0) return;
  const double workers = workers_of(job);
  double all = 0, most = 0;
  const Table* largest = nullptr;
  for (const Table& table : tables) {
    const double numbers = static_cast<double>(table.keys) * table.row_width * sizeof(double);
    // Every worker has the view, and the store what it is of.
    const double bytes = (table.dense ? numbers * (1 + 1 / workers) : 0) + table.memory / workers;
    all += bytes;
    if (bytes > most) largest = &table, most = bytes;
  }
  if (all <= static_cast<double>(job.memory)) return;
  std::string option = largest->sized_by;
  if (!option.empty()) option = "--" + option + "=" + std::string(job.options.text(option)) + ": ";
  const auto percent = std::to_string(static_cast<int>(100 * most / all));
  throw UsageError(
      beyond_memory(job, option + "the model", all, ", " + percent + " % of it for table " + largest->name));
}

Routes routes_of(Dataflow flow, std::uint32_t shards, const std::string& name) {
  if (flow.steps.empty()) throw std::runtime_error(name + " has no step");
  Routes routes;
  for (std::size_t step = 0; step < flow.steps.size(); ++step) {
    const std::string where = name + ", step " + std::to_string(step);
    if (flow.steps[step].size() != shards)
      throw std::runtime_error(where + ": receivers for " + std::to_string(flow.steps[step].size()) + " of " +
                               std::to_string(shards) + " shards");
    auto& senders = routes.senders.emplace_back(shards);
    for (ShardId s = 0; s < shards; ++s) {
      const std::vector<ShardId>& receivers = flow.steps[step][s];
      for (std::size_t i = 0; i < receivers.size(); ++i) {
        const bool possible = receivers[i] < shards && receivers[i] != s && (i == 0 || receivers[i - 1] < receivers[i]);
        if (!possible)
          throw std::runtime_error(where + ": shard " + std::to_string(s) + " cannot send to " +
                                   std::to_string(receivers[i]) + ": receivers must ascend");
        senders[receivers[i]].push_back(s);
      }
    }
  }
  routes.receivers = std::move(flow.steps);
  return routes;
}

}  // namespace

std::vector<Table> tables_of(const App& app, const Job& job, const Facts& facts) {
  std::vector<Table> tables = app.tables(facts);
  check_memory(tables, job);
  const Status checked = check_tables(tables);
  if (!checked.ok()) throw std::runtime_error(checked.what());
  return tables;
}

std::vector<Routes> routes_of(const App& app, const Facts& facts, std::uint32_t shards) {
  std::vector<Routes> all;
  for (Dataflow& flow : app.dataflows(facts))
    all.push_back(routes_of(std::move(flow), shards, "dataflow " + std::to_string(all.size())));
  return all;
}

}  // namespace rota
