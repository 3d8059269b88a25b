#include "core/checkpoint/checkpoint_file.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

std::vector<Table> tables() {
  return {{"one", Table::Kind::shared, 1000, 2, 1}, {"two", Table::Kind::shared, 1000, 1, 1}};
}

Put put_of(Object object, std::uint64_t id, std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + id + static_cast<unsigned>(object));
  const Bytes shared = Bytes::from(std::move(bytes));
  return {1, object, id, hash128(shared.view()), shared};
}

// The content of a file as text; nothing if it is detected as damaged.
std::optional<std::string> content_of(const std::filesystem::path& path, const std::vector<Put>& objects) {
  const auto file = CheckpointFile::open(path);
  if (!file.ok()) {
    EXPECT_EQ(file.status().code(), ExitCode::disk) << file.status().what();
    return std::nullopt;
  }
  std::string content;
  for (const Put& put : objects) {
    const auto bytes = (*file)->get(put.object, put.id);
    if (!bytes.ok()) return std::nullopt;
    content += hash128(bytes->view()).hex() + "\n";
  }
  const Status rows = (*file)->for_each_row([&](TableId table, Key key, std::span<const double> values) {
    content += std::to_string(table) + " " + std::to_string(key);
    for (const double value : values) content += " " + std::to_string(value);
    content += "\n";
  });
  if (!rows.ok()) return std::nullopt;
  return content;
}

class CheckpointFiles : public TemporaryFolder {
 protected:
  CheckpointFiles() : rows_(tables()) {
    for (Key key = 0; key < 300; key += 3) rows_.set(0, key, std::vector<double>{static_cast<double>(key), 0.5});
    rows_.set(1, 999, std::vector<double>{-1});
    objects_ = {put_of(Object::shard, 1, 100), put_of(Object::slice, 3, 5000), put_of(Object::slice, 0, 0),
                put_of(Object::cut, 0, 20),    put_of(Object::schedule, 0, 1), put_of(Object::slice, 256, 10)};
  }
  std::filesystem::path path() const { return folder / "partition-0.sst"; }
  FileHash write_file() {
    const auto written = write_checkpoint(path(), {objects_, rows_});
    EXPECT_TRUE(written.ok()) << written.status().what();
    return written.ok() ? *written : FileHash{};
  }

  Rows rows_;
  std::vector<Put> objects_;
};

TEST_F(CheckpointFiles, ComeBack) {
  const FileHash written = write_file();
  EXPECT_EQ(written.bytes, std::filesystem::file_size(path()));
  EXPECT_EQ(written.hash, hash_file(path())->hash);
  const auto file = CheckpointFile::open(path());
  ASSERT_TRUE(file.ok());
  for (const Put& put : objects_) {
    const auto bytes = (*file)->get(put.object, put.id);
    ASSERT_TRUE(bytes.ok()) << bytes.status().what();
    EXPECT_TRUE(std::ranges::equal(bytes->view(), put.bytes.view()));
  }
  EXPECT_EQ(*(*file)->row(0, 297), (std::vector<double>{297, 0.5}));
  EXPECT_EQ(*(*file)->row(1, 999), (std::vector<double>{-1}));
  EXPECT_TRUE((*file)->row(0, 1)->empty()) << "it was never committed";
  Rows back(tables());
  ASSERT_TRUE((*file)->for_each_row([&](TableId t, Key k, std::span<const double> v) { back.set(t, k, v); }).ok());
  EXPECT_EQ(back.hash(), rows_.hash());
}

TEST_F(CheckpointFiles, EqualContentGivesTheSameObjectsWhateverTheirOrder) {
  write_file();
  const auto before = content_of(path(), objects_);
  std::vector<Put> shuffled = objects_;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  ASSERT_TRUE(write_checkpoint(path(), {shuffled, rows_}).ok());
  EXPECT_EQ(content_of(path(), objects_), before);
}

TEST_F(CheckpointFiles, ObjectsThatWaitedOnDiskGiveTheSameFile) {
  const FileHash kept = write_file();
  for (const std::size_t in_memory : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
    ObjectSpill spill(folder / "partition-1.sst");
    for (std::size_t i = objects_.size(); i-- > in_memory;) ASSERT_TRUE(spill.add(objects_[i]).ok());
    const auto mixed =
        write_checkpoint(folder / "partition-1.sst", {std::span<const Put>(objects_).first(in_memory), rows_, &spill});
    ASSERT_TRUE(mixed.ok()) << mixed.status().what();
    EXPECT_EQ(mixed->bytes, kept.bytes);
    EXPECT_EQ(content_of(folder / "partition-1.sst", objects_), content_of(path(), objects_));
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

TEST_F(CheckpointFiles, AnObjectThatWasDamagedOnDiskMakesNoFile) {
  ObjectSpill spill(path());
  Put wrong = objects_[1];
  wrong.hash.high ^= 1;
  ASSERT_TRUE(spill.add(wrong).ok());
  const auto written = write_checkpoint(path(), {{}, rows_, &spill});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.status().code(), ExitCode::disk);
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(CheckpointFiles, AnObjectThatIsMissingIsAnError) {
  write_file();
  const auto file = CheckpointFile::open(path());
  ASSERT_TRUE(file.ok());
  const auto missing = (*file)->get(Object::slice, 77);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), ExitCode::disk);
  EXPECT_NE(missing.status().what().find(path().string()), std::string::npos) << missing.status().what();
}

TEST_F(CheckpointFiles, NothingUnfinishedIsLeftUnderTheName) {
  write_file();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1U);
  const auto elsewhere = write_checkpoint(folder / "no" / "folder.sst", {objects_, rows_});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_EQ(elsewhere.status().code(), ExitCode::disk);
}

TEST_F(CheckpointFiles, AFlippedBitAnywhereNeverGivesOtherData) {
  write_file();
  const std::string whole = read(path());
  const auto before = content_of(path(), objects_);
  ASSERT_TRUE(before.has_value());
  const auto damaged = folder / "damaged.sst";
  std::size_t tried = 0, detected = 0;
  // Every byte of the footer and of the index blocks before it; one in 29 of the data.
  for (std::size_t at = 0; at < whole.size(); at += at + 700 < whole.size() ? 29 : 1, ++tried) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << (at % 8)));
    write("damaged.sst", bytes);
    const auto content = content_of(damaged, objects_);
    if (!content) {
      ++detected;
    } else {
      ASSERT_EQ(*content, *before) << "byte " << at << " of " << whole.size();
    }
    ASSERT_NE(hash_file(damaged)->hash, hash_file(path())->hash) << "the commit record detects it";
  }
  EXPECT_GT(detected, tried / 2);
}

// RocksDB would read its blocks unchecked.
TEST_F(CheckpointFiles, AFileWithoutChecksumsIsRefused) {
  write_file();
  std::string bytes = read(path());
  bytes[bytes.size() - 53] = 0;
  write("unchecked.sst", bytes);
  const auto file = CheckpointFile::open(folder / "unchecked.sst");
  EXPECT_EQ(file.status().code(), ExitCode::disk);
  EXPECT_EQ(file.status().what(), (folder / "unchecked.sst").string() + ": it is damaged, or no checkpoint's file");
}

TEST_F(CheckpointFiles, EveryTruncationIsDetected) {
  write_file();
  const std::string whole = read(path());
  for (std::size_t size = 0; size < whole.size(); size += size < 100 || size + 100 > whole.size() ? 1 : 97) {
    write("short.sst", whole.substr(0, size));
    EXPECT_FALSE(content_of(folder / "short.sst", objects_).has_value()) << size;
  }
}

TEST_F(CheckpointFiles, AnotherKindOfFileIsRefused) {
  write("garbage.sst", std::string(10000, 'x'));
  EXPECT_FALSE(CheckpointFile::open(folder / "garbage.sst").ok());
  EXPECT_FALSE(CheckpointFile::open(folder / "nothing.sst").ok());
  EXPECT_FALSE(CheckpointFile::open(folder).ok());
}

}  // namespace
}  // namespace rota
