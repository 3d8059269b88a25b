// cli/web/model_text.h -- the beginnings of the tables in a model's text form, to be looked at.
#pragma once
#include <filesystem>

#include "cli/web/seen_run.h"
#include "core/job/run_folder.h"

namespace rota {

// {"name", "columns", "rows"} of a file: at most 200 rows, and of those that the page draws what is in their first
// 1 MiB; "cut": true if it has more.  A CSV file has its columns' names, other text is divided at tabs.
Json table_of(const std::filesystem::path& file);
// {"epoch": E, "tables": [table]}: of each file that model/text.list names.  No tables if the text is not written yet.
Json model_tables(const RunFolder& run);
// Those of a folder that `rota export` has written.
Json exported_tables(const std::filesystem::path& folder);

}  // namespace rota
