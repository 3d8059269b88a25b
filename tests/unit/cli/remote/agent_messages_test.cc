#include "cli/remote/agent_messages.h"

#include <gtest/gtest.h>

#include "core/base/version.h"

namespace rota {
namespace {

using Begins = FrameReader::Begins;

std::string framed(const nlohmann::json& message) {
  auto frame = frame_of(message);
  return frame.ok() ? *frame : "";
}

TEST(Frames, SurviveAnyCutOfTheStream) {
  const std::vector<nlohmann::json> messages = {
      {{"kind", "beat"}}, nlohmann::json::object(), {{"text", std::string(70'000, 'x')}}, {{"text", "\n\"\\\x01"}}};
  std::string stream = "Welcome!\nrota-agent says\n no end" + greeting();
  for (const auto& message : messages) stream += framed(message);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, stream.size()}) {
    FrameReader reader(Begins::greeted);
    std::vector<nlohmann::json> got;
    for (std::size_t at = 0; at < stream.size(); at += step) {
      reader.take(std::string_view(stream).substr(at, step));
      while (true) {
        auto message = reader.next();
        ASSERT_TRUE(message.ok()) << message.status().what();
        if (!*message) break;
        got.push_back(**message);
      }
    }
    EXPECT_EQ(got, messages) << step;
  }
}

TEST(Frames, FollowTheOutputOfALoginShell) {
  FrameReader reader(Begins::greeted);
  reader.take(std::string("\0\xff motd ", 8) + framed({{"kind", "beat"}}) + "rota-agent speak");
  auto message = reader.next();
  ASSERT_TRUE(message.ok());
  EXPECT_FALSE(message->has_value());
  EXPECT_FALSE(reader.greeted());
  reader.take(greeting());
  EXPECT_TRUE(reader.next().ok());
  EXPECT_TRUE(reader.greeted());
}

TEST(Frames, NoiseIsLimited) {
  FrameReader reader(Begins::greeted);
  reader.take(std::string(kNoiseBytesMost + 1, 'x'));
  EXPECT_EQ(reader.next().status().code(), ExitCode::bad_data);
}

TEST(Frames, AnAgentOfAnotherVersionIsRefused) {
  FrameReader reader(Begins::greeted);
  reader.take("rota-agent speaks 1 of " + std::string(kVersion) + "-else\n");
  const auto message = reader.next();
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.status().code(), ExitCode::wrong_version);
  EXPECT_NE(message.status().what().find("-else"), std::string::npos);
}

TEST(Frames, InvalidFramesAreRefused) {
  const auto code_of = [](std::string_view bytes) {
    FrameReader reader(Begins::at_once);
    reader.take(bytes);
    const auto message = reader.next();
    return message.ok() ? ExitCode::ok : message.status().code();
  };
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(code_of("\xff\xff\xff\xff"sv), ExitCode::bad_data) << "the length is too large";
  EXPECT_EQ(code_of("\0\0\0\0"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("\0\0\0\2[]"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("\0\0\0\2{x"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("\0\0\0\2{}"sv), ExitCode::ok);
  std::string deep = std::string(4, 0) + std::string(100'000, '[');
  deep[1] = 1, deep[2] = static_cast<char>(0x86), deep[3] = static_cast<char>(0xa0);
  EXPECT_EQ(code_of(deep), ExitCode::bad_data) << "at any depth";
  EXPECT_FALSE(frame_of({{"text", std::string(kFrameBytesMost, 'x')}}).ok());
}

}  // namespace
}  // namespace rota
