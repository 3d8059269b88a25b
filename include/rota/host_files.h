// rota/host_files.h -- files that the host of a plugin reads for it: objects behind a URL, and tables of Parquet.
//
// The host has the code, and opens the libraries that it needs (libcurl, DuckDB) when the first such file is read: a
// plugin is linked with neither, and a process that reads local text starts without them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace rota {

// Whether a path is the URL of an object: https, http or s3.
inline bool is_remote(std::string_view path) {
  return path.starts_with("https://") || path.starts_with("http://") || path.starts_with("s3://");
}
// A path, or a URL without its query: what an ending like ".csv" is looked for in.
inline std::string_view name_of_input(std::string_view path) {
  return path.starts_with("http") && is_remote(path) ? path.substr(0, path.find_first_of("?#")) : path;
}

// Bytes in their order.
class HostStream {
 public:
  virtual ~HostStream() = default;
  // Reads at most `size` bytes; none only at the end.
  virtual std::size_t read(char* to, std::size_t size) = 0;
};

// One version of an object: what a process reads is that of its first look at it, or an error.
class RemoteFile {
 public:
  virtual ~RemoteFile() = default;
  virtual std::uint64_t size() const = 0;
  // The bytes [begin, end); several threads may each have a stream.  Valid as long as this object.
  virtual std::unique_ptr<HostStream> stream(std::uint64_t begin, std::uint64_t end) const = 0;
  // A path under which this process can open a copy, as long as this object lives.
  virtual std::string local_copy() const = 0;
};

enum class TableText {
  csv,        // a header and a record for each row, as in RFC 4180
  documents,  // of the only column with words (text, or lists of texts): a line for each row
};

// All throw NoInput, DataError, UsageError or ReadError (rota/error.h), and so do what they return.
class HostFiles {
 public:
  virtual ~HostFiles() = default;
  // REQUIRES: is_remote(url).
  virtual std::shared_ptr<const RemoteFile> open(const std::string& url) = 0;
  // The rows of a Parquet file in their order.  Null for documents if the table has no column with words.
  virtual std::unique_ptr<HostStream> open_table(const std::string& path, TableText form) = 0;
};

// Where the code that includes this finds them: a plugin library, or a program.  The host of a plugin sets that of the
// plugin (Plugin::host_files).
using HostFilesSlot = std::atomic<HostFiles*>;
inline HostFilesSlot& host_files_slot() {
  static HostFilesSlot slot = nullptr;
  return slot;
}

}  // namespace rota
