// core/sources/duckdb_table.h -- Parquet files as text, through DuckDB's library if the user has it.
//
// The library is opened when the first such file is read: ROTA_DUCKDB names it, or else the system finds
// "libduckdb.so".  One thread, and rows in the file's order, so that the text is the same everywhere.
#pragma once
#include <memory>
#include <string>

#include "core/base/status.h"
#include "rota/host_files.h"

namespace rota {

// The rows of the file at `place`, which is called `name` in texts.  As CSV: a number as the shortest text that is read
// as the same number (those of single precision first become doubles); true and false as 1 and 0; a date or time as
// seconds since 1970; what is missing as an empty field.  A column of lists of numbers, all of one length n, becomes
// the columns NAME.1 .. NAME.n.  What has no such form (a structure) becomes the name of its type, which the reader
// refuses where it wants a number.  ExitCode::no_input if there is no library, bad_data if the file is damaged; null
// for documents if no column has words.
Result<std::unique_ptr<HostStream>> open_parquet(const std::string& name, const std::string& place, TableText form);

}  // namespace rota
