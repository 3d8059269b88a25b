#include "core/base/seed.h"

namespace rota {
namespace {

TEST(Seed, StreamsComeFromPhilox) {
  // The known answer of Philox4x64-10 for a counter and a key of zeros, from Random123's kat_vectors.
  Random expected({0x16554d9eca36314cU, 0xdb20fe9d672d0fdcU, 0xd7e772cee186176bU, 0x7e68b68aec7ba23bU});
  Random made = random_for(0, static_cast<Stream>(0), 0, 0, 0);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(made(), expected());
}

// A job's seed must give the same numbers in later releases.
TEST(Seed, NumbersStayAsTheyAre) {
  EXPECT_EQ(random_for(1, Stream::schedule, 2, 3, 0)(), 16087858864536879396U);
  EXPECT_EQ(random_for(1, Stream::push_slice, 2, 3, 4)(), 3822893891165281126U);
  EXPECT_EQ(random_for(1, Stream::push_shared, 2, 3, 4)(), 10529469964873034882U);
}

TEST(Seed, EveryPartOfTheNameMakesAnotherStream) {
  std::set<std::uint64_t> first;
  std::size_t made = 0;
  for (const Stream stream : {Stream::schedule, Stream::push_slice, Stream::push_shared})
    for (std::uint64_t seed = 0; seed < 3; ++seed)
      for (std::uint64_t a = 0; a < 5; ++a)
        for (std::uint64_t b = 0; b < 5; ++b)
          for (std::uint64_t c = 0; c < 5; ++c, ++made) first.insert(random_for(seed, stream, a, b, c)());
  EXPECT_EQ(first.size(), made);
}

}  // namespace
}  // namespace rota
