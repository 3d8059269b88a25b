#include "cli/remote/agent_messages.h"

#include "core/base/version.h"

namespace rota {
namespace {

using Begins = MessageReader::Begins;

std::string sent(const nlohmann::json& message) {
  auto line = line_of(message);
  return line.ok() ? *line : "";
}

TEST(AgentMessages, SurviveAnyCutOfTheStream) {
  const std::vector<nlohmann::json> messages = {
      {{"kind", "beat"}}, nlohmann::json::object(), {{"text", std::string(70'000, 'x')}}, {{"text", "\n\"\\\x01"}}};
  std::string stream = "Welcome!\nrota-agent says\n no end" + greeting();
  for (const auto& message : messages) stream += sent(message);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{4096}, stream.size()}) {
    MessageReader reader(Begins::greeted);
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

TEST(AgentMessages, FollowTheOutputOfALoginShell) {
  MessageReader reader(Begins::greeted);
  reader.take(std::string("\0\xff motd ", 8) + sent({{"kind", "beat"}}) + "rota-agent speak");
  auto message = reader.next();
  ASSERT_TRUE(message.ok());
  EXPECT_FALSE(message->has_value());
  EXPECT_FALSE(reader.greeted());
  reader.take(greeting());
  EXPECT_TRUE(reader.next().ok());
  EXPECT_TRUE(reader.greeted());
}

TEST(AgentMessages, NoiseIsLimited) {
  for (const char letter : {'x', '\n'}) {
    MessageReader reader(Begins::greeted);
    reader.take(std::string(kNoiseBytesMost + 1, letter));
    EXPECT_EQ(reader.next().status().code(), ExitCode::bad_data);
  }
}

TEST(AgentMessages, AnAgentOfAnotherVersionIsRefused) {
  MessageReader reader(Begins::greeted);
  reader.take("rota-agent speaks 2 of " + std::string(kVersion) + "-else\n");
  const auto message = reader.next();
  ASSERT_FALSE(message.ok());
  EXPECT_EQ(message.status().code(), ExitCode::wrong_version);
  EXPECT_NE(message.status().what().find("-else"), std::string::npos);
}

TEST(AgentMessages, InvalidOnesAreRefused) {
  const auto code_of = [](std::string_view bytes) {
    MessageReader reader(Begins::at_once);
    reader.take(bytes);
    const auto message = reader.next();
    return message.ok() ? ExitCode::ok : message.status().code();
  };
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(code_of(std::string(kMessageBytesMost + 1, ' ')), ExitCode::bad_data) << "it is too long";
  EXPECT_EQ(code_of("\n"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("\0\n"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("[]\n"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("{x\n"sv), ExitCode::bad_data);
  EXPECT_EQ(code_of("{}\n"sv), ExitCode::ok);
  EXPECT_EQ(code_of(std::string(100'000, '[') + "\n"), ExitCode::bad_data) << "at any depth";
  EXPECT_FALSE(line_of({{"text", std::string(kMessageBytesMost, 'x')}}).ok());
}

}  // namespace
}  // namespace rota
