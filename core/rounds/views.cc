#include "core/rounds/views.h"

#include <algorithm>
#include <cstring>

namespace rota {

Views::Views(const std::vector<Table>& tables) : dense_(tables.size()), views_(tables.size()) {
  for (TableId t = 0; t < tables.size(); ++t) {
    const Table& table = tables[t];
    if (!table.dense) continue;
    any_ = true;
    dense_[t].numbers = Zeroed<double>(static_cast<std::size_t>(table.keys) * table.row_width);
    views_[t] = TableView(table.keys, table.row_width, dense_[t].numbers.data(), &dense_[t].version);
  }
}

void Views::roll_back() {
  commits_ = 0;
  for (Dense& dense : dense_) {
    if (dense.numbers.size() == 0) continue;
    ++dense.version;  // a caller that keeps something made of an earlier version must see that it is another
    std::fill_n(dense.numbers.data(), dense.numbers.size(), 0.0);
  }
}

void Views::put(TableId table, const KeyRun& run, const void* values) {
  const std::size_t width = views_[table].width();
  if (width > 0 && run.count > 0)
    std::memcpy(dense_[table].numbers.data() + static_cast<std::size_t>(run.first) * width, values,
                static_cast<std::size_t>(run.count) * width * sizeof(double));
}

void Views::apply(const RoundDeltas& round) {
  ++commits_;
  if (!round.in_view) return;
  const TableId table = round.rows.table;
  ++dense_[table].version;
  for (std::size_t i = 0; i < round.rows.keys.size(); ++i)
    put(table, {round.rows.keys[i], 1}, round.values.data() + i * round.width);
  for (const CommittedRows& rows : round.open) {
    const std::byte* values = rows.values.view().data();
    for (const KeyRun& run : rows.runs) {
      put(table, run, values);
      values += static_cast<std::size_t>(run.count) * round.width * sizeof(double);
    }
  }
}

void Views::set(TableId table, Key key, std::span<const double> row) {
  if (views_[table].keys() == 0) return;
  ++dense_[table].version;
  put(table, {key, 1}, row.data());
}

void Views::restore(const Deltas& deltas) {
  const TableId table = deltas.rows.table;
  if (table >= dense_.size() || views_[table].keys() == 0) return;
  ++dense_[table].version;
  const std::size_t bytes = views_[table].width() * sizeof(double);
  for (std::size_t i = 0; i < deltas.rows.keys.size(); ++i)
    put(table, {deltas.rows.keys[i], 1}, deltas.values.view().data() + i * bytes);
}

}  // namespace rota
