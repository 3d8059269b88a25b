// tests/fuzz/replay_test.cc -- the fuzzers' entry points in an ordinary build, over the seeds, changed at random from a
// fixed seed.  An entry point aborts if it finds something; the counts here show that inputs got through to it.
#include "core/base/files.h"
#include "tests/fuzz/entry_points.h"
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

struct Target {
  const char* name;
  bool (*entry)(std::span<const std::byte>);
  int rounds;
  int taken_above, refused_above;  // how many inputs at least get through to what the decoder does with them
};

const Target kTargets[] = {
    {"message", &message, 60000, 1000, 1000},
    {"commit", &commit, 4000, 2, 1000},
    {"cut", &cut, 10000, 1000, 1000},
    {"libsvm", &libsvm, 15000, 1000, 1000},
    {"matrix_market", &matrix_market, 10000, 100, 1000},
    {"number", &number, 100000, 10000, 10000},
    {"manifest", &manifest, 300, 5, 200},
    {"checkpoint", &checkpoint, 600, 0, 500},
    {"flags", &flags, 300, 30, 100},
    {"address", &address, 50000, 5000, 10000},
};

class FuzzReplay : public testing::TestWithParam<Target> {};

TEST_P(FuzzReplay, Seeds) {
  const Target& target = GetParam();
#ifdef __SANITIZE_ADDRESS__
  if (target.entry == &checkpoint)
    GTEST_SKIP() << "AddressSanitizer ends the program where RocksDB's allocation would fail";
#endif
  const std::vector<Input> seeds = std::ranges::find(kSeeds, std::string_view(target.name), &Seeds::name)->make();
  int taken = 0, refused = 0;
  const auto run = [&](const Input& input) { ++(target.entry(input) ? taken : refused); };
  for (const Input& seed : seeds) run(seed);
  EXPECT_EQ(refused, 0) << "a seed is what the decoder takes";
  std::mt19937_64 random(1);
  for (int i = 0; i < target.rounds; ++i) run(changed(seeds[random() % seeds.size()], seeds, random));
  run({});
  EXPECT_GT(taken, target.taken_above);
  EXPECT_GT(refused, target.refused_above);
}

// What the fuzzers found worth keeping.  An entry point ends the program if it finds something.
TEST_P(FuzzReplay, Corpus) {
  int inputs = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(tests::source_dir() + "/tests/fuzz/corpora/" + GetParam().name)) {
    const auto text = read_whole_file(file.path(), std::size_t{1} << 20);
    ASSERT_TRUE(text.ok()) << text.status().what();
    SCOPED_TRACE(file.path());
    (void)GetParam().entry(std::as_bytes(std::span(*text)));
    ++inputs;
  }
  EXPECT_GT(inputs, 0);
}

INSTANTIATE_TEST_SUITE_P(Decoders, FuzzReplay, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace rota::fuzz
