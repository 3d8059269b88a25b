#include "core/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>

#include "core/base/failpoint.h"
#include "core/base/files.h"

namespace rota {

namespace {

constexpr std::size_t kKeySize = 13;
constexpr std::size_t kValueMost = (std::size_t{1} << 32) - (std::size_t{1} << 20);  // RocksDB's lengths have 32 bits

std::string key_of(Object object, TableId table, std::uint64_t number) {
  std::string key(1, static_cast<char>(object));
  for (int shift = 24; shift >= 0; shift -= 8) key.push_back(static_cast<char>(table >> shift));
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(number >> shift));
  return key;
}

std::uint64_t big_endian(const rocksdb::Slice& key, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + size; ++i) value = (value << 8) | static_cast<unsigned char>(key[i]);
  return value;
}

rocksdb::Options options() {
  rocksdb::Options options;
  options.compression = rocksdb::kLZ4Compression;
  rocksdb::BlockBasedTableOptions table;
  table.checksum = rocksdb::kXXH3;
  table.no_block_cache = true;  // every value is read once
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::ReadOptions read_options() {
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  return options;
}

// Its reasons are those of the system, in a text.
Status disk(const std::filesystem::path& path, const rocksdb::Status& status) {
  std::string what = status.ToString();
  ExitCode code = ExitCode::disk;
  for (const int error : {EMFILE, ENFILE, EFBIG}) {
    const std::string reason = std::generic_category().message(error);
    const std::size_t at = what.find(reason);
    if (at == what.npos) continue;
    what.replace(at, reason.size(), reason_of(error));
    code = code_of_open(error, code);
  }
  return {code, path.string() + ": " + what};
}

void take_doubles(const rocksdb::Slice& value, std::vector<double>& numbers) {
  numbers.resize(value.size() / sizeof(double));
  if (!numbers.empty()) std::memcpy(numbers.data(), value.data(), numbers.size() * sizeof(double));
}

// RocksDB sets memory aside for the sizes that a file names, before it checks the length of the file.
template <typename F>
auto within_memory(const std::filesystem::path& path, const F& read) -> decltype(read()) {
  try {
    return read();
  } catch (const std::bad_alloc&) {
    return Status(ExitCode::disk, path.string() + ": it is damaged, or there is no memory for what is in it");
  }
}

// Whether a table says at its end that its blocks have the checksums that write_checkpoint() gives them: RocksDB checks
// none of one that does not, and walks through damaged blocks beyond their ends.  (Its footer: 53 bytes, the kind of
// checksum first, a number of its own last.)
Status check_footer(const std::filesystem::path& path) {
  constexpr std::array<unsigned char, 8> kMagic{0xf7, 0xcf, 0xf4, 0x85, 0xb7, 0x41, 0xe2, 0x88};
  std::array<std::byte, 53> footer{};
  const auto fd = open_file(path, O_RDONLY);
  if (fd.status().code() == ExitCode::temporary) return fd.status();
  if (!fd.ok()) return {ExitCode::disk, fd.status().what()};
  const bool there = ::lseek(fd->get(), -static_cast<off_t>(footer.size()), SEEK_END) >= 0;
  const auto read = read_bytes(*fd, footer, path);
  if (there && read.ok() && *read == footer.size() && footer[0] == static_cast<std::byte>(rocksdb::kXXH3) &&
      std::memcmp(footer.data() + footer.size() - kMagic.size(), kMagic.data(), kMagic.size()) == 0)
    return {};
  return {ExitCode::disk, path.string() + ": it is damaged, or no checkpoint's file"};
}

rocksdb::Slice slice_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An object, or where it was spilled.
struct Placed {
  ObjectHash what;
  const Put* put;  // or
  std::size_t spilled;
};

std::vector<Placed> in_order(const CheckpointContent& content) {
  std::vector<Placed> all;
  for (const Put& put : content.objects) all.push_back({{put.object, put.id, put.hash}, &put, 0});
  for (std::size_t i = 0; content.spilled != nullptr && i < content.spilled->size(); ++i)
    all.push_back({content.spilled->object(i), nullptr, i});
  std::ranges::sort(all, [](const Placed& a, const Placed& b) {
    return std::pair(a.what.object, a.what.id) < std::pair(b.what.object, b.what.id);
  });
  return all;
}

Status put_object(rocksdb::SstFileWriter& writer, const Put& put, const std::filesystem::path& path) {
  if (put.bytes.size() > kValueMost) return {ExitCode::disk, path.string() + ": an object of more than 4 GiB"};
  const rocksdb::Status status = writer.Put(key_of(put.object, 0, put.id), slice_of(put.bytes.view()));
  return status.ok() ? Status() : disk(path, status);
}

Status put_all(rocksdb::SstFileWriter& writer, const CheckpointContent& content, const std::filesystem::path& path) {
  rocksdb::Status status;
  // Keys ascend: rows come first because Object::row is the smallest.
  content.rows.for_each([&](TableId table, Key key, std::span<const double> values) {
    if (status.ok()) status = writer.Put(key_of(Object::row, table, key), slice_of(std::as_bytes(values)));
  });
  if (!status.ok()) return disk(path, status);
  for (const Placed& one : in_order(content)) {
    if (one.put != nullptr) {
      ROTA_TRY(put_object(writer, *one.put, path));
      continue;
    }
    ROTA_ASSIGN(const Put put, content.spilled->read(one.spilled));
    ROTA_TRY(put_object(writer, put, path));
  }
  return {};
}

}  // namespace

Result<FileHash> write_checkpoint(const std::filesystem::path& path, const CheckpointContent& content) {
  const std::filesystem::path unfinished = path.string() + ".unfinished";
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options());
  rocksdb::Status status = writer.Open(unfinished.string());
  if (!status.ok()) return disk(unfinished, status);
  failpoint("partition.opened");
  ROTA_TRY(put_all(writer, content, unfinished));
  failpoint("partition.written");
  // Finish() syncs the file; it refuses one without entries, which no partition's is: see Checkpoint::objects_of.
  status = writer.Finish();
  if (!status.ok()) return disk(unfinished, status);
  failpoint("partition.synced");
  ROTA_ASSIGN(auto measured, hash_file(unfinished));
  std::error_code error;
  std::filesystem::rename(unfinished, path, error);
  if (error) return Status(ExitCode::disk, path.string() + ": " + error.message());
  failpoint("partition.renamed");
  ROTA_TRY(sync_folder(path.parent_path()));
  failpoint("partition.folder_synced");
  return measured;
}

struct CheckpointFile::Reader {
  explicit Reader(std::filesystem::path from) : path(std::move(from)), table(options()) {}
  std::filesystem::path path;
  rocksdb::SstFileReader table;

  Result<std::string> get(const std::string& key, bool must) {
    return within_memory(path, [&]() -> Result<std::string> {
      const std::unique_ptr<rocksdb::Iterator> at(table.NewIterator(read_options()));
      at->Seek(key);
      if (at->Valid() && at->key() == key) return at->value().ToString();
      if (!at->status().ok()) return disk(path, at->status());
      if (must) return Status(ExitCode::disk, path.string() + ": an object is missing");
      return std::string();
    });
  }
};

CheckpointFile::CheckpointFile(std::unique_ptr<Reader> reader) : reader_(std::move(reader)) {}
CheckpointFile::~CheckpointFile() = default;

Result<std::unique_ptr<CheckpointFile>> CheckpointFile::open(const std::filesystem::path& path) {
  ROTA_TRY(check_footer(path));
  auto reader = std::make_unique<Reader>(path);
  const Status opened = within_memory(path, [&] {
    const rocksdb::Status status = reader->table.Open(path.string());
    return status.ok() ? Status() : disk(path, status);
  });
  if (!opened.ok()) return opened;
  return std::unique_ptr<CheckpointFile>(new CheckpointFile(std::move(reader)));
}

Result<Bytes> CheckpointFile::get(Object object, std::uint64_t number) const {
  ROTA_ASSIGN(auto value, reader_->get(key_of(object, 0, number), true));
  auto owner = std::make_shared<const std::string>(std::move(value));
  return Bytes(owner, std::as_bytes(std::span(owner->data(), owner->size())));
}

Result<std::vector<double>> CheckpointFile::row(TableId table, Key key) const {
  ROTA_ASSIGN(auto value, reader_->get(key_of(Object::row, table, key), false));
  std::vector<double> numbers;
  take_doubles(value, numbers);
  return numbers;
}

Status CheckpointFile::for_each_row(const std::function<void(TableId, Key, std::span<const double>)>& f) const {
  return within_memory(reader_->path, [&]() -> Status {
    rocksdb::ReadOptions options = read_options();
    options.readahead_size = std::size_t{1} << 20;  // not a system call for each block of 4 KiB
    const std::unique_ptr<rocksdb::Iterator> at(reader_->table.NewIterator(options));
    std::vector<double> numbers;
    for (at->Seek(key_of(Object::row, 0, 0)); at->Valid(); at->Next()) {
      const rocksdb::Slice key = at->key();
      if (key.size() != kKeySize || static_cast<Object>(key[0]) != Object::row) break;
      take_doubles(at->value(), numbers);
      f(static_cast<TableId>(big_endian(key, 1, 4)), big_endian(key, 5, 8), numbers);
    }
    if (!at->status().ok()) return disk(reader_->path, at->status());
    return {};
  });
}

}  // namespace rota
