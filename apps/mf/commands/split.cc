#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/ratings/rating_reader.h"
#include "apps/mf/ratings/split_ratings.h"
#include "apps/mf/settings.h"
#include "rota/error.h"
#include "rota/io/text_writer.h"

namespace rota::mf {
namespace {

namespace fs = std::filesystem;

constexpr Option kSplitOptions[] = {
    {.name = "output",
     .kind = Option::Kind::path,
     .meaning = "Folder for train.txt and valid.txt; created if it does not exist."},
    {.name = "by",
     .kind = Option::Kind::choice,
     .default_value = "random",
     .unit = "random|time|leave_one_out",
     .meaning =
         "What is held out: ratings at random, the newest by the fourth field, or one of each user: its newest if "
         "all lines have times, or one at random."},
    real_option("fraction", "0.1", "", 0, 1, "Share of the ratings that is held out, by random and by time."),
    {.name = "implicit",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Lines may have no rating, as in training with --implicit."},
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds hold out equal ratings."),
};

SplitRule rule_of(const Options& options) {
  const std::string_view by = options.text("by");
  return {by == "time"            ? SplitBy::time
          : by == "leave_one_out" ? SplitBy::leave_one_out
                                  : SplitBy::random,
          options.real("fraction"), static_cast<std::uint64_t>(options.integer("seed")),
          options.flag("implicit") ? RatingReader::Kind::counts : RatingReader::Kind::ratings};
}

void split(const Call& call, std::ostream& out) {
  if (!call.options.has("output")) throw UsageError("--output is missing: the folder for train.txt and valid.txt");
  const fs::path folder(call.options.text("output"));
  const fs::path names[] = {folder / "train.txt", folder / "valid.txt"};
  for (const fs::path& name : names)
    if (fs::exists(fs::symlink_status(name))) throw UsageError(name.string() + " exists and is not overwritten");
  const LineFormat format = format_of(call.options);
  const SplitRule rule = rule_of(call.options);
  const std::vector<bool> held = held_out(call.input, format, rule);
  fs::create_directories(folder);
  io::TextWriter writers[] = {io::TextWriter(names[0]), io::TextWriter(names[1])};
  std::uint64_t counts[2] = {}, number = 0;
  bool headed = false;
  for_each_rating(call.input, format, rule.kind, [&](const RatingReader& reader, const RatingLine& line) {
    if (!reader.header().empty() && !headed)
      for (io::TextWriter& writer : writers) writer << reader.header() << "\n";
    headed = true;
    const int part = held[number++] ? 1 : 0;
    writers[part] << line.text << "\n";
    ++counts[part];
  });
  for (io::TextWriter& writer : writers) writer.close();
  out << counts[0] << " ratings in " << names[0].string() << "\n" << counts[1] << " in " << names[1].string() << "\n";
}

}  // namespace

Command split_command() {
  static const std::vector<Option> kOptions = with_format(kSplitOptions);
  return {.name = "split",
          .summary = "writes ratings for training and for validation into a folder",
          .options = kOptions,
          .run = split,
          .needs_model = false,
          .takes_input = true};
}

}  // namespace rota::mf
