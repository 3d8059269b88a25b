#include "rota/argument.h"

namespace rota {
namespace {

enum class Step : std::uint8_t { begin, change };

struct Fit {
  Step step = Step::begin;
  double penalty = 0;
  void fields(auto& list) { list(step, penalty); }
};

TEST(Argument, HoldsOneValueOfAnyTypeWithFields) {
  EXPECT_EQ(Argument(Step::change).as<Step>(), Step::change);
  EXPECT_EQ(Argument(std::uint64_t{1} << 63).as<std::uint64_t>(), std::uint64_t{1} << 63);
  const Argument fit(Fit{Step::change, 0.25});
  EXPECT_EQ(fit.as<Fit>().step, Step::change);
  EXPECT_EQ(fit.as<Fit>().penalty, 0.25);
  EXPECT_EQ(fit.bytes().size(), 9U);
  EXPECT_EQ(Argument::of_bytes(fit.bytes()), fit);
  EXPECT_FALSE(fit == Argument(Fit{}));
}

TEST(Argument, ReadAsAnotherValueIsAnError) {
  EXPECT_TRUE(Argument().empty());
  EXPECT_THROW(Argument().as<Step>(), std::runtime_error);
  EXPECT_THROW(Argument(Step::change).as<double>(), std::runtime_error);
  EXPECT_THROW(Argument(Fit{}).as<Step>(), std::runtime_error);
}

}  // namespace
}  // namespace rota
