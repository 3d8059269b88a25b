// rota/io/byte_source.h -- the bytes of one file, decompressed if it is .gz, .bz2, .xz or .zst.
#pragma once
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

namespace rota::io {

// The bytes cannot be had: a read failed, or compressed data is damaged or ends early.
class BrokenBytes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Reads at most `size` bytes, and none only at the end.  Throws BrokenBytes.
  virtual std::size_t read(char* to, std::size_t size) = 0;
  // They are those of the file.
  virtual bool is_plain() const = 0;
};

// What a file is, is told by its first bytes; a name ending in .gz, .bz2, .xz or .zst must agree with them.
// Throws NoInput if the file cannot be opened, BrokenBytes if it is empty, not what its name says, or of a known kind
// that is no text (a zip archive, say).
std::unique_ptr<ByteSource> open_bytes(const std::string& path);

}  // namespace rota::io
