// apps/lasso/settings.h -- the options that the apps lasso and lasso_rows have in common.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "apps/lasso/penalty.h"
#include "apps/lasso/tables.h"
#include "rota/error.h"
#include "rota/io/row_reader.h"
#include "rota/settings.h"

namespace rota::lasso {

enum class Loss { squared, logistic };

inline constexpr std::uint32_t kPackedFormat = 3;
// Those that decide how data is divided (Plugin::packed_options).
inline constexpr std::string_view kPackedOptions[] = {"loss",   "weights",   "response", "format",
                                                      "target", "separator", "missing",  "index_from"};

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

  double ratio() const { return lambda_ratio.value_or(path > 1 ? 0.01 : 0.1); }
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
    list.path("weights", weights, "File with a weight for every row, one a line.").about_input = true;
    list.path("response", response,
              "File with the response of every row, one a line, for input that has none of its own: MatrixMarket, or "
              "CSV and NumPy data without --target.")
        .about_input = true;
    list.all_of(form);
  }
  // Throws UsageError if the options contradict each other.
  void check(const Options& options) const {
    form.check();
    if (lambda && lambda_ratio) throw UsageError("--lambda and --lambda_ratio exclude each other");
    if (folds == 1) throw UsageError("--folds=1 leaves no row to fit: give 2 or more, or 0 for none");
    if (!form.target.empty() && !response.empty()) throw UsageError("--target and --response exclude each other");
    if (options.has("valid"))
      throw UsageError("--valid: lasso validates by --folds; `rota predict lasso` scores other data");
  }
};

}  // namespace rota::lasso
