// rota/io/text_file.h -- a text file in blocks of whole lines; of a plain file, any part of it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/io/byte_source.h"

namespace rota::io {

class TextFile;

inline constexpr std::size_t kLongestLine = std::size_t{64} << 20;  // bytes, without its end

// A part of a file, read sequentially.  One thread at a time.
class LineBlocks {
 public:
  // All lines of a source.
  explicit LineBlocks(std::unique_ptr<ByteSource> source) : source_(std::move(source)) {}
  LineBlocks(LineBlocks&&) = default;

  // The next whole lines, at least one; false at the end.  They end with '\n', which is added if the file lacks it, and
  // kReadable bytes (decimal.h) after them can be read.  Valid until the next call.
  // Throws BrokenBytes if the file cannot be read or a line is longer than kLongestLine.
  bool next(std::string_view& block);

 private:
  friend class TextFile;
  LineBlocks(const TextFile& file, std::uint64_t begin, std::uint64_t end);
  std::size_t read(char* to, std::size_t size);
  bool fill();

  const TextFile* file_ = nullptr;
  std::unique_ptr<ByteSource> source_;  // of a file that cannot be divided
  std::unique_ptr<HostStream> stream_;  // of an object: its part
  std::uint64_t at_ = 0, end_ = 0;      // of the others: what is still to be read
  bool at_start_ = true;                // nothing is read yet, so there may be a byte order mark
  bool at_end_ = false;
  std::vector<char> buffer_;
  std::size_t given_ = 0, used_ = 0;  // buffer_[given_, used_) is read but not yet given
};

// An open file.  Threads may read parts of it at the same time.
class TextFile {
 public:
  // Throws NoInput if it cannot be opened, or only once (a pipe); DataError if it is empty or not what its name claims
  // (byte_source.h).
  explicit TextFile(std::string path);
  TextFile(TextFile&& other) noexcept;
  TextFile& operator=(TextFile&&) = delete;
  ~TextFile();

  const std::string& path() const { return path_; }
  // The file is plain and has the size that the system reports: its parts can be read independently.  Others are read
  // once, from start to end.
  bool divisible() const { return descriptor_ >= 0 || remote_ != nullptr; }
  // Of a divisible file, in bytes.
  std::uint64_t size() const { return size_; }
  // Of a divisible file: where the first line begins that does not begin before `offset`; size() if there is none.  A
  // byte order mark is not part of a line.  Throws BrokenBytes.
  std::uint64_t line_start(std::uint64_t offset) const;

  // The lines in [begin, end), both given by line_start().
  LineBlocks lines(std::uint64_t begin, std::uint64_t end) const { return LineBlocks(*this, begin, end); }
  LineBlocks all_lines() const { return LineBlocks(*this, 0, size_); }

 private:
  friend class LineBlocks;
  // Fills `to`.  Throws BrokenBytes if the file has become shorter.
  void read(std::uint64_t offset, char* to, std::size_t size) const;

  std::string path_;
  int descriptor_ = -1;
  std::shared_ptr<const RemoteFile> remote_;  // of an object that is plain
  std::uint64_t size_ = 0;
};

// The size of the files together, decompressed.  Compressed files are read to the end, or up to the first damage.
// Throws as TextFile() does.
std::uint64_t text_bytes(const std::vector<std::string>& files);

}  // namespace rota::io
