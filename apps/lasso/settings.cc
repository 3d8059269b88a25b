#include "apps/lasso/settings.h"

#include <initializer_list>
#include <string_view>

#include "apps/lasso/tables.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"

namespace rota::lasso {
namespace {

using Kind = Option::Kind;

constexpr Needs kRows = {"--partition=rows",
                         [](const Options& options) { return settings_of(options).partition == Partition::rows; }};
constexpr Needs kPriority = {"--order=priority",
                             [](const Options& options) { return settings_of(options).order == Order::priority; }};
constexpr Needs kConflicts = {"--order=priority without --conflicts=ignore", [](const Options& options) {
                                return kPriority.met(options) && options.text("conflicts") != "ignore";
                              }};

constexpr Option kOptions[] = {
    {.name = "loss",
     .kind = Kind::choice,
     .default_value = "squared",
     .unit = "squared|logistic",
     .meaning = "Loss of a row: (y - f)^2 / 2, or log(1 + exp(-y f)) of two classes with any two numbers as labels."},
    {.name = "lambda",
     .kind = Kind::real,
     .meaning = "Penalty of the mean loss; of a path the last.  Squared loss: glmnet's lambda and scikit-learn's alpha "
                "(Lasso, ElasticNet).  Logistic loss: 1 / (C rows) for the C of LIBLINEAR and of scikit-learn's "
                "LogisticRegression, with the sum of --weights instead of the rows.",
     .least = 1e-300},
    real_option(
        "lambda_ratio", "", "", 1e-9, 1e9,
        "Instead of lambda: its share of lambda_max, the least that leaves no coefficient (0.1; of a path 0.01)."),
    real_option("l1_ratio", "1", "", 1e-3, 1,
                "Share of the L1 norm in the penalty; the rest is half the squared L2 norm: scikit-learn's l1_ratio, "
                "glmnet's alpha."),
    integer_option("path", "1", "penalties", 1, static_cast<double>(kMostPenalties - 1),
                   "Number of penalties, in equal ratios from lambda_max down; each starts from the previous fit."),
    integer_option("folds", "0", "folds", 0, static_cast<double>(kMostFolds - 1),
                   "Cross-validation: folds of rows that are held out in turn; 0: none."),
    {.name = "standardize",
     .kind = Kind::flag,
     .default_value = "false",
     .meaning = "Penalise as if every column had standard deviation 1; coefficients stay in the data's units."},
    {.name = "intercept",
     .kind = Kind::flag,
     .default_value = "true",
     .meaning = "Fit an intercept, unpenalised; --nointercept leaves it out."},
    real_option("tolerance", "1e-6", "", 1e-14, 1,
                "A fit is done at this duality gap, as a share of the objective with no coefficient."),
    {.name = "weights", .kind = Kind::path, .meaning = "File with a weight for every row, one a line."},
    {.name = "response",
     .kind = Kind::path,
     .meaning = "File with the response of every row, one a line; a MatrixMarket input has none of its own."},
    {.name = "format",
     .kind = Kind::choice,
     .default_value = "auto",
     .unit = "auto|libsvm|matrix_market",
     .meaning = "Format of the input."},
    io::kIndexFrom,
    {.name = "precision",
     .kind = Kind::choice,
     .default_value = "auto",
     .unit = "auto|single|double",
     .meaning = "How the data is stored: in single precision if that is exact (auto), always, or never."},
    {.name = "partition",
     .kind = Kind::choice,
     .default_value = "auto",
     .unit = "auto|rows|columns",
     .meaning = "What a data shard is: a range of rows, or of columns (auto: as the order requires)."},
    {.name = "order",
     .kind = Kind::choice,
     .default_value = "auto",
     .unit = "auto|working_set|priority|round_robin|random",
     .meaning = "Which coefficients a round may change: working_set (columns); the others require rows."},
    {.name = "conflicts",
     .kind = Kind::choice,
     .default_value = "group",
     .unit = "group|drop|ignore",
     .meaning = "Coefficients of a round that interfere: in sequence, in another round, or at once (may diverge).",
     .needs = kRows},
    integer_option("coordinates", "256", "coefficients", 1, 65'536, "Coefficients that a round may change.", kRows),
    real_option("correlation", "0.1", "", 0, 1, "Cosine from which two columns interfere.", kConflicts),
    real_option("eta", "1e-9", "", 0, 1e9,
                "Added to the squared last change in a coefficient's priority, so that none is forgotten.", kPriority),
    real_option("uniform_share", "0.2", "", 0, 1, "Share of draws that ignore priorities.", kPriority),
};

Order order_of(std::string_view word) {
  if (word == "working_set") return Order::working_set;
  if (word == "priority") return Order::priority;
  if (word == "round_robin") return Order::round_robin;
  if (word == "random") return Order::random;
  return Order::automatic;
}

constexpr double kDefaultRatio = 0.1, kDefaultPathRatio = 0.01;

}  // namespace

std::span<const Option> options() {
  return kOptions;
}

void check(const Options& options) {
  if (options.has("lambda") && options.has("lambda_ratio"))
    throw UsageError("--lambda and --lambda_ratio exclude each other");
  const std::string_view partition = options.text("partition"), order = options.text("order");
  if (partition == "rows" && order == "working_set")
    throw UsageError("--order=working_set requires --partition=columns: its shards are ranges of columns");
  if (partition == "columns" && order != "auto" && order != "working_set")
    throw UsageError("--order=" + std::string(order) + " requires --partition=rows: its shards are ranges of rows");
  if (options.integer("folds") == 1) throw UsageError("--folds=1 leaves no row to fit: give 2 or more, or 0 for none");
  if (options.has("valid"))
    throw UsageError("--valid: lasso validates by --folds; `rota predict lasso` scores other data");
  const Settings settings = settings_of(options);
  if (settings.order == Order::working_set && options.integer("schedulers") > 1)
    throw UsageError("--order=working_set has one scheduler: the one that chooses the working set");
}

Settings settings_of(const Options& options) {
  Settings settings;
  if (options.text("loss") == "logistic") settings.loss = Loss::logistic;
  if (options.has("lambda")) settings.lambda = options.real("lambda");
  settings.path = static_cast<std::uint32_t>(options.integer("path"));
  settings.lambda_ratio = options.has("lambda_ratio") ? options.real("lambda_ratio")
                          : settings.path > 1         ? kDefaultPathRatio
                                                      : kDefaultRatio;
  settings.l1_ratio = options.real("l1_ratio");
  settings.folds = static_cast<std::uint32_t>(options.integer("folds"));
  settings.standardize = options.flag("standardize");
  settings.intercept = options.flag("intercept");
  settings.tolerance = options.real("tolerance");
  settings.order = order_of(options.text("order"));
  const bool rows = options.text("partition") == "rows" ||
                    (settings.order != Order::automatic && settings.order != Order::working_set);
  settings.partition = rows ? Partition::rows : Partition::columns;
  if (settings.order == Order::automatic) settings.order = rows ? Order::priority : Order::working_set;
  if (options.text("conflicts") == "drop") settings.conflicts = Conflicts::drop;
  if (options.text("conflicts") == "ignore") settings.conflicts = Conflicts::ignore;
  settings.coordinates = static_cast<std::uint32_t>(options.integer("coordinates"));
  settings.correlation = options.real("correlation");
  settings.eta = options.real("eta");
  settings.uniform_share = options.real("uniform_share");
  settings.weights = options.text("weights");
  settings.response = options.text("response");
  return settings;
}

std::span<const FrameworkNeeds> framework_needs() {
  static constexpr FrameworkNeeds kNeeds[] = {{"asynchronous", kRows}, {"staleness", kRows}};
  return kNeeds;
}

}  // namespace rota::lasso
