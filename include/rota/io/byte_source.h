// rota/io/byte_source.h -- the bytes of one file, decompressed if it is .gz, .bz2, .xz or .zst.  A path may be the URL
// of an object (rota/host_files.h); Parquet becomes CSV.
#pragma once
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "rota/host_files.h"

namespace rota::io {

// The bytes are not available: a read failed, or compressed data is damaged or ends early.
class BrokenBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads at most `size` bytes; none only at the end.  Throws BrokenBytes.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // Whether the bytes are those of the file, without decompression.
  virtual bool is_plain() const = 0;
  // Whether the bytes are CSV with a header and commas that a table was turned into.
  virtual bool is_table() const { return false; }
};

// The first bytes of a file decide its kind; a name ending in .gz, .bz2, .xz or .zst must agree with them.  Throws
// NoInput if the file cannot be opened, BrokenBytes if it is empty, not what its name claims, or of a known kind that
// is not text (a zip archive, for example); of an object or a table also what HostFiles throws.
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

// Whether a file's first bytes are those of Parquet.  Throws as open_bytes().
bool is_parquet(const std::string& path);
// The documents of a table, a line each; null if it has no column with words.
std::unique_ptr<ByteSource> open_documents(const std::string& path);

// Null for a file of this machine.
std::shared_ptr<const RemoteFile> open_remote_file(const std::string& path);

}  // namespace rota::io
