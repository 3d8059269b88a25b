#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/ratings.h"
#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/numbers.h"
#include "rota/io/text_writer.h"
#include "rota/io/vocabulary.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::mf {
namespace {

enum class SplitBy : std::uint8_t {
  random,         // each by the seed and its number
  time,           // the newest, by the fourth field, a number; of equal times the last
  leave_one_out,  // one of every user with at least two: the newest if all lines have times, or else one at random
};

struct SplitOptions {
  std::string output;
  SplitBy by = SplitBy::random;
  double fraction = 0.1;  // that is held out, by random and by time
  std::uint64_t seed = 1;
  bool implicit = false;
  io::EntryForm form;

  RatingKind kind() const { return implicit ? RatingKind::counts : RatingKind::ratings; }
  void options(auto& list) {
    list.path("output", output, "Folder for train.txt and valid.txt; created if it does not exist.");
    list.choice(
        "by", by, {{"random", SplitBy::random}, {"time", SplitBy::time}, {"leave_one_out", SplitBy::leave_one_out}},
        "What is held out: ratings at random, the newest by the fourth field, or one of each user: its newest if all "
        "lines have times, or one at random.");
    list.number("fraction", fraction, "", 0, 1, "Share of the ratings that is held out, by random and by time.");
    list.flag("implicit", implicit, "Lines may have no rating, as in training with --implicit.");
    list.number("seed", seed, "", 0, 9'007'199'254'740'992, "Equal seeds hold out equal ratings.");
    form.options(list);
  }
};

// One flag for each rating of the files, in their order: whether it is held out.
std::vector<bool> held_out(const std::vector<std::string>& files, const SplitOptions& rule) {
  std::vector<std::uint32_t> users;
  std::vector<double> times;  // of all ratings, or none
  io::Vocabulary names;
  bool timed = rule.by != SplitBy::random;
  for_each_rating(files, rule.form, rule.kind(), [&](const io::EntryReader& reader, const io::Entry& entry, double) {
    if (names.size() >= io::kMostWords) reader.fail("too many users");
    users.push_back(rule.by == SplitBy::leave_one_out ? names.number_of(entry.first) : 0);
    double time = 0;
    if (timed && io::parse_number(entry.time, time))
      times.push_back(time);
    else if (rule.by == SplitBy::time)
      reader.fail("expected a time in the fourth field, a number, found " + io::quoted(entry.time));
    else
      timed = false;
  });
  if (users.empty()) throw DataError(files.empty() ? "the input" : files.front(), 0, "there are no ratings");

  const std::size_t count = users.size();
  std::vector<bool> out(count);
  if (rule.by == SplitBy::random)
    for (std::size_t i = 0; i < count; ++i) out[i] = random_named({rule.seed, i}).uniform() < rule.fraction;
  if (rule.by == SplitBy::time) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });
    const auto kept = static_cast<std::size_t>(std::llround(static_cast<double>(count) * (1 - rule.fraction)));
    for (std::size_t i = kept; i < count; ++i) out[order[i]] = true;
  }
  if (rule.by == SplitBy::leave_one_out) {
    struct Chosen {
      std::size_t rating = 0;
      std::uint64_t ratings = 0;
    };
    std::vector<Chosen> chosen(names.size());
    for (std::size_t i = 0; i < count; ++i) {
      Chosen& one = chosen[users[i]];
      ++one.ratings;
      // At random: the i-th of a user's ratings replaces the current choice with probability 1 / i.
      const bool replaces =
          timed ? times[i] >= times[one.rating] : random_named({rule.seed, i}).below(one.ratings) == 0;
      if (one.ratings == 1 || replaces) one.rating = i;
    }
    for (const Chosen& one : chosen)
      if (one.ratings >= 2) out[one.rating] = true;
  }
  return out;
}

// As it was in the file, or if that has no lines of text, its fields between tabs.
std::string line_of(const io::Entry& entry) {
  if (!entry.line.empty()) return std::string(entry.line);
  std::string line = std::string(entry.first) + "\t" + std::string(entry.second);
  for (const std::string_view more : {entry.value, entry.time})
    if (!more.empty()) line += "\t" + std::string(more);
  return line;
}

void split(const Call& call, std::ostream& out) {
  const auto rule = settings_of<SplitOptions>(call.options);
  if (rule.output.empty()) throw UsageError("--output is missing: the folder for train.txt and valid.txt");
  const std::filesystem::path folder(rule.output), names[] = {folder / "train.txt", folder / "valid.txt"};
  for (const auto& name : names)
    if (std::filesystem::exists(std::filesystem::symlink_status(name)))
      throw UsageError(name.string() + " exists and is not overwritten");
  const std::vector<bool> held = held_out(call.input, rule);
  std::filesystem::create_directories(folder);
  io::TextWriter writers[] = {io::TextWriter(names[0]), io::TextWriter(names[1])};
  std::uint64_t counts[2] = {}, number = 0;
  for_each_rating(call.input, rule.form, rule.kind(),
                  [&](const io::EntryReader& reader, const io::Entry& entry, double) {
                    if (number == 0 && !reader.header().empty())
                      for (io::TextWriter& writer : writers) writer << reader.header() << "\n";
                    const int part = held[number++] ? 1 : 0;
                    writers[part] << line_of(entry) << "\n";
                    ++counts[part];
                  });
  for (io::TextWriter& writer : writers) writer.close();
  out << counts[0] << " ratings in " << names[0].string() << "\n" << counts[1] << " in " << names[1].string() << "\n";
}

}  // namespace

Command split_command() {
  return {.name = "split",
          .summary = "writes ratings for training and for validation into a folder",
          .options = declared_options<SplitOptions>(),
          .run = split,
          .needs_model = false,
          .takes_input = true};
}

}  // namespace rota::mf
