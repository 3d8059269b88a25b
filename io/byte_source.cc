// io/byte_source.cc -- each compression through its own library: Boost's filters accept a truncated file.
#include "rota/io/byte_source.h"

#include <bzlib.h>
#include <lzma.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"

namespace rota::io {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kCompressedBlock = std::size_t{1} << 17;  // bytes

constexpr std::size_t kLongestMagic = 16;          // bytes, of a Kind
constexpr std::string_view kParquet = "PAR1\x15";  // the mark, and the first field of a page or of the end

HostFiles& host() {
  HostFiles* const files = host_files_slot();
  if (files == nullptr) throw NoInput("this program reads neither URLs nor Parquet");
  return *files;
}

class File {
 public:
  explicit File(const std::string& path) : remote_(open_remote_file(path)) {
    if (remote_ != nullptr) {
      stream_ = remote_->stream(0, remote_->size());
      return;
    }
    file_ = std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) throw NoInput(path + ": cannot be opened: " + std::strerror(errno));
    struct stat status {};
    if (::fstat(::fileno(file_), &status) == 0 && S_ISDIR(status.st_mode)) {
      std::fclose(file_);
      throw NoInput(path + ": is a folder, not a file");
    }
    std::setvbuf(file_, nullptr, _IONBF, 0);  // callers read large blocks
  }
  File(File&& other) noexcept
      : remote_(std::move(other.remote_)),
        stream_(std::move(other.stream_)),
        file_(std::exchange(other.file_, nullptr)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (file_ != nullptr) std::fclose(file_);
  }

  // Fewer bytes than `size` only at the end.
  std::size_t read(char* to, std::size_t size) {
    if (stream_ != nullptr) {
      std::size_t all = 0;
      while (const std::size_t some = all < size ? stream_->read(to + all, size - all) : 0) all += some;
      return all;
    }
    const std::size_t got = std::fread(to, 1, size, file_);
    if (got < size && std::ferror(file_) != 0)
      throw BrokenBytes(std::string("cannot be read: ") + std::strerror(errno));
    return got;
  }

 private:
  std::shared_ptr<const RemoteFile> remote_;
  std::unique_ptr<HostStream> stream_;  // of an object
  std::FILE* file_ = nullptr;
};

// The file from its start, including the first bytes, which were read to detect its kind.
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
  std::array<char, kLongestMagic> ahead_{};
  std::size_t ahead_size_ = 0, ahead_at_ = 0;
};

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(Input input) : input_(std::move(input)) {}
  std::size_t read(char* to, std::size_t size) override { return input_.read(to, size); }
  bool is_plain() const override { return true; }

 private:
  Input input_;
};

// Text that the host makes.
class TableSource final : public ByteSource {
 public:
  explicit TableSource(std::unique_ptr<HostStream> text) : text_(std::move(text)) {}
  std::size_t read(char* to, std::size_t size) override { return text_->read(to, size); }
  bool is_plain() const override { return false; }
  bool is_table() const override { return true; }

 private:
  std::unique_ptr<HostStream> text_;
};

// The result of a decompression step.
struct Step {
  bool whole = false;           // the data may end here
  const char* wrong = nullptr;  // the library's message
};

// Each of these is a decompressor of a library: step() consumes what it can of `in` and fills what it can of `out`;
// both keep their rest.  `last`: nothing follows `in`.

class Gzip {
 public:
  static constexpr const char* kName = "gzip";
  Gzip() {
    if (::inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();  // 16: a gzip header
  }
  Gzip(const Gzip&) = delete;
  ~Gzip() { ::inflateEnd(&stream_); }

  Step step(std::span<char>& in, std::span<char>& out, bool) {
    if (std::exchange(ended_, false)) ::inflateReset(&stream_);  // another member
    stream_.next_in = reinterpret_cast<Bytef*>(in.data());
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = ::inflate(&stream_, Z_NO_FLUSH);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    ended_ = code == Z_STREAM_END;
    if (ended_ || code == Z_OK || code == Z_BUF_ERROR) return {ended_};
    return {false, stream_.msg != nullptr ? stream_.msg : "it cannot be decompressed"};
  }

 private:
  ::z_stream stream_{};
  bool ended_ = false;
};

class Bzip2 {
 public:
  static constexpr const char* kName = "bzip2";
  Bzip2() { begin(); }
  Bzip2(const Bzip2&) = delete;
  ~Bzip2() { ::BZ2_bzDecompressEnd(&stream_); }

  Step step(std::span<char>& in, std::span<char>& out, bool) {
    if (std::exchange(ended_, false)) {  // another member
      ::BZ2_bzDecompressEnd(&stream_);
      begin();
    }
    stream_.next_in = in.data();
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = out.data();
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int code = ::BZ2_bzDecompress(&stream_);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    ended_ = code == BZ_STREAM_END;
    if (code == BZ_MEM_ERROR) throw std::bad_alloc();
    if (ended_ || code == BZ_OK) return {ended_};
    return {false, "it cannot be decompressed"};
  }

 private:
  void begin() {
    stream_ = {};
    if (::BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
  }
  ::bz_stream stream_{};
  bool ended_ = false;
};

class Xz {
 public:
  static constexpr const char* kName = "xz";
  Xz() {
    if (::lzma_stream_decoder(&stream_, kMostMemory, LZMA_CONCATENATED) != LZMA_OK) throw std::bad_alloc();
  }
  Xz(const Xz&) = delete;
  ~Xz() { ::lzma_end(&stream_); }

  Step step(std::span<char>& in, std::span<char>& out, bool last) {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const ::lzma_ret code = ::lzma_code(&stream_, last ? LZMA_FINISH : LZMA_RUN);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    if (code == LZMA_MEM_ERROR) throw std::bad_alloc();
    if (code == LZMA_MEMLIMIT_ERROR) return {false, "decompressing it takes more than 256 MiB of memory"};
    if (code == LZMA_OK || code == LZMA_BUF_ERROR || code == LZMA_STREAM_END) return {code == LZMA_STREAM_END};
    return {false, "it cannot be decompressed"};
  }

 private:
  static constexpr std::uint64_t kMostMemory = std::uint64_t{256} << 20;  // xz -9 takes 65 MiB
  ::lzma_stream stream_ = LZMA_STREAM_INIT;
};

class Zstd {
 public:
  static constexpr const char* kName = "zstd";
  Zstd() : stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  Zstd(const Zstd&) = delete;
  ~Zstd() { ::ZSTD_freeDStream(stream_); }

  Step step(std::span<char>& in, std::span<char>& out, bool) {
    ::ZSTD_inBuffer from{in.data(), in.size(), 0};
    ::ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t hint = ::ZSTD_decompressStream(stream_, &to, &from);
    in = in.subspan(from.pos);
    out = out.subspan(to.pos);
    if (::ZSTD_isError(hint) != 0) return {false, ::ZSTD_getErrorName(hint)};
    return {hint == 0};
  }

 private:
  ::ZSTD_DStream* stream_;
};

template <typename Decompressor>
class CompressedSource final : public ByteSource {
 public:
  explicit CompressedSource(Input input) : input_(std::move(input)), block_(kCompressedBlock) {}

  // Data before the damage is returned first, so that the line in the error is close to it.
  std::size_t read(char* to, std::size_t size) override {
    const std::string data = std::string("the ") + Decompressor::kName + " data ";
    std::span<char> out(to, size);
    while (out.size() == size) {
      if (step_.wrong != nullptr) throw BrokenBytes(data + "is damaged: " + step_.wrong);
      if (in_.empty() && !at_end_) {
        in_ = std::span(block_).first(input_.read(block_.data(), block_.size()));
        at_end_ = in_.empty();
      }
      // Even without new input the decompressor may still hold output.
      if (in_.empty() && at_end_ && step_.whole) return 0;
      const std::size_t before = in_.size();
      step_ = decompressor_.step(in_, out, at_end_);
      const bool stuck = out.size() == size && in_.size() == before;
      if (at_end_ && stuck && !step_.whole && step_.wrong == nullptr) throw BrokenBytes(data + "ends early");
    }
    return size - out.size();
  }
  bool is_plain() const override { return false; }

 private:
  Input input_;
  std::vector<char> block_;
  std::span<char> in_;  // the part of the block that is not yet decompressed
  bool at_end_ = false;
  Decompressor decompressor_;
  Step step_;
};

template <typename Source>
std::unique_ptr<ByteSource> open(Input input) {
  return std::make_unique<Source>(std::move(input));
}

// The first bytes of files of a kind; '?' is any byte.
struct Kind {
  std::string_view magic, name, ending = "";
  std::unique_ptr<ByteSource> (*open)(Input) = nullptr;  // null: not supported

  bool is_of(std::string_view first) const {
    const auto same = [](char expected, char found) { return expected == '?' || expected == found; };
    return first.size() >= magic.size() && std::equal(magic.begin(), magic.end(), first.begin(), same);
  }
};
constexpr Kind kKinds[] = {
    {"\x1f\x8b", "gzip", ".gz", open<CompressedSource<Gzip>>},
    {"BZh?1AY&SY", "bzip2", ".bz2", open<CompressedSource<Bzip2>>},
    {"BZh?\x17rE8P\x90", "bzip2", ".bz2", open<CompressedSource<Bzip2>>},  // of nothing
    {"\xfd\x37zXZ\0"sv, "xz", ".xz", open<CompressedSource<Xz>>},
    {"\x28\xb5\x2f\xfd", "zstd", ".zst", open<CompressedSource<Zstd>>},
    {"PK\x03\x04", "a zip archive (or .xlsx, .npz)"},
    {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
    {"Rar!\x1a\x07", "a rar archive"},
    {"\x04\x22\x4d\x18", "compressed by lz4"},
    {"ARROW1\0"sv, "an Arrow file (save it as Parquet, or as CSV)"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
    {"\x93NUMPY", "a NumPy array"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"\xff\xfe", "UTF-16 text"},
    {"\xfe\xff", "UTF-16 text"},
};

}  // namespace

std::shared_ptr<const RemoteFile> open_remote_file(const std::string& path) {
  return is_remote(path) ? host().open(path) : nullptr;
}

bool is_parquet(const std::string& path) {
  return Input(path).first_bytes().starts_with(kParquet);
}

std::unique_ptr<ByteSource> open_documents(const std::string& path) {
  auto text = host().open_table(path, TableText::documents);
  return text == nullptr ? nullptr : std::make_unique<TableSource>(std::move(text));
}

std::unique_ptr<ByteSource> open_bytes(const std::string& path) {
  Input input(path);
  const std::string_view first = input.first_bytes();
  if (first.empty()) throw BrokenBytes("the file is empty");
  if (first.starts_with(kParquet)) return std::make_unique<TableSource>(host().open_table(path, TableText::csv));
  const auto* const kind = std::ranges::find_if(kKinds, [&](const Kind& each) { return each.is_of(first); });
  if (kind != std::end(kKinds)) {
    if (kind->open != nullptr) return kind->open(std::move(input));
    throw BrokenBytes("is " + std::string(kind->name) +
                      ", which Rota does not read: expected text, plain or compressed as .gz, .bz2, .xz or .zst");
  }
  for (const Kind& each : kKinds)
    if (!each.ending.empty() && name_of_input(path).ends_with(each.ending))
      throw BrokenBytes("the name claims " + std::string(each.name) + ", but the first bytes differ");
  return open<PlainSource>(std::move(input));
}

}  // namespace rota::io
