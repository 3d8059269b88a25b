#include "core/base/json_text.h"

namespace rota {
namespace {

// The library throws for them, which ended the coordinator.
TEST(JsonText, BytesThatAreNoUtf8DoNotEndTheProcess) {
  const nlohmann::ordered_json json = {{"a\xff", "b\xc3"}};
  EXPECT_EQ(json_text(json), "{\"a\xef\xbf\xbd\":\"b\xef\xbf\xbd\"}");
  EXPECT_TRUE(nlohmann::json::accept(json_text(json, 2)));
}

TEST(JsonText, ExactTextIsPreserved) {
  for (const std::string text : {"", "plain", "Straße 日本", "a\xff", "\xc3", "\xed\xa0\x80/\x01\n"}) {
    const nlohmann::ordered_json json = exact_text(text);
    const auto written = json_text(json);
    EXPECT_EQ(written.find("\xef\xbf\xbd"), std::string::npos) << "nothing is replaced";
    EXPECT_EQ(exact_text_of(nlohmann::json::parse(written)), text);
  }
  EXPECT_EQ(exact_text("Straße"), "Straße");
  EXPECT_EQ(exact_text("b\xff"), (nlohmann::ordered_json{{"hex", "62ff"}}));
}

TEST(JsonText, OtherJsonIsNoText) {
  for (const char* json : {"1", "null", "[]", "{}", R"({"hex":1})", R"({"hex":"6"})", R"({"hex":"6g"})",
                           R"({"hex":"-1"})", R"({"hex":"62","more":1})"})
    EXPECT_EQ(exact_text_of(nlohmann::json::parse(json)), std::nullopt) << json;
}

TEST(JsonText, FieldsOfAnotherTypeCountAsMissing) {
  const nlohmann::json object = {{"epoch", "7"}, {"epochs", nullptr}, {"seconds", "1.5 s"}, {"workers", {1, 2}}};
  EXPECT_EQ(number_in(object, "epoch"), 7);
  EXPECT_EQ(number_in(object, "epochs", -1), -1);
  EXPECT_EQ(number_in(object, "seconds", -1), -1);
  EXPECT_EQ(number_in(object, "workers", -1), -1);
  EXPECT_EQ(number_in(object, "objective", -1), -1);
  EXPECT_EQ(text_in(object, "epoch"), "7");
  EXPECT_EQ(text_in(object, "workers"), "");
}

}  // namespace
}  // namespace rota
