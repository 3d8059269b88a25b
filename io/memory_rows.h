// io/memory_rows.h -- rows, entries and numbers of data in memory (rota/memory_input.h).
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "rota/io/entry_reader.h"
#include "rota/io/row_reader.h"
#include "rota/memory_input.h"

namespace rota::io {

// All throw NoInput if the process holds no data of that name; then as read_rows(), read_entries() and read_numbers().
std::unique_ptr<RowReader> read_memory_rows(const std::string& name, const RowForm& form);
std::unique_ptr<EntryReader> read_memory_entries(const std::string& name, const EntryForm& form);
std::vector<double> memory_numbers(const std::string& name);

}  // namespace rota::io
