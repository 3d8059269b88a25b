// tests/fuzz/replay_test.cc -- the fuzzers' entry points in an ordinary build, over the seeds, changed at random from a
// fixed seed.  An entry point aborts if it finds something; the counts here show that inputs got through to it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "core/base/files.h"
#include "tests/fuzz/entry_points.h"
#include "tests/fuzz/file_entry_points.h"
#include "tests/fuzz/reader_entry_points.h"
#include "tests/fuzz/seeds.h"
#include "tests/source_dir.h"

namespace rota::fuzz {
namespace {

// A few changes of the kinds that libFuzzer makes.
Input changed(Input input, const std::vector<Input>& seeds, std::mt19937_64& random) {
  for (std::uint64_t left = 1 + random() % 4; left > 0; --left) {
    const std::size_t at = input.empty() ? 0 : random() % input.size();
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const Input& other = seeds[random() % seeds.size()];
    switch (random() % 6) {
      case 0:
        if (!input.empty()) *place ^= static_cast<std::byte>(1U << (random() % 8));
        break;
      case 1:
        if (!input.empty()) *place = static_cast<std::byte>(random() % 2 == 0 ? 0xff : random());
        break;
      case 2:
        input.insert(place, static_cast<std::byte>(random()));
        break;
      case 3:
        if (!input.empty()) input.erase(place);
        break;
      case 4:
        input.resize(at);
        break;
      default:
        if (at < other.size()) input.insert(place, other.begin() + static_cast<std::ptrdiff_t>(at), other.end());
    }
  }
  return input;
}

struct Count {
  int taken = 0, refused = 0;
};

Count replay(bool (*entry)(std::span<const std::byte>), const std::vector<Input>& seeds, int rounds) {
  Count count;
  const auto run = [&](const Input& input) { ++(entry(input) ? count.taken : count.refused); };
  for (const Input& seed : seeds) run(seed);
  EXPECT_EQ(count.refused, 0) << "a seed is what the decoder takes";
  std::mt19937_64 random(1);
  for (int i = 0; i < rounds; ++i) run(changed(seeds[random() % seeds.size()], seeds, random));
  run({});
  return count;
}

TEST(FuzzReplay, Messages) {
  const Count count = replay(&message, message_seeds(), 200000);
  EXPECT_GT(count.taken, 1000);
  EXPECT_GT(count.refused, 1000);
}

TEST(FuzzReplay, CommitRecords) {
  const Count count = replay(&commit, commit_seeds(), 10000);
  EXPECT_GT(count.taken, 2);
  EXPECT_GT(count.refused, 1000);
}

TEST(FuzzReplay, Cuts) {
  const Count count = replay(&cut, cut_seeds(), 30000);
  EXPECT_GT(count.taken, 1000);
  EXPECT_GT(count.refused, 1000);
}

TEST(FuzzReplay, LibsvmText) {
  const Count count = replay(&libsvm, libsvm_seeds(), 50000);
  EXPECT_GT(count.taken, 1000);
  EXPECT_GT(count.refused, 1000);
}

TEST(FuzzReplay, MatrixMarketFiles) {
  const Count count = replay(&matrix_market, matrix_market_seeds(), 10000);
  EXPECT_GT(count.taken, 100);
  EXPECT_GT(count.refused, 1000);
}

TEST(FuzzReplay, Numbers) {
  const Count count = replay(&number, number_seeds(), 100000);
  EXPECT_GT(count.taken, 10000);
  EXPECT_GT(count.refused, 10000);
}

TEST(FuzzReplay, Manifests) {
  const Count count = replay(&manifest, manifest_seeds(), 600);
  EXPECT_GT(count.taken, 5);
  EXPECT_GT(count.refused, 200);
}

TEST(FuzzReplay, CheckpointFiles) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "AddressSanitizer ends the program where RocksDB would be told that there is no such memory";
#endif
  const Count count = replay(&checkpoint, checkpoint_seeds(), 1000);
  EXPECT_GT(count.refused, 500);
}

TEST(FuzzReplay, FilesOfFlags) {
  const Count count = replay(&flags, flags_seeds(), 600);
  EXPECT_GT(count.taken, 30);
  EXPECT_GT(count.refused, 100);
}

TEST(FuzzReplay, Addresses) {
  const Count count = replay(&address, address_seeds(), 50000);
  EXPECT_GT(count.taken, 5000);
  EXPECT_GT(count.refused, 10000);
}

struct Target {
  const char* name;
  bool (*entry)(std::span<const std::byte>);
};

// What the fuzzers found worth keeping.  An entry point ends the program if it finds something.
TEST(FuzzReplay, Corpora) {
  const std::filesystem::path corpora = tests::source_dir() + "/tests/fuzz/corpora";
  const Target targets[] = {{"message", &message},      {"commit", &commit},     {"cut", &cut},
                            {"libsvm", &libsvm},        {"manifest", &manifest}, {"matrix_market", &matrix_market},
                            {"number", &number},        {"flags", &flags},       {"address", &address},
                            {"checkpoint", &checkpoint}};
  for (const Target& target : targets) {
    int inputs = 0;
    for (const auto& file : std::filesystem::directory_iterator(corpora / target.name)) {
      const auto text = read_whole_file(file.path(), std::size_t{1} << 20);
      ASSERT_TRUE(text.ok()) << text.status().what();
      SCOPED_TRACE(file.path());
      (void)target.entry(std::as_bytes(std::span(*text)));
      ++inputs;
    }
    EXPECT_GT(inputs, 0) << target.name;
  }
}

}  // namespace
}  // namespace rota::fuzz
