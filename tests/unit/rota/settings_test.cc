#include "rota/settings.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

enum class Order { forward, backward };

struct Shared {
  std::string file = "";
  void options(auto& list) { list.path("file", file, "A file."); }
};

struct Settings {
  std::uint32_t count = 8;
  double rate = 1e-6;
  bool quiet = true;
  Order order = Order::backward;
  std::string name = "x";
  Shared shared;

  void options(auto& list) {
    list.number("count", count, "things", 1, 10, "How many.");
    list.number("rate", rate, "", 0, 1, "How fast.").needs = {"--quiet=false", nullptr};
    list.flag("quiet", quiet, "No words.");
    list.choice("order", order, {{"forward", Order::forward}, {"backward", Order::backward}}, "Which way.");
    list.text("name", name, "Its name.");
    list.all_of(shared);
  }
};

TEST(Settings, OneListDeclaresOptions) {
  const std::span<const Option> all = declared_options<Settings>();
  ASSERT_EQ(all.size(), 6U);
  EXPECT_EQ(all[0].name, "count");
  EXPECT_EQ(all[0].kind, Option::Kind::integer);
  EXPECT_EQ(all[0].default_value, "8");
  EXPECT_EQ(all[0].unit, "things");
  EXPECT_EQ(all[0].most, 10);
  EXPECT_EQ(all[1].kind, Option::Kind::real);
  EXPECT_EQ(all[1].default_value, "1e-6");
  EXPECT_EQ(all[1].needs.text, "--quiet=false");
  EXPECT_EQ(all[2].default_value, "true");
  EXPECT_EQ(all[3].unit, "forward|backward");
  EXPECT_EQ(all[3].default_value, "backward");
  EXPECT_EQ(all[4].default_value, "x");
  EXPECT_EQ(all[5].kind, Option::Kind::path);
  EXPECT_EQ(declared_options<Settings>().data(), all.data()) << "made once";
}

TEST(Settings, TheSameListReadsThem) {
  const Options options({{"count", "3"}, {"rate", "0.5"}, {"quiet", "false"}, {"order", "forward"}, {"file", "/f"}});
  const auto settings = settings_of<Settings>(options);
  EXPECT_EQ(settings.count, 3U);
  EXPECT_EQ(settings.rate, 0.5);
  EXPECT_FALSE(settings.quiet);
  EXPECT_EQ(settings.order, Order::forward);
  EXPECT_EQ(settings.shared.file, "/f");
  EXPECT_THROW(settings_of<Settings>(Options()), std::invalid_argument) << "an option that was never declared";
}

}  // namespace
}  // namespace rota
