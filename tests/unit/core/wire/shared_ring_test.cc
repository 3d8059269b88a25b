// A writer and a reader over the same memory, in one thread or in two.
#include "core/wire/shared_ring.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

namespace rota::shared_ring {
namespace {

constexpr std::size_t kMost = std::size_t{64} << 20;

Bytes bytes_of(std::size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((i * 2654435761U + seed) >> 11);
  return Bytes::from(std::move(bytes));
}

bool equal(const Frames& a, const Frames& b) {
  return std::ranges::equal(a, b,
                            [](const Bytes& x, const Bytes& y) { return std::ranges::equal(x.view(), y.view()); });
}

struct Ring {
  explicit Ring(std::size_t most = kMost)
      : writer(*SharedMemory::create(kRingMemory)),
        reader(opened(writer.memory().descriptor(), kRingMemory), lent, most) {}
  static SharedMemory opened(const FileDescriptor& descriptor, std::size_t bytes) {
    return *SharedMemory::open(FileDescriptor(::dup(descriptor.get())), bytes);
  }
  static std::shared_ptr<const SharedMemory> of_this_process() {
    LentMemory::open();
    return std::make_shared<const SharedMemory>(opened(LentMemory::of_process()->descriptor(), kLentMemory));
  }
  RingState& state() { return *reinterpret_cast<RingState*>(writer.memory().data()); }
  // Writes numbers where the next record begins.
  void forge(std::initializer_list<std::uint64_t> numbers) {
    std::memcpy(writer.memory().data() + 4096, numbers.begin(), numbers.size() * 8);
    state().written.store(numbers.size() * 8);
  }

  std::shared_ptr<const SharedMemory> lent = of_this_process();
  RingWriter writer;
  RingReader reader;
};

// In the lent memory.
Bytes numbers_of(std::size_t count, double first) {
  const auto owner = std::make_shared<LendableVector<double>>(count);
  std::iota(owner->begin(), owner->end(), first);
  return {owner, std::as_bytes(std::span(*owner))};
}

TEST(SharedRing, MessagesOfAllSizesArriveInOrder) {
  Ring ring;
  const std::size_t sizes[] = {0,      1,     7,         8,         9,     79, 4095,      65536,
                               100000, 70001, 3'000'001, 4'194'288, 12345, 1,  2'000'000, 3};
  for (unsigned turn = 0; turn < 20; ++turn)
    for (const std::size_t size : sizes) {
      const Frames sent = {bytes_of(80, turn), bytes_of(size, turn + 1), bytes_of(size % 77, turn + 2)};
      ASSERT_TRUE(ring.writer.idle());
      ring.writer.begin(sent);
      std::optional<Frames> got;
      while (!got) {
        ring.writer.advance();
        got = ring.reader.next();
      }
      ASSERT_TRUE(equal(*got, sent)) << size;
      ASSERT_FALSE(ring.reader.ready());
      for (const Bytes& frame : *got)  // numbers are read in place
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(frame.view().data()) % 16, 0U);
    }
}

TEST(SharedRing, AMessageLargerThanTheRingPassesWhileItIsRead) {
  Ring ring;
  const Frames sent = {bytes_of(100, 1), bytes_of(3 * kRingBytes + 5, 2)};
  ring.writer.begin(sent);
  while (ring.writer.advance()) {
  }
  EXPECT_FALSE(ring.writer.idle());
  EXPECT_FALSE(ring.reader.next());
  EXPECT_TRUE(ring.reader.frees_writer());
  EXPECT_FALSE(ring.reader.frees_writer()) << "it is woken once";
  std::optional<Frames> got;
  while (!(got = ring.reader.next()))
    while (ring.writer.advance()) {
    }
  EXPECT_TRUE(ring.writer.idle());
  EXPECT_TRUE(equal(*got, sent));
}

TEST(SharedRing, AFullRingTakesMessagesAgainWhenSomeAreRead) {
  Ring ring;
  const Frames sent = {bytes_of(kRingLeast / 4, 1)};
  int begun = 0;
  for (; ring.writer.idle(); ++begun) {
    ring.writer.begin(sent);
    while (ring.writer.advance()) {
    }
  }
  EXPECT_EQ(begun, 4) << "the fourth has no space for all of it";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ring.reader.next());
  while (ring.writer.advance()) {
  }
  EXPECT_TRUE(ring.writer.idle());
  const auto last = ring.reader.next();
  ASSERT_TRUE(last);
  EXPECT_TRUE(equal(*last, sent));
}

TEST(SharedRing, ARingThatIsOftenFullBecomesLarger) {
  Ring ring;
  const Frames sent = {bytes_of(std::size_t{1} << 20, 1)};
  const auto pass = [&] {
    ring.writer.begin(sent);
    std::optional<Frames> got;
    while (!got) {
      while (ring.writer.advance()) {
      }
      got = ring.reader.next();
    }
    return equal(*got, sent);
  };
  ASSERT_TRUE(pass());
  EXPECT_EQ(ring.state().size.load(), kRingLeast);
  const std::byte* const unused = ring.writer.memory().data() + kRingBegins + kRingLeast;
  EXPECT_TRUE(std::all_of(unused, unused + kRingBytes - kRingLeast, [](std::byte b) { return b == std::byte{}; }));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(pass());
  EXPECT_EQ(ring.state().size.load(), 8 * kRingLeast) << "it is not full any more";
}

TEST(SharedRing, SmallMessagesStayInAPartOfTheRing) {
  Ring ring;
  for (int i = 0; i < 100'000; ++i) {
    ring.writer.begin({bytes_of(200, 1)});
    ring.writer.advance();
    ASSERT_TRUE(ring.reader.next());
  }
  const std::byte* const place = ring.writer.memory().data() + 4096 + 80'000;
  EXPECT_TRUE(std::all_of(place, place + 1'000'000, [](std::byte b) { return b == std::byte{}; }));
}

TEST(SharedRing, TwoThreadsPassManyMessages) {
  Ring ring;
  constexpr unsigned kMessages = 20'000;
  const auto size = [](unsigned i) { return i % 500 == 0 ? std::size_t{5} << 20 : std::size_t{i} * 37 % 3000; };
  std::jthread writing([&] {
    for (unsigned i = 0; i < kMessages; ++i) {
      ring.writer.begin({bytes_of(size(i), i)});
      while (!ring.writer.idle())
        if (!ring.writer.advance()) std::this_thread::yield();
    }
  });
  for (unsigned i = 0; i < kMessages;) {
    const auto got = ring.reader.next();
    if (!got) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_TRUE(equal(*got, {bytes_of(size(i), i)})) << i;
    ++i;
  }
}

TEST(SharedRing, LentNumbersAreReadInPlaceAndKeptUntilTheReaderNeedsThemNoMore) {
  std::optional<Frames> got;
  Frames sent = {bytes_of(80, 1), numbers_of(100'000, 1), bytes_of(13, 2), numbers_of(70'000, 5)};
  const std::byte* const place = sent[1].view().data();
  {
    Ring ring;
    ring.writer.begin(sent);
    ring.writer.advance();
    EXPECT_TRUE(ring.writer.idle());
    EXPECT_LT(ring.state().written.load(), 200U);
    got = ring.reader.next();
    ASSERT_TRUE(got);
    EXPECT_TRUE(equal(*got, sent));
    EXPECT_GE((*got)[1].view().data(), ring.lent->data());
    EXPECT_LT((*got)[1].view().data(), ring.lent->data() + kLentMemory);
    const Frames wanted = {bytes_of(80, 1), numbers_of(100'000, 1), bytes_of(13, 2), numbers_of(70'000, 5)};
    sent.clear();
    ring.writer.begin({bytes_of(1, 1)});
    EXPECT_TRUE(equal(*got, wanted)) << "the loan has not ended";
    EXPECT_NE(numbers_of(100'000, 9).view().data(), place);
    got->erase(got->begin() + 1);
    ring.writer.advance();
    ring.writer.begin({bytes_of(1, 1)});
    EXPECT_EQ(numbers_of(100'000, 9).view().data(), place) << "the memory is used again";
  }
  EXPECT_EQ(got->back().size(), 70'000 * sizeof(double)) << "a frame may be used longer than the ring";
  double last = 0;
  std::memcpy(&last, got->back().view().data() + 69'999 * sizeof last, sizeof last);
  EXPECT_EQ(last, 70'004);
}

TEST(SharedRing, MoreLoansThanThereMayBeAreCopied) {
  Ring ring;
  std::vector<Frames> kept;
  for (unsigned i = 0; i < kLoans + 3; ++i) {
    const Frames sent = {numbers_of(kLentLeast / sizeof(double), i)};
    ring.writer.begin(sent);
    while (ring.writer.advance()) {
    }
    auto got = ring.reader.next();
    ASSERT_TRUE(got);
    EXPECT_TRUE(equal(*got, sent));
    const std::byte* const at = got->front().view().data();
    EXPECT_EQ(at >= ring.lent->data() && at < ring.lent->data() + kLentMemory, i < kLoans);
    kept.push_back(*std::move(got));
  }
}

TEST(SharedRing, PlacesThatNoWriterLendsBreakIt) {
  const std::initializer_list<std::uint64_t> wrong[] = {{1, kLent | 8, kLentMemory, 0},
                                                        {1, kLent | 8, kLentMemory - 7, 0},
                                                        {1, kLent | 8, ~std::uint64_t{0}, 0},
                                                        {1, kLent | 8, 0, kLoans},
                                                        {1, kLent | 1001, 0, 0}};
  for (const auto& numbers : wrong) {
    Ring ring(1000);
    ring.forge(numbers);
    EXPECT_FALSE(ring.reader.next());
    EXPECT_TRUE(ring.reader.broken());
  }
}

TEST(SharedRing, NumbersThatNoWriterWritesBreakIt) {
  const std::initializer_list<std::uint64_t> wrong[] = {{0},       {kFramesMax + 1}, {~std::uint64_t{1}},
                                                        {1, 1001}, {2, 600, 600},    {2, 8, ~std::uint64_t{0}}};
  for (const auto& numbers : wrong) {
    Ring ring(1000);
    ring.forge(numbers);
    EXPECT_FALSE(ring.reader.next());
    EXPECT_TRUE(ring.reader.broken());
    EXPECT_FALSE(ring.reader.ready());
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{4096}, kRingLeast + 8, 2 * kRingBytes}) {
    Ring ring;
    ring.state().size.store(size);
    ring.forge({1, 0});
    EXPECT_FALSE(ring.reader.next());
    EXPECT_TRUE(ring.reader.broken()) << size;
  }
  Ring ring;
  ring.state().written.store(kRingLeast + 8);
  EXPECT_FALSE(ring.reader.next());
  EXPECT_TRUE(ring.reader.broken()) << "more than the ring has";
}

}  // namespace
}  // namespace rota::shared_ring
