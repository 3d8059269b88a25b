#include "apps/mf/settings.h"

#include <cmath>
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
     .meaning =
         "Separator between the fields of a line; auto: detected in the first line of each file.  colons: '::'."},
    {.name = "header",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|yes|no",
     .meaning = "Whether the first line of each file names the columns; auto: if its third field is not a number."},
};

constexpr Needs kSgd = {"--solver=sgd",
                        [](const Options& options) { return settings_of(options).solver == Solver::sgd; }};
constexpr Needs kAls = {"--solver=als",
                        [](const Options& options) { return settings_of(options).solver == Solver::als; }};
constexpr Needs kCcd = {"--solver=ccd",
                        [](const Options& options) { return settings_of(options).solver == Solver::ccd; }};
constexpr Needs kVisits = {"--solver=sgd without --loss=bpr", [](const Options& options) {
                             return kSgd.met(options) && settings_of(options).loss != Loss::bpr;
                           }};

constexpr Option kOwn[] = {
    {.name = "solver",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|sgd|als|ccd",
     .meaning = "How the factors are found: stochastic gradient descent, alternating least squares, cyclic coordinate "
                "descent (CCD++); auto: als for implicit ratings, else sgd."},
    integer_option("rank", "32", "factors", 1, 65536, "Number of factors of a user or an item."),
    real_option("lambda", "", "", 0, 1e15,
                "Weight of the penalty on squared factors: LIBMF's lambda_p2 and lambda_q2; with --lambda_by=row the "
                "regularization of `implicit`, and in scikit-learn's NMF items times alpha_W. If not given: 5 for "
                "implicit ratings with als, else 0.05, for factors times the ratings' deviation if that is not from "
                "1/16 to 16."),
    {.name = "lambda_by",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|rating|row",
     .meaning =
         "How often the penalty of a user or an item counts: for each of its ratings (weighted by counts), or once; "
         "auto: once with --schedule=round_robin, else each."},
    real_option("learning_rate", "0.1", "", 1e-12, 1e6,
                "The initial learning rate; ratings are in units of "
                "their standard deviation.",
                kSgd),
    {.name = "rate_schedule",
     .kind = Option::Kind::choice,
     .default_value = "adagrad",
     .unit = "adagrad|decay",
     .meaning = "How the rate changes: by each row's gradients, or as 1 / (1 + decay epoch^1.5).",
     .needs = kSgd},
    real_option("decay", "0.1", "", 0, 1e6, "See --rate_schedule; 0: a constant rate.",
                {"--solver=sgd with --rate_schedule=decay",
                 [](const Options& options) {
                   return kSgd.met(options) && settings_of(options).schedule == RateSchedule::decay;
                 }}),
    {.name = "biases",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Ratings are explained first by their mean and a bias of each user and item."},
    {.name = "nonnegative", .kind = Option::Kind::flag, .default_value = "false", .meaning = "No factor is below 0."},
    {.name = "loss",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|squared|logistic|bpr",
     .meaning = "What is minimised: squared errors; the log loss of labels, 1 and 0 or -1; or, for implicit ratings, "
                "that of pairs of an item that a user has and one that it has not; auto: bpr for implicit ratings with "
                "sgd, else squared."},
    {.name = "implicit",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Ratings are how often something was used (1 if a line has none); for a pair without one, "
                "als assumes a weak 0, and sgd that it was not used."},
    real_option("alpha", "40", "", 0, 1e9, "The confidence in a pair of rating r is 1 + alpha r.",
                {"--implicit with --solver=als",
                 [](const Options& options) { return kAls.met(options) && options.flag("implicit"); }}),
    {.name = "row_solver",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|cholesky|cg",
     .meaning = "How a row is solved: exactly, or by --cg_steps of conjugate gradients from its old value; auto: "
                "cg with more than 16 factors, unless they are --nonnegative.",
     .needs = kAls},
    integer_option("cg_steps", "3", "steps", 1, 1000000, "See --row_solver.",
                   {"--solver=als with --row_solver=cg",
                    [](const Options& options) { return kAls.met(options) && settings_of(options).conjugate; }}),
    {.name = "schedule",
     .kind = Option::Kind::choice,
     .default_value = "ccd++",
     .unit = "ccd++|round_robin",
     .meaning = "The order of updates: one factor of all users and items after the other, or, as STRADS, all factors "
                "of the users and then the items', whose sums the shards of users push and pull divides.",
     .needs = kCcd},
    integer_option("inner", "3", "times", 1, 1000, "How often CCD++ updates users and items before the next factor.",
                   {"--solver=ccd with --schedule=ccd++",
                    [](const Options& options) { return kCcd.met(options) && !settings_of(options).round_robin; }}),
    {.name = "rotate",
     .kind = Option::Kind::choice,
     .default_value = "auto",
     .unit = "auto|items|users",
     .meaning =
         "Whose factors move from shard to shard, while the others stay; auto: those of the side with fewer rows, "
         "or, if that would be less than 32 rows a slice, of the other.",
     .needs = kSgd},
};

// Factors of a row up to which a decomposition is faster than three steps of conjugate gradients.
constexpr std::uint32_t kMostDecomposed = 16;

constexpr std::pair<std::string_view, Loss> kLosses[] = {
    {"squared", Loss::squared}, {"logistic", Loss::logistic}, {"bpr", Loss::bpr}};

template <typename T, std::size_t N>
T choice(std::string_view text, const std::pair<std::string_view, T> (&values)[N]) {
  for (const auto& [name, value] : values)
    if (name == text) return value;
  throw UsageError("'" + std::string(text) + "' is not one of the choices");
}

// The nearest one.
double power_of_256(double number) {
  int exponent = 0;
  (void)std::frexp(number, &exponent);
  return std::ldexp(1, 8 * static_cast<int>(std::floor((exponent + 3) / 8.0)));
}

}  // namespace

std::string_view name_of(Loss loss) {
  return kLosses[static_cast<std::size_t>(loss)].first;
}

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

double base_of(const Settings& settings, double mean, double deviation) {
  constexpr double kFar = 16;
  if (settings.kind() != RatingReader::Kind::ratings) return 0;
  if (settings.biases) return mean;
  if (std::abs(mean) <= kFar * deviation) return 0;
  // Without factors below 0, ratings below the base cannot be reached: few are.
  return settings.nonnegative ? mean - 4 * deviation : mean;
}

double unit_of(const Settings& settings, double deviation) {
  if (settings.kind() != RatingReader::Kind::ratings) return 1;
  return settings.solver == Solver::sgd ? deviation : power_of_256(deviation);
}

double penalty_scale(const Settings& settings, double deviation) {
  const bool scaled = settings.default_penalty && settings.kind() == RatingReader::Kind::ratings;
  return scaled && power_of_256(deviation) != 1 ? deviation : 1;
}

Settings settings_of(const Options& options) {
  static constexpr std::pair<std::string_view, RateSchedule> kSchedules[] = {{"adagrad", RateSchedule::adagrad},
                                                                             {"decay", RateSchedule::decay}};
  static constexpr std::pair<std::string_view, Rotates> kRotates[] = {
      {"auto", Rotates::automatic}, {"items", Rotates::items}, {"users", Rotates::users}};
  static constexpr std::pair<std::string_view, Solver> kSolvers[] = {
      {"sgd", Solver::sgd}, {"als", Solver::als}, {"ccd", Solver::ccd}};
  const bool implicit = options.flag("implicit");
  const auto chosen = [&](std::string_view name, std::string_view otherwise) {
    return options.text(name) == "auto" ? otherwise : options.text(name);
  };
  const auto whole = [&](std::string_view name) { return static_cast<std::uint32_t>(options.integer(name)); };
  const Solver solver = choice(chosen("solver", implicit ? "als" : "sgd"), kSolvers);
  const bool paired = implicit && solver == Solver::sgd;  // unless --loss is one that check() refuses
  const bool round_robin = solver == Solver::ccd && options.text("schedule") == "round_robin";
  const char* const cheaper = whole("rank") > kMostDecomposed && !options.flag("nonnegative") ? "cg" : "cholesky";
  return {.solver = solver,
          .rank = whole("rank"),
          .penalty = options.has("lambda") ? options.real("lambda")
                     : implicit && !paired ? 5
                                           : 0.05,
          .default_penalty = !options.has("lambda"),
          .by_rating = chosen("lambda_by", round_robin ? "row" : "rating") == "rating",
          .schedule = choice(options.text("rate_schedule"), kSchedules),
          .rate = options.real("learning_rate"),
          .decay = options.real("decay"),
          .biases = options.flag("biases"),
          .nonnegative = options.flag("nonnegative"),
          .implicit = implicit,
          .loss = choice(chosen("loss", paired ? "bpr" : "squared"), kLosses),
          .alpha = options.real("alpha"),
          .conjugate = chosen("row_solver", cheaper) == "cg",
          .cg_steps = whole("cg_steps"),
          .round_robin = round_robin,
          .inner = whole("inner"),
          .rotates = paired ? Rotates::items : choice(options.text("rotate"), kRotates),
          .held_out = options.has("valid"),
          .format = format_of(options)};
}

void check(const Options& options) {
  const Settings settings = settings_of(options);
  const auto refuse = [](bool wrong, const char* why) {
    if (wrong) throw UsageError(why);
  };
  const bool sgd = settings.solver == Solver::sgd, als = settings.solver == Solver::als;
  refuse(settings.solver == Solver::ccd && settings.implicit, "--implicit is for --solver=als and sgd");
  refuse(!sgd && settings.loss != Loss::squared, "--loss is for --solver=sgd: als and ccd minimise squared errors");
  refuse(sgd && settings.implicit && settings.loss != Loss::bpr, "--implicit with --solver=sgd is for --loss=bpr");
  refuse(!settings.implicit && settings.loss == Loss::bpr, "--loss=bpr is for implicit ratings: give --implicit");
  refuse(settings.loss == Loss::bpr && options.text("rotate") == "users",
         "with --loss=bpr the items move: an item and its rival are in one slice");
  refuse(als && settings.implicit && settings.biases,
         "--biases are for explicit ratings with --solver=als: there are none with --implicit");
  refuse(als && settings.nonnegative && settings.conjugate, "--nonnegative requires --row_solver=cholesky");
  refuse(settings.solver == Solver::ccd && settings.biases, "--biases are for --solver=sgd and als");
}

std::span<const FrameworkNeeds> framework_needs() {
  static constexpr Needs kNoFeedback = {"apps whose rounds wait for feedback", never};
  static constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", kNeverLags},
                                              {"staleness", kNeverLags},
                                              {"pipeline", kNoFeedback},
                                              {"slices_per_shard", kSgd},
                                              {"step_budget_ms", kVisits}};
  return kNeeds;
}

}  // namespace rota::mf
