// apps/io/byte_source.cc -- gzip through Boost.Iostreams, zstd through its own library: Boost's zstd filter takes
// a truncated file for a whole one.
#include "rota/io/byte_source.h"

#include <sys/stat.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <boost/iostreams/filter/gzip.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"

namespace rota::io {
namespace {

constexpr std::size_t kCompressedBlock = std::size_t{1} << 17;  // bytes
// What the filter has decompressed when it meets an error is lost, so it is asked for little at a time: the line
// that the error names is then close.
constexpr std::size_t kGzipPiece = 8192;  // bytes
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

class File {
 public:
  explicit File(const std::string& path) : file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw NoInput(path + ": cannot be opened: " + std::strerror(errno));
    struct stat status {};
    if (::fstat(::fileno(file_), &status) == 0 && S_ISDIR(status.st_mode)) {
      std::fclose(file_);
      throw NoInput(path + ": is a folder, not a file");
    }
    std::setvbuf(file_, nullptr, _IONBF, 0);  // callers read large blocks
  }
  File(File&& other) noexcept : file_(std::exchange(other.file_, nullptr)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }

  std::size_t read(char* to, std::size_t size) {
    const std::size_t got = std::fread(to, 1, size, file_);
    if (got < size && std::ferror(file_) != 0)
      throw BrokenBytes(std::string("cannot be read: ") + std::strerror(errno));
    return got;
  }

 private:
  std::FILE* file_;
};

// The file from its start, though its first bytes were read to see what it is.
class Input {
 public:
  explicit Input(const std::string& path) : file_(path) { ahead_size_ = file_.read(ahead_.data(), ahead_.size()); }

  std::string_view first_bytes() const { return {ahead_.data(), ahead_size_}; }
  std::size_t read(char* to, std::size_t size) {
    if (ahead_at_ == ahead_size_) return file_.read(to, size);
    const std::size_t count = std::min(size, ahead_size_ - ahead_at_);
    std::memcpy(to, ahead_.data() + ahead_at_, count);
    ahead_at_ += count;
    return count;
  }

 private:
  File file_;
  std::array<char, 4> ahead_{};
  std::size_t ahead_size_ = 0, ahead_at_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(Input input) : input_(std::move(input)) {}
  std::size_t read(char* to, std::size_t size) override { return input_.read(to, size); }

 private:
  Input input_;
};

// An Input as a Boost.Iostreams device.
struct InputDevice {
  using char_type = char;
  using category = boost::iostreams::source_tag;
  std::streamsize read(char* to, std::streamsize size) {
    const std::size_t got = input->read(to, static_cast<std::size_t>(size));
    return got == 0 ? -1 : static_cast<std::streamsize>(got);
  }
  Input* input;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(Input input) : input_(std::move(input)) {}

  std::size_t read(char* to, std::size_t size) override {
    InputDevice device{&input_};
    try {
      const std::streamsize got = gzip_.read(device, to, static_cast<std::streamsize>(std::min(size, kGzipPiece)));
      return got < 0 ? 0 : static_cast<std::size_t>(got);
    } catch (const boost::iostreams::gzip_error&) {
      throw BrokenBytes("the gzip data is damaged or ends early");
    }
  }

 private:
  Input input_;
  boost::iostreams::gzip_decompressor gzip_{boost::iostreams::zlib::default_window_bits,
                                            static_cast<std::streamsize>(kCompressedBlock)};
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(Input input) : input_(std::move(input)), stream_(ZSTD_createDStream()), block_(kCompressedBlock) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }

  std::size_t read(char* to, std::size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !at_end_) {
        in_ = {block_.data(), input_.read(block_.data(), block_.size()), 0};
        at_end_ = in_.size == 0;
      }
      // Even without new input the decoder may still hold output.
      if (at_end_ && frame_done_) return 0;
      const std::size_t before = in_.pos;
      const std::size_t hint = ZSTD_decompressStream(stream_.get(), &out, &in_);
      if (ZSTD_isError(hint) != 0)
        throw BrokenBytes("the zstd data is damaged: " + std::string(ZSTD_getErrorName(hint)));
      frame_done_ = hint == 0;
      if (at_end_ && !frame_done_ && out.pos == 0 && in_.pos == before) throw BrokenBytes("the zstd data ends early");
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };
  Input input_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  std::vector<char> block_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool at_end_ = false;
  bool frame_done_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  Input input(path);
  const std::string_view first = input.first_bytes();
  if (first.empty()) throw BrokenBytes("the file is empty");
  if (first.starts_with(kGzipMagic)) return std::make_unique<GzipSource>(std::move(input));
  if (first.starts_with(kZstdMagic)) return std::make_unique<ZstdSource>(std::move(input));
  if (path.ends_with(".gz")) throw BrokenBytes("the name says gzip, but the file does not begin like one");
  if (path.ends_with(".zst")) throw BrokenBytes("the name says zstd, but the file does not begin like one");
  return std::make_unique<PlainSource>(std::move(input));
}

}  // namespace rota::io
