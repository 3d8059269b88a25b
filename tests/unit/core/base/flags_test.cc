#include "core/base/flags.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

constexpr Option kJob[] = {
    {.name = "workers", .kind = Option::Kind::integer, .default_value = "2", .least = 1, .most = 9},
    {.name = "rate", .kind = Option::Kind::real, .default_value = "0.5", .unit = "1/s", .least = 0},
    {.name = "out", .kind = Option::Kind::path},
    {.name = "insecure", .kind = Option::Kind::flag, .default_value = "false"},
    {.name = "start", .kind = Option::Kind::choice, .default_value = "hot", .unit = "hot|cold"},
    {.name = "note", .kind = Option::Kind::text},
};

class FlagsTest : public TemporaryFolder {
 protected:
  static Result<CommandLine> parse(std::vector<std::string> words, bool any = false) {
    std::vector<const char*> argv{"program"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    return parse_flags(static_cast<int>(argv.size()), argv.data(), {kJob, {}, {}, any});
  }
  static std::string error(std::vector<std::string> words) {
    const auto line = parse(std::move(words));
    if (line.ok()) return "no error";
    EXPECT_EQ(line.status().code(), ExitCode::usage);
    return line.status().what();
  }
};

TEST_F(FlagsTest, AllSpellings) {
  const auto line = parse({"first", "--workers", "3", "-rate=1e-3", "--insecure", "--note", "-x", "--", "--last"});
  ASSERT_TRUE(line.ok()) << line.status().what();
  EXPECT_EQ(line->options.integer("workers"), 3);
  EXPECT_EQ(line->options.real("rate"), 1e-3);
  EXPECT_TRUE(line->options.flag("insecure"));
  EXPECT_EQ(line->options.text("note"), "-x");
  EXPECT_EQ(line->positional, (std::vector<std::string>{"first", "--last"}));
  EXPECT_EQ(line->given.size(), 4U);
}

TEST_F(FlagsTest, BooleansHaveSeveralSpellings) {
  EXPECT_FALSE(parse({"--insecure", "--noinsecure"})->options.flag("insecure"));
  EXPECT_FALSE(parse({"--insecure=no"})->options.flag("insecure"));
  EXPECT_TRUE(parse({"--insecure=1"})->options.flag("insecure"));
  EXPECT_EQ(error({"--insecure=2"}), "--insecure=2: must be true or false");
}

TEST_F(FlagsTest, AnUnknownFlagNamesTheNearest) {
  EXPECT_EQ(error({"--wrokers=3"}), "unknown flag --wrokers; the nearest is --workers");
  EXPECT_EQ(error({"--strat", "hot"}), "unknown flag --strat; the nearest is --start");
  EXPECT_EQ(error({"--noworkers"}), "unknown flag --noworkers; the nearest is --workers");
}

TEST_F(FlagsTest, AWrongValueNamesFlagValueBoundsAndUnit) {
  EXPECT_EQ(error({"--workers=0"}), "--workers=0: must be a whole number, 1 .. 9");
  EXPECT_EQ(error({"--workers=1.5"}), "--workers=1.5: must be a whole number, 1 .. 9");
  EXPECT_EQ(error({"--workers="}), "--workers=: must be a whole number, 1 .. 9");
  EXPECT_EQ(error({"--workers=99999999999999999999"}),
            "--workers=99999999999999999999: must be a whole number, 1 .. 9");
  EXPECT_EQ(error({"--rate=-1"}), "--rate=-1: must be a number, at least 0 (1/s)");
  EXPECT_EQ(error({"--rate=nan"}), "--rate=nan: must be a number, at least 0 (1/s)");
  EXPECT_EQ(error({"--rate=inf"}), "--rate=inf: must be a number, at least 0 (1/s)");
  EXPECT_EQ(error({"--start=warm"}), "--start=warm: must be one of hot|cold");
  EXPECT_EQ(error({"--workers"}), "--workers needs a value: --workers=VALUE");
  EXPECT_EQ(error({"--note=a\nb"}), "--note: a value must be one line");
}

TEST_F(FlagsTest, ValuesComeOutInTheirPlainForm) {
  const auto line = parse({"--workers=+03", "--out=a/./b", "--insecure=y"});
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->options.text("workers"), "3");
  EXPECT_EQ(line->options.text("out"), (std::filesystem::current_path() / "a/b").string());
  EXPECT_EQ(line->options.text("insecure"), "true");
  EXPECT_EQ(line->given.find("workers")->second, "+03");
}

TEST_F(FlagsTest, AFlagfileIsReadInPlaceAndLaterFlagsWin) {
  const std::string inner = write("inner", "--rate=3\n");
  const std::string file =
      write("flags", "# a comment\n\n  --workers=4\r\n--note=two words\n--flagfile=" + inner + "\n");
  const auto line = parse({"--workers=3", "--flagfile=" + file, "--rate", "4"});
  ASSERT_TRUE(line.ok()) << line.status().what();
  EXPECT_EQ(line->options.integer("workers"), 4);
  EXPECT_EQ(line->options.text("note"), "two words");
  EXPECT_EQ(line->options.real("rate"), 4);
}

TEST_F(FlagsTest, AWrongFlagfileIsReportedAsOne) {
  EXPECT_EQ(parse({"--flagfile=/no/such/file"}).status().code(), ExitCode::no_input);
  EXPECT_EQ(error({"--flagfile=" + write("a", "--wokers=3\n")}), "unknown flag --wokers; the nearest is --workers");
  const std::string words = write("b", "workers 3\n");
  EXPECT_EQ(error({"--flagfile=" + words}), words + ": 'workers 3' is not a flag");
  const std::string itself = write("c", "--flagfile=" + (folder / "c").string() + "\n");
  EXPECT_EQ(parse({"--flagfile=" + itself}).status().code(), ExitCode::usage);
}

// It set the flag before the zero byte to an unchecked value.
TEST_F(FlagsTest, AZeroByteInAFlagfileIsAnError) {
  using std::string_literals::operator""s;
  for (const std::string& line : {"--workers\0=lots\n"s, "--note=a\0b\n"s, "--log_dir\0=x\n"s})
    EXPECT_TRUE(error({"--flagfile=" + write("zero", line)}).ends_with(": a zero byte in a flag"));
  EXPECT_EQ(parse({})->options.integer("workers"), 2);
}

// A value that ended in a carriage return lost it in flags.txt: the processes trained on another file.
TEST_F(FlagsTest, ValuesThatAFlagfileCannotHoldAreRefused) {
  const std::filesystem::path file = folder / "flags.txt";
  for (const char* value : {"in\r", "\r", "two\nlines"})
    EXPECT_EQ(write_flagfile(file, {{"note", value}}).code(), ExitCode::usage);
  EXPECT_FALSE(std::filesystem::exists(file));
  for (const char* value :
       {" blanks ", "\ttab\t", "#name", "\xef\xbb\xbfmark", "-x", "--", "a\rb", "=", "\\r", "'q\""}) {
    ASSERT_TRUE(write_flagfile(file, {{"note", value}}).ok());
    EXPECT_EQ(parse({"--flagfile=" + file.string()})->options.text("note"), value);
  }
}

TEST_F(FlagsTest, AByteOrderMarkIsSkipped) {
  EXPECT_EQ(parse({"--flagfile=" + write("mark", "\xef\xbb\xbf--workers=4\r\n")})->options.integer("workers"), 4);
}

TEST_F(FlagsTest, FlagsThatALineRepeatsAreReported) {
  const std::string file = write("flags", "--rate=3\n--rate=4\n--workers=5\n");
  const auto line = parse({"--workers=3", "--note=a", "--flagfile=" + file, "--rate=5", "--note=a", "--workers=4"});
  ASSERT_TRUE(line.ok()) << line.status().what();
  EXPECT_EQ(line->repeated, std::vector<std::string>{"workers"});
  EXPECT_EQ(line->options.integer("workers"), 4);
}

TEST_F(FlagsTest, HelpAndVersionWinOverWrongFlags) {
  EXPECT_EQ(parse({"--nonsense", "--help"})->wish, CommandLine::Wish::help);
  EXPECT_EQ(parse({"--version"})->wish, CommandLine::Wish::version);
}

TEST_F(FlagsTest, WithoutThePluginItsOptionsAreUnchecked) {
  const auto line = parse({"--topics=050", "--alpha", "x", "--workers=3"}, true);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->options.text("topics"), "050");
  EXPECT_EQ(line->options.text("alpha"), "x");
  EXPECT_EQ(line->options.integer("workers"), 3);
  EXPECT_EQ(parse({"--topics=50", "--workers=x"}, true).status().code(), ExitCode::usage);
}

TEST_F(FlagsTest, FlagsOfTheLogAreNoOptions) {
  const auto line = parse({"--v=2", "--logtostderr", "--minloglevel", "1"});
  ASSERT_TRUE(line.ok()) << line.status().what();
  EXPECT_EQ(line->log_flags, (std::vector<std::string>{"--v=2", "--logtostderr=true", "--minloglevel=1"}));
  EXPECT_FALSE(line->options.has("v"));
  EXPECT_EQ(error({"--v=x"}), "--v=x: not a value for this flag of the log");
  (void)parse({"--v=0", "--nologtostderr", "--minloglevel=0"}).ok();
}

TEST_F(FlagsTest, WrongDeclarationsAreRefused) {
  const auto refused = [](Option option) { return check_declarations(std::span(&option, 1), kJob).what(); };
  EXPECT_EQ(refused({.name = "topics", .kind = Option::Kind::integer, .default_value = "5"}), "");
  EXPECT_EQ(refused({.name = "workers"}), "option workers: the name is taken");
  EXPECT_EQ(refused({.name = "help"}), "option help: the name is taken");
  EXPECT_EQ(refused({.name = "v"}), "option v: the name is taken");
  EXPECT_EQ(refused({.name = "two words"}), "option 'two words': not a name for an option");
  EXPECT_EQ(refused({.name = "n", .kind = Option::Kind::integer, .default_value = "x"}),
            "option n: wrong default: --n=x: must be a whole number");
}

}  // namespace
}  // namespace rota
