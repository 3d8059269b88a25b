// apps/lasso/settings.h -- the options of the Lasso app.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/lasso/design/load.h"
#include "apps/lasso/penalty.h"
#include "apps/lasso/tables.h"
#include "rota/plugin.h"
#include "rota/settings.h"

namespace rota::lasso {

enum class Loss { squared, logistic };
// How the design matrix is cut into data shards.
enum class Partition { automatic, rows, columns };
// Which coefficients a round may change.
enum class Order {
  automatic,
  working_set,  // columns: the support and the most violating columns, gathered and solved in one place
  priority,     // rows: drawn by their last change (the STRADS paper)
  round_robin,  // rows: one after the other
  random,       // rows: drawn uniformly
};
// What happens to coefficients that interfere with others of their round (rows).
enum class Conflicts {
  group,   // they are updated one after the other, in a block
  drop,    // they wait for another round (the STRADS paper)
  ignore,  // they are updated at once; this may diverge
};

// The conditions of options.
bool is_by_rows(const Options& options);
bool has_priorities(const Options& options);
bool finds_conflicts(const Options& options);
inline constexpr Needs kRows = {"--partition=rows", is_by_rows};
inline constexpr Needs kPriority = {"--order=priority", has_priorities};
inline constexpr Needs kConflicts = {"--order=priority without --conflicts=ignore", finds_conflicts};
inline constexpr FrameworkNeeds kFrameworkNeeds[] = {{"asynchronous", kRows}, {"staleness", kRows}};
// Those that decide how data is divided (Plugin::packed_options).
inline constexpr std::string_view kPackedOptions[] = {"loss",      "weights", "response",   "format",    "target",
                                                      "separator", "missing", "index_from", "precision", "partition"};

struct Settings {
  Loss loss = Loss::squared;
  std::optional<double> lambda;        // of the last penalty; or
  std::optional<double> lambda_ratio;  // its share of the smallest penalty that leaves no coefficient
  double l1_ratio = 1;
  std::uint32_t path = 1;   // penalties, from the largest to the one above
  std::uint32_t folds = 0;  // of the cross-validation; 0: none
  bool standardize = false, intercept = true;
  double tolerance = 1e-6;        // duality gap at which a fit is done, as a share of the objective at zero
  std::string weights, response;  // paths, or ""
  io::RowForm form;
  Precision precision = Precision::automatic;
  Partition partition = Partition::automatic;
  Order order = Order::automatic;
  Conflicts conflicts = Conflicts::group;
  std::uint32_t coordinates = 256;  // coefficients that a round may change (rows)
  double correlation = 0.1;         // from which two columns interfere (rows)
  double eta = 1e-9;                // added to (last change)^2, in units of the largest first change (rows)
  double uniform_share = 0.2;       // of draws that ignore priorities (rows)

  double ratio() const { return lambda_ratio.value_or(path > 1 ? 0.01 : 0.1); }
  bool by_columns() const { return partition == Partition::columns; }
  Penalty penalty(double at) const { return {at * l1_ratio, at * (1 - l1_ratio)}; }
  bool has_classes() const { return loss == Loss::logistic; }

  void options(auto& list) {
    list.choice("loss", loss, {{"squared", Loss::squared}, {"logistic", Loss::logistic}},
                "Loss of a row: (y - f)^2 / 2, or log(1 + exp(-y f)) of two classes with any two numbers as labels.");
    list.number("lambda", lambda, "", 1e-300, HUGE_VAL,
                "Penalty of the mean loss; of a path the last.  Squared loss: glmnet's lambda and scikit-learn's alpha "
                "(Lasso, ElasticNet).  Logistic loss: 1 / (C rows) for the C of LIBLINEAR and of scikit-learn's "
                "LogisticRegression, with the sum of --weights instead of the rows.");
    list.number("lambda_ratio", lambda_ratio, "", 1e-9, 1e9,
                "Instead of lambda: its share of lambda_max, the least that leaves no coefficient (0.1; of a path "
                "0.01).");
    list.number("l1_ratio", l1_ratio, "", 1e-3, 1,
                "Share of the L1 norm in the penalty; the rest is half the squared L2 norm: scikit-learn's l1_ratio, "
                "glmnet's alpha.");
    list.number("path", path, "penalties", 1, static_cast<double>(kMostPenalties - 1),
                "Number of penalties, in equal ratios from lambda_max down; each starts from the previous fit.");
    list.number("folds", folds, "folds", 0, static_cast<double>(kMostFolds - 1),
                "Cross-validation: folds of rows that are held out in turn; 0: none.");
    list.flag("standardize", standardize,
              "Penalise as if every column had standard deviation 1; coefficients stay in the data's units.");
    list.flag("intercept", intercept, "Fit an intercept, unpenalised; --nointercept leaves it out.");
    list.number("tolerance", tolerance, "", 1e-14, 1,
                "A fit is done at this duality gap, as a share of the objective with no coefficient.");
    list.path("weights", weights, "File with a weight for every row, one a line.");
    list.path("response", response,
              "File with the response of every row, one a line, for input that has none of its own: MatrixMarket, or "
              "CSV and NumPy data without --target.");
    list.all_of(form);
    list.choice("precision", precision,
                {{"auto", Precision::automatic},
                 {"single", Precision::single_precision},
                 {"double", Precision::double_precision}},
                "How the data is stored: in single precision if that is exact (auto), always, or never.");
    list.choice("partition", partition,
                {{"auto", Partition::automatic}, {"rows", Partition::rows}, {"columns", Partition::columns}},
                "What a data shard is: a range of rows, or of columns (auto: as the order requires).");
    list.choice("order", order,
                {{"auto", Order::automatic},
                 {"working_set", Order::working_set},
                 {"priority", Order::priority},
                 {"round_robin", Order::round_robin},
                 {"random", Order::random}},
                "Which coefficients a round may change: working_set (columns); the others require rows.");
    list.choice("conflicts", conflicts,
                {{"group", Conflicts::group}, {"drop", Conflicts::drop}, {"ignore", Conflicts::ignore}},
                "Coefficients of a round that interfere: in sequence, in another round, or at once (may diverge).")
        .needs = kRows;
    list.number("coordinates", coordinates, "coefficients", 1, 65'536, "Coefficients that a round may change.").needs =
        kRows;
    list.number("correlation", correlation, "", 0, 1, "Cosine from which two columns interfere.").needs = kConflicts;
    list.number("eta", eta, "", 0, 1e9,
                "Added to the squared last change in a coefficient's priority, so that none is forgotten.")
        .needs = kPriority;
    list.number("uniform_share", uniform_share, "", 0, 1, "Share of draws that ignore priorities.").needs = kPriority;
  }
};

// With a partition and an order that are not automatic.
Settings settings_of(const Options& options);
// Throws UsageError if the options contradict each other.
void check(const Options& options);

}  // namespace rota::lasso
