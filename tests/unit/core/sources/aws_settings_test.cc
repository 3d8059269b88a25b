#include "core/sources/aws_settings.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(AwsSettings, ValuesOfAnIniFile) {
  const std::string text =
      "# [mine]\nregion = none\n[default]\nregion = a\r\n[ mine ]\n; region = b\nregion=c d\n key = x=y \nempty =\n";
  EXPECT_EQ(ini_value(text, "default", "region"), "a");
  EXPECT_EQ(ini_value(text, "mine", "region"), "c d");
  EXPECT_EQ(ini_value(text, "mine", "key"), "x=y");
  EXPECT_EQ(ini_value(text, "mine", "empty"), "");
  EXPECT_EQ(ini_value(text, "mine", "none"), "");
  EXPECT_EQ(ini_value(text, "other", "region"), "");
  EXPECT_EQ(ini_value("[mine]\nregion=last", "mine", "region"), "last");
}

}  // namespace
}  // namespace rota
