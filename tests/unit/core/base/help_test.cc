#include "core/base/help.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

Help help() {
  const Option options[] = {
      {.name = "workers",
       .kind = Option::Kind::integer,
       .default_value = "2",
       .meaning = "Worker processes.",
       .least = 1,
       .most = 9,
       .needs = {"--start=hot", [](const Options&) { return true; }}},
      {.name = "rate", .kind = Option::Kind::real, .default_value = "0.5", .unit = "1/s", .meaning = "It.", .least = 0},
      {.name = "start", .kind = Option::Kind::choice, .default_value = "hot", .unit = "hot|cold", .meaning = "How."},
      {.name = "fast", .kind = Option::Kind::flag, .default_value = "true", .meaning = ".hidden request, \\fB."},
      {.name = "internal"}};
  return {"rota train APP --input=PATH [flags]",
          "Trains a model.",
          {{"The job:", {std::begin(options), std::end(options)}}},
          "The end."};
}

TEST(HelpTest, ShowsDefaultUnitBoundsConditionAndChoices) {
  EXPECT_EQ(help_text(help(), HelpForm::text),
            "usage: rota train APP --input=PATH [flags]\n\nTrains a model.\n\nThe job:\n"
            "  --workers=N  (default 2; 1 .. 9; for --start=hot)\n      Worker processes.\n"
            "  --rate=N  (default 0.5; unit: 1/s; at least 0)\n      It.\n"
            "  --start=hot|cold  (default hot)\n      How.\n"
            "  --fast  (default true)\n      .hidden request, \\fB.\n"
            "\nThe end.\n");
}

TEST(HelpTest, ManualPagesHaveNoRequestsOfTheirTexts) {
  const std::string page = help_text(help(), HelpForm::manual);
  EXPECT_EQ(page.find(".TH ROTA\\-TRAIN 1 "), 0U) << page;
  EXPECT_NE(page.find("\n.SH NAME\nrota\\-train \\- Trains a model\n"), std::string::npos) << page;
  EXPECT_NE(page.find("\n.SH The job\n.TP\n.B \\-\\-workers=N\nWorker processes.\n(default 2; 1 .. 9;"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("\n\\&.hidden request, \\efB.\n"), std::string::npos) << page;
  EXPECT_EQ(page.find("internal"), std::string::npos);
}

TEST(HelpTest, CompletionHasAWordForEachFlagAndChoice) {
  EXPECT_EQ(help_text(help(), HelpForm::words), "--workers=\n--rate=\n--start=hot\n--start=cold\n--fast\n--nofast\n");
}

}  // namespace
}  // namespace rota
