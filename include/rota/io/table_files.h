// rota/io/table_files.h -- a CSV file in other formats, for programs that read those faster.
#pragma once
#include <filesystem>
#include <string_view>

namespace rota::io {

enum class TableFormat { csv, json, npy, matrix_market };

// The ending of a file's name: ".csv", ".json", ".npy", ".mtx".
std::string_view ending_of(TableFormat format);

// Writes the table of the CSV file `from`, which has a header, into `to`.  Throws DataError, or std::system_error as
// TextWriter does.
//
//   json           a list of objects, one a row
//   npy            a structured array of NumPy: whole numbers as <i8, other numbers as <f8, texts as <U of the longest
//   matrix_market  a dense matrix ("array real general"), the names of its columns in a comment; false, and no file, if
//                  there is a text in the table
bool convert_table(const std::filesystem::path& from, TableFormat format, const std::filesystem::path& to);

}  // namespace rota::io
