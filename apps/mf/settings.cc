#include "apps/mf/settings.h"

#include <string>
#include <utility>

#include "rota/error.h"

namespace rota::mf {
namespace {

constexpr Option kFormat[] = {
    {.name = "separator",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|blanks|tab|comma|semicolon|colons",
     .meaning = "What stands between the fields of a line; auto: what the first line of each file has.  colons: '::'."},
    {.name = "header",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|yes|no",
     .meaning = "Whether the first line of each file names the columns; auto: if its third field is no number."},
};

constexpr Option kOwn[] = {
    {.name = "solver",
     .kind = Option::Kind::choice,
     .default_value = "sgd",
     .unit = "sgd|ccd|als",
     .meaning = "How the factors are found: stochastic gradient descent; ccd and als are not there yet."},
    integer_option("rank", "32", "factors", 1, 65536, "Number of factors of a user or an item."),
    real_option("lambda", "0.05", "", 0, 1e9, "Weight of the penalty on squared factors."),
    {.name = "lambda_by",
     .kind = Option::Kind::choice,
     .default_value = "rating",
     .unit = "rating|row",
     .meaning = "What the penalty of a user or an item counts for: each of its ratings (weighted by counts), or once."},
    real_option("learning_rate", "0.1", "", 1e-12, 1e6,
                "The rate of learning, at first; ratings are in units of "
                "their standard deviation."),
    {.name = "rate_schedule",
     .kind = Option::Kind::choice,
     .default_value = "adagrad",
     .unit = "adagrad|constant|decay|bold_driver",
     .meaning = "How the rate changes: by each row's gradients, not at all, as 1 / (1 + decay epoch^1.5), or by 5 % up "
                "after an epoch that lowered the error and by half down after any other."},
    real_option("decay", "0.1", "", 0, 1e6, "See --rate_schedule."),
    {.name = "biases",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Ratings are explained by their mean and a bias of each user and item first."},
    {.name = "nonnegative", .kind = Option::Kind::flag, .default_value = "false", .meaning = "No factor is below 0."},
    {.name = "implicit",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Ratings are how often something was used, and a pair without one is a weak 0; not there yet."},
    {.name = "rotate",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|items|users",
     .meaning = "Whose factors move from shard to shard, those of the others staying; auto: of whichever are fewer, "
                "or, if that would be less than 32 rows a slice, of the others."},
};

template <typename T, std::size_t N>
T choice(std::string_view text, const std::pair<std::string_view, T> (&values)[N]) {
  for (const auto& [name, value] : values)
    if (name == text) return value;
  throw UsageError("'" + std::string(text) + "' is not one of the choices");
}

}  // namespace

std::span<const Option> format_options() {
  return kFormat;
}

std::vector<Option> with_format(std::span<const Option> others) {
  std::vector<Option> all(others.begin(), others.end());
  all.insert(all.end(), std::begin(kFormat), std::end(kFormat));
  return all;
}

std::span<const Option> options() {
  static const std::vector<Option> all = with_format(kOwn);
  return all;
}

LineFormat format_of(const Options& options) {
  static constexpr std::pair<std::string_view, Separator> kSeparators[] = {
      {"auto", Separator::unknown}, {"blanks", Separator::blanks},       {"tab", Separator::tab},
      {"comma", Separator::comma},  {"semicolon", Separator::semicolon}, {"colons", Separator::colons}};
  static constexpr std::pair<std::string_view, Header> kHeaders[] = {
      {"auto", Header::unknown}, {"yes", Header::yes}, {"no", Header::no}};
  return {choice(options.text("separator"), kSeparators), choice(options.text("header"), kHeaders)};
}

Settings settings_of(const Options& options) {
  static constexpr std::pair<std::string_view, RateSchedule> kSchedules[] = {
      {"adagrad", RateSchedule::adagrad},
      {"constant", RateSchedule::constant},
      {"decay", RateSchedule::decay},
      {"bold_driver", RateSchedule::bold_driver}};
  static constexpr std::pair<std::string_view, Rotates> kRotates[] = {
      {"auto", Rotates::automatic}, {"items", Rotates::items}, {"users", Rotates::users}};
  return {.rank = static_cast<std::uint32_t>(options.integer("rank")),
          .penalty = options.real("lambda"),
          .by_rating = options.text("lambda_by") != "row",
          .schedule = choice(options.text("rate_schedule"), kSchedules),
          .rate = options.real("learning_rate"),
          .decay = options.real("decay"),
          .biases = options.flag("biases"),
          .nonnegative = options.flag("nonnegative"),
          .rotates = choice(options.text("rotate"), kRotates),
          .held_out = options.has("valid"),
          .format = format_of(options)};
}

void check(const Options& options) {
  if (options.text("solver") != "sgd")
    throw UsageError("--solver=" + std::string(options.text("solver")) + " is not there yet: only sgd is");
  if (options.flag("implicit")) throw UsageError("--implicit is not there yet: ratings must be explicit");
}

std::vector<Ignored> ignored(const Options& options) {
  std::vector<Ignored> list = {{"asynchronous", "slices have one holder at a time"},
                               {"staleness", "slices have one holder at a time"},
                               {"pipeline", "which slice goes where is known ahead"}};
  if (options.text("rate_schedule") != "decay") list.push_back({"decay", "it is for --rate_schedule=decay"});
  return list;
}

}  // namespace rota::mf
