#include "cli/remote/agent_messages.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class Places : public TemporaryFolder {};

TEST_F(Places, OnlyTheFolderThatWasMarkedIsTheOne) {
  const RunFolder here{folder / "here"}, elsewhere{folder / "elsewhere"};
  for (const RunFolder& run : {here, elsewhere}) ASSERT_TRUE(make_folder(run.path).ok());
  const auto place = mark_place(here);
  ASSERT_TRUE(place.ok()) << place.status().what();
  EXPECT_TRUE(is_marked(here, *place));
  EXPECT_FALSE(is_marked(elsewhere, *place)) << "there is nothing";
  ASSERT_TRUE(mark_place(elsewhere).ok());
  EXPECT_FALSE(is_marked(elsewhere, *place)) << "it is another run's";
}

// A copy of the folder on another machine counted as the run's folder, and files written there were committed.
TEST_F(Places, ACopyOfAnEarlierTimeIsNotTheOne) {
  const RunFolder here{folder / "here"}, copy{folder / "copy"};
  ASSERT_TRUE(make_folder(here.path).ok());
  const auto first = mark_place(here);
  ASSERT_TRUE(first.ok());
  std::filesystem::copy(here.path, copy.path);
  const auto again = mark_place(here);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(run_of(*again), run_of(*first)) << "it is the same run, which finds the files that it kept";
  EXPECT_NE(*again, *first);
  EXPECT_TRUE(is_marked(here, *again));
  EXPECT_FALSE(is_marked(copy, *again));
}

TEST_F(Places, AreTwoNumbersAndNothingElse) {
  const auto place = mark_place(RunFolder{folder});
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(is_place(*place));
  const std::string run = run_of(*place);
  for (const std::string& text :
       {std::string(), std::string(" "), std::string("x"), run, run + " ", run + " ../../../etc/abc",
        "../../../../etc/ " + run, *place + " ", *place + "0", std::string("0123456789ABCDEF 0123456789abcdef")})
    EXPECT_FALSE(is_place(text)) << text;
}

TEST_F(Places, AnInvalidPlaceIsRewritten) {
  write("place", "something else\n");
  const auto place = mark_place(RunFolder{folder});
  ASSERT_TRUE(place.ok());
  EXPECT_TRUE(is_marked(RunFolder{folder}, *place));
}

}  // namespace
}  // namespace rota
