#include "core/wire/codec.h"

#include "tests/source_dir.h"
#include "tests/unit/core/wire/every_field.h"
#include "tests/unit/core/wire/frames_of.h"

namespace rota {
namespace {

using tests::changed;
using tests::Counting;
using tests::cut_to;
using tests::Drawing;
using tests::filled;
using tests::kKinds;
using tests::same;
using tests::seal;

Header header_of(Kind kind) {
  Header header;
  header.kind = kind;
  header.job = 0x0102030405060708U;
  header.process = {Role::worker, 0x00a0b0c0U};
  header.incarnation = 0x1112131415161718U;
  header.peer_incarnation = 0x2122232425262728U;
  header.sequence = 0x3132333435363738U;
  header.acknowledged = 0x4142434445464748U;
  header.era = 0x5152535455565758U;
  header.from = {Role::partition, 5};
  header.to = {Role::scheduler, 6};
  return header;
}

Message counted(std::size_t index) {
  Counting numbers;
  return filled(index, numbers);
}

Frames framed(const Message& message) {
  return with_header(header_of(kind_of(message)), encode_message(message));
}

// The lines of tests/golden/messages.hex: the message's name, and its frames.
std::map<std::string, std::string> golden() {
  std::map<std::string, std::string> lines;
  std::ifstream file(tests::source_dir() + "/tests/golden/messages.hex");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    const std::size_t space = line.find(' ');
    lines[line.substr(0, space)] = line.substr(space + 1);
  }
  return lines;
}

TEST(Codec, BytesOfEveryKindStayAsTheyAre) {
  const auto expected = golden();
  EXPECT_EQ(expected.size(), kKinds + 1) << "a line for every kind, and the header's";
  for (std::size_t index = 0; index < kKinds; ++index) {
    const Message message = counted(index);
    const std::string name = kind_name(kind_of(message));
    const auto line = expected.find(name);
    EXPECT_EQ(line == expected.end() ? "" : line->second, tests::hex(encode_message(message))) << name;
  }
}

TEST(Codec, TheHeaderFollowsTheProtocol) {
  const Frames frames = framed(Lease{1, 2, 3, Bytes::from({std::byte{4}})});
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(tests::hex(cut_to(frames[0], 72)),
            "524f5441"          // 0 magic
            "0c00"              // 4 version
            "2100"              // 6 kind
            "0807060504030201"  // 8 job
            "1817161514131211"  // 16 incarnation
            "2827262524232221"  // 24 peer's incarnation
            "3837363534333231"  // 32 sequence
            "4847464544434241"  // 40 acknowledged
            "5857565554535251"  // 48 era
            "c0b0a003"          // 56 process
            "05000005"          // 60 from
            "06000002"          // 64 to
            "02000000");        // 68 frames
  EXPECT_EQ(frames[0].size(), 80U);
  EXPECT_EQ(golden()["HEADER"], tests::hex(frames));
  Frames again = frames;
  seal(again);
  EXPECT_EQ(tests::hex(again), tests::hex(frames)) << "the checksum covers the fields that the protocol lists";
}

TEST(Codec, TheHeaderComesBack) {
  const Message message = HasRead{7};
  const Header sent = header_of(Kind::has_read);
  const auto header = decode_header(framed(message));
  ASSERT_TRUE(header.ok()) << header.status().what();
  EXPECT_EQ(header->kind, sent.kind);
  EXPECT_EQ(header->job, sent.job);
  EXPECT_EQ(header->process, sent.process);
  EXPECT_EQ(header->incarnation, sent.incarnation);
  EXPECT_EQ(header->peer_incarnation, sent.peer_incarnation);
  EXPECT_EQ(header->sequence, sent.sequence);
  EXPECT_EQ(header->acknowledged, sent.acknowledged);
  EXPECT_EQ(header->from, sent.from);
  EXPECT_EQ(header->to, sent.to);
}

TEST(Codec, EveryMessageComesBack) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Drawing numbers(seed);
    for (std::size_t index = 0; index < kKinds; ++index) {
      const Message message = filled(index, numbers);
      const auto back = decode_message(kind_of(message), encode_message(message));
      ASSERT_TRUE(back.ok()) << back.status().what() << ", seed " << seed;
      ASSERT_TRUE(same(message, *back)) << kind_name(kind_of(message)) << ", seed " << seed;
    }
  }
}

TEST(Codec, EveryKindHasANameAndANumberOfItsOwn) {
  std::map<Kind, std::string> names;
  for (std::size_t index = 0; index < kKinds; ++index) {
    const Kind kind = kind_of(counted(index));
    EXPECT_TRUE(names.emplace(kind, kind_name(kind)).second) << kind_name(kind);
    EXPECT_STRNE(kind_name(kind), "unknown");
  }
  EXPECT_STREQ(kind_name(static_cast<Kind>(99)), "unknown");
}

TEST(Codec, AnUnknownKindIsRefused) {
  const auto message = decode_message(static_cast<Kind>(99), encode_message(Ready{}));
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.status().what(), "unknown kind 99");
}

TEST(Codec, EveryTruncationOfABodyIsRefused) {
  for (std::size_t index = 0; index < kKinds; ++index) {
    const Message message = counted(index);
    const Frames whole = encode_message(message);
    for (std::size_t size = 0; size < whole[0].size(); ++size) {
      Frames cut = whole;
      cut[0] = cut_to(whole[0], size);
      EXPECT_FALSE(decode_message(kind_of(message), cut).ok()) << kind_name(kind_of(message)) << " of " << size;
    }
    Frames longer = whole;
    longer[0] = cut_to(whole[0], whole[0].size() + 1);
    EXPECT_FALSE(decode_message(kind_of(message), longer).ok()) << kind_name(kind_of(message)) << " and a byte more";
  }
}

TEST(Codec, ABlobTooFewOrTooManyIsRefused) {
  for (std::size_t index = 0; index < kKinds; ++index) {
    const Message message = counted(index);
    Frames frames = encode_message(message);
    frames.push_back(Bytes());
    EXPECT_FALSE(decode_message(kind_of(message), frames).ok()) << kind_name(kind_of(message));
    frames.pop_back();
    while (!frames.empty()) {
      frames.pop_back();  // a blob, and at last the body, whose presence was not checked
      EXPECT_FALSE(decode_message(kind_of(message), frames).ok()) << kind_name(kind_of(message));
    }
  }
}

TEST(Codec, EveryTruncationOfAHeaderIsRefused) {
  const Frames whole = framed(counted(0));
  for (std::size_t size = 0; size <= kHeaderSize + 8; ++size) {
    Frames cut = whole;
    cut[0] = cut_to(whole[0], size);
    EXPECT_EQ(decode_header(cut).ok(), size == kHeaderSize) << size;
  }
}

TEST(Codec, TooFewAndTooManyFramesAreRefused) {
  EXPECT_FALSE(decode_header({}).ok());
  EXPECT_FALSE(decode_header({framed(Ready{})[0]}).ok());
  Frames frames = framed(Ready{});
  frames.push_back(Bytes());
  EXPECT_FALSE(decode_header(frames).ok()) << "one more than the header claims";
  EXPECT_TRUE(decode_header(with_header(header_of(Kind::ready), Frames(kFramesMax - 1))).ok());
  EXPECT_FALSE(decode_header(with_header(header_of(Kind::ready), Frames(kFramesMax))).ok());
}

TEST(Codec, TheChecksumSeesEveryChangedByte) {
  for (std::size_t index = 0; index < kKinds; ++index) {
    const Frames whole = framed(counted(index));
    ASSERT_TRUE(decode_header(whole).ok());
    for (std::size_t f = 0; f < whole.size(); ++f)
      for (std::size_t at = 0; at < whole[f].size(); ++at)
        for (const unsigned change : {1U, 128U, 255U}) {
          Frames damaged = whole;
          damaged[f] = changed(whole[f], at, change);
          EXPECT_FALSE(decode_header(damaged).ok()) << "frame " << f << ", byte " << at;
        }
  }
}

TEST(Codec, TheChecksumSeesBytesThatMoveBetweenFrames) {
  const Frames whole = framed(Put{1, Object::slice, 2, {3, 4}, Bytes::from({std::byte{5}, std::byte{6}})});
  Frames moved = whole;
  std::vector<std::byte> body = tests::copy_of(whole[1]);
  body.push_back(std::byte{5});
  moved[1] = Bytes::from(std::move(body));
  moved[2] = Bytes::from({std::byte{6}});
  EXPECT_FALSE(decode_header(moved).ok());
  Frames swapped = whole;
  std::swap(swapped[1], swapped[2]);
  EXPECT_FALSE(decode_header(swapped).ok());
}

TEST(Codec, BetweenProcessesOfOneMachineLargeFramesAreNotChecked) {
  EXPECT_EQ(covered_at("ipc:///tmp/worker-0"), Covers::small_frames);
  EXPECT_EQ(covered_at("tcp://127.0.0.1:7000"), Covers::all);
  const Bytes small = Bytes::from(std::vector<std::byte>(kCheckedMost)),
              large = Bytes::from(std::vector<std::byte>(kCheckedMost + 1));
  const Frames whole = with_header(header_of(Kind::put), {small, large}, Covers::small_frames);
  ASSERT_TRUE(decode_header(whole, Covers::small_frames).ok());
  EXPECT_FALSE(decode_header(whole, Covers::all).ok()) << "through a network all is checked";
  const auto damaged = [&](std::size_t frame, const Bytes& with) {
    Frames frames = whole;
    frames[frame] = with;
    return decode_header(frames, Covers::small_frames).ok();
  };
  EXPECT_FALSE(damaged(1, changed(small, 7, 1)));
  EXPECT_TRUE(damaged(2, changed(large, 7, 1)));
  EXPECT_FALSE(damaged(2, Bytes::from(std::vector<std::byte>(kCheckedMost + 2)))) << "another size";
}

TEST(Codec, AnotherVersionIsNamed) {
  Frames frames = framed(Ready{});
  frames[0] = changed(frames[0], 4, kProtocolVersion ^ 1);
  seal(frames);
  const auto header = decode_header(frames);
  ASSERT_FALSE(header.ok());
  EXPECT_EQ(header.status().code(), ExitCode::wrong_version);
  EXPECT_EQ(header.status().what(), "protocol version 1, expected 12");
}

}  // namespace
}  // namespace rota
