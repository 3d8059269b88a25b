#include "core/base/json_text.h"

namespace rota {
namespace {

using Object = nlohmann::ordered_json;

Object sample() {
  Object object;
  object["seed"] = 12;
  object["seconds"] = 0.1 + 0.2;
  object["options"] = {{"topics", "5"}, {"alpha", "0.10"}};
  object["files"] = {{{"file", "a"}, {"bytes", 1000}}, {{"file", "b"}, {"bytes", 2000}}};
  return object;
}

ExitCode code(const std::string& text, unsigned format = 3) {
  return unseal(text, format).status().code();
}

TEST(SealedJson, ComesBack) {
  for (const Object& object : {sample(), Object::object()}) {
    const auto back = unseal(seal(object, 3), 3);
    ASSERT_TRUE(back.ok()) << back.status().what();
    for (const auto& [name, value] : object.items()) EXPECT_EQ((*back)[name], nlohmann::json(value)) << name;
    EXPECT_EQ(back->size(), object.size() + 2) << "its format and its checksum";
  }
}

TEST(SealedJson, NoChangedByteGivesOtherFields) {
  const std::string text = seal(sample(), 3);
  const nlohmann::json whole = *unseal(text, 3);
  std::size_t refused = 0;
  for (std::size_t at = 0; at < text.size(); ++at)
    for (const unsigned change : {1U, 2U, 4U, 8U, 16U, 32U, 64U, 128U, 255U}) {
      std::string damaged = text;
      damaged[at] = static_cast<char>(damaged[at] ^ static_cast<char>(change));
      const auto read = unseal(damaged, 3);
      if (read.ok()) {
        EXPECT_EQ(*read, whole) << damaged;
      } else {
        ++refused;
      }
    }
  EXPECT_GT(refused, text.size() * 4) << "spaces between words may change";
}

TEST(SealedJson, EveryTruncationIsDamage) {
  const std::string text = seal(sample(), 3);
  for (std::size_t size = 0; size + 2 < text.size(); ++size) EXPECT_EQ(code(text.substr(0, size)), ExitCode::disk);
}

TEST(SealedJson, AMissingOrAnAdditionalFieldIsDamage) {
  const auto whole = Object::parse(seal(sample(), 3));
  for (const auto& [name, value] : whole.items()) {
    auto other = whole;
    other.erase(name);
    EXPECT_EQ(code(other.dump()), ExitCode::disk) << name;
    other[name] = {value};
    EXPECT_EQ(code(other.dump()), ExitCode::disk) << name;
  }
  auto more = whole;
  more["more"] = 1;
  EXPECT_EQ(code(more.dump()), ExitCode::disk);
  EXPECT_EQ(code(whole.dump()), ExitCode::ok) << "laid out otherwise, it is the same";
  EXPECT_EQ(code(nlohmann::json(whole).dump(8)), ExitCode::ok) << "in another order, too";
}

TEST(SealedJson, AnotherFormatIsAnotherVersion) {
  EXPECT_EQ(code(seal(sample(), 2)), ExitCode::wrong_version);
  EXPECT_EQ(unseal(seal(sample(), 4), 3).status().what(),
            "written by another version of Rota: format 4, this one reads format 3");
}

TEST(SealedJson, GarbageIsDamage) {
  for (const char* text : {"", "null", "[]", "{}", "7", "\"\"", "{\"format\": \"3\"}", "{\"format\": 3}", "\xff\xfe"})
    EXPECT_EQ(code(text), ExitCode::disk) << text;
}

// Only the stack limited how deep a file could be nested.
TEST(SealedJson, WhatIsNestedTooDeeplyIsDamage) {
  const auto nested = [](std::size_t depth) {
    return "{\"format\": 3, \"check\": \"\", \"x\": " + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_EQ(code(nested(1000000)), ExitCode::disk);
  Object object;
  object["x"] = Object::parse(std::string(20, '[') + std::string(20, ']'));
  EXPECT_EQ(code(seal(object, 3)), ExitCode::disk);
}

}  // namespace
}  // namespace rota
