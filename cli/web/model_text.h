// cli/web/model_text.h -- the beginnings of the tables in a model's text form, to be looked at.
#pragma once
#include <filesystem>

#include "cli/web/seen_run.h"
#include "core/job/run_folder.h"

namespace rota {

// {"epoch": E, "tables": [{"name", "columns", "rows"}]}: of each file that model/text.list names, at most 200 rows.  A
// CSV file has its columns' names, other text is divided at tabs.  No tables if the text is not written yet.
Json model_tables(const RunFolder& run);
// Those of a folder that `rota export` has written.
Json exported_tables(const std::filesystem::path& folder);

}  // namespace rota
