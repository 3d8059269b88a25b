#include "rota/options.h"

namespace rota {
namespace {

Options options() {
  return Options({{"count", "12"},
                  {"minus", "-3"},
                  {"rate", "2.5e-3"},
                  {"on", "true"},
                  {"off", "false"},
                  {"empty", ""},
                  {"tail", "12x"},
                  {"huge", "99999999999999999999"}});
}

TEST(Options, ValuesByName) {
  EXPECT_EQ(options().integer("count"), 12);
  EXPECT_EQ(options().integer("minus"), -3);
  EXPECT_EQ(options().real("rate"), 2.5e-3);
  EXPECT_EQ(options().real("count"), 12.0);
  EXPECT_TRUE(options().flag("on"));
  EXPECT_FALSE(options().flag("off"));
  EXPECT_EQ(options().text("count"), "12");
}

TEST(Options, WhatIsNotDeclaredIsEmpty) {
  EXPECT_EQ(options().text("unknown"), "");
  EXPECT_FALSE(options().has("unknown"));
  EXPECT_FALSE(options().has("empty"));
  EXPECT_TRUE(options().has("off"));
  EXPECT_FALSE(options().flag("unknown"));
}

TEST(Options, ANumberThatIsNoneNamesTheOption) {
  for (const char* name : {"tail", "huge", "empty", "unknown", "on"}) {
    try {
      (void)options().integer(name);
      ADD_FAILURE() << name << " is a number";
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW((void)options().real("tail"), std::invalid_argument);
  EXPECT_THROW((void)options().integer("rate"), std::invalid_argument);
}

}  // namespace
}  // namespace rota
