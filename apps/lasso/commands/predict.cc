#include "apps/lasso/commands/predict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>
#include <string>

#include "apps/lasso/commands/trained_model.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/io/lines.h"
#include "rota/io/matrix_format.h"
#include "rota/io/matrix_market.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/io/text_file.h"
#include "rota/metrics.h"

namespace rota::lasso {

namespace {

constexpr Option kPenalty = {
    .name = "penalty",
    .default_value = "auto",
    .meaning = "Which penalty's coefficients: last, min, 1se, or its number (min if there are folds, else the last)."};
constexpr Option kFormat = {.name = "format",
                            .kind = Option::Kind::choice,
                            .default_value = "auto",
                            .unit = "auto|libsvm|matrix_market",
                            .meaning = "Format of the input."};

constexpr Option kPredictOptions[] = {
    kPenalty,
    kFormat,
    {.name = "type",
     .kind = Option::Kind::choice,
     .default_value = "response",
     .unit = "response|link|class",
     .meaning = "What to predict: the response (of a logistic model, the probability of the larger label), the linear "
                "prediction, or the label."},
};
constexpr Option kEvaluateOptions[] = {
    kPenalty,
    kFormat,
    {.name = "response",
     .kind = Option::Kind::path,
     .meaning = "File with the response of every row, one a line; a MatrixMarket input has none of its own."},
};

// The labels of the data that a logistic model is applied to: they should be the model's own.
class LabelCheck {
 public:
  explicit LabelCheck(const TwoClasses& classes) : classes_(classes) {}

  // Whether this is the first label that is not the model's: only its line has to be found.
  bool is_first_foreign(double label) const { return !foreign_ && !classes_.has(label); }
  void add(double label) { seen_.add(label); }
  // Remembers it, and the line that has it.
  void refuse(const std::string& file, std::uint64_t line, double label) {
    foreign_.emplace(file, line, "the label " + io::exact_text(label) + " is none of the model's, " + classes_.text());
  }
  // Throws DataError for the first that is not the model's.
  void require_own() const {
    if (foreign_) throw *foreign_;
  }
  // The same; but one and the same label in all rows, whatever it is, may stand for labels that nobody knows yet.
  void require_own_or_none() const {
    if (seen_.get().size() > 1) require_own();
  }

 private:
  TwoClasses classes_;
  io::DistinctLabels seen_;
  std::optional<DataError> foreign_;
};

// The linear predictions of one set of coefficients, for rows as they are read.
class Predictions {
 public:
  // `check`: of LIBSVM rows' labels, or null.
  Predictions(const Coefficients& coefficients, LabelCheck* check) : check_(check), intercept_(coefficients.intercept) {
    if (!coefficients.columns.empty()) by_column_.resize(coefficients.columns.back().first + 1);
    for (const auto& [column, value] : coefficients.columns) by_column_[column] = value;
  }

  void read(const std::string& file, io::MatrixFormat format) {
    if (format == io::MatrixFormat::automatic) format = io::matrix_format_of(file);
    format == io::MatrixFormat::libsvm ? read_libsvm(file) : read_market(file);
  }
  const std::vector<double>& links() const { return links_; }
  const std::vector<double>& labels() const { return labels_; }  // of LIBSVM rows

 private:
  double coefficient(std::uint32_t column) const { return column < by_column_.size() ? by_column_[column] : 0; }

  void read_libsvm(const std::string& path) {
    const io::TextFile file(path);
    io::LineBlocks blocks = file.all_lines();
    io::LibsvmRows rows;
    io::LibsvmSize size;
    for (std::string_view block; blocks.next(block);) {
      const std::uint64_t lines = size.lines;  // before the block
      if (const auto wrong = rows.parse(block, {}, size))
        throw DataError(path, lines + wrong->lines_before + 1, wrong->what);
      std::size_t at = 0;
      for (const std::size_t end : rows.ends()) {
        double link = intercept_;
        for (; at < end; ++at) link += coefficient(rows.columns()[at]) * rows.values()[at];
        links_.push_back(link);
      }
      labels_.insert(labels_.end(), rows.labels().begin(), rows.labels().end());
      if (check_ != nullptr) check_labels(path, block, lines, rows);
    }
  }

  void check_labels(const std::string& path, std::string_view block, std::uint64_t lines, const io::LibsvmRows& rows) {
    for (std::size_t r = 0; r < rows.labels().size(); ++r) {
      check_->add(rows.labels()[r]);
      if (!check_->is_first_foreign(rows.labels()[r])) continue;
      const std::string_view before = block.substr(0, rows.begins()[r]);
      const auto inside = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
      check_->refuse(path, lines + inside + 1, rows.labels()[r]);
    }
  }

  void read_market(const std::string& path) {
    const std::size_t first = links_.size();
    io::Lines lines(path);
    const auto size = io::read_matrix_market(lines, [&](std::span<const io::MatrixEntry> entries) {
      for (const io::MatrixEntry& entry : entries) {
        if (first + entry.row >= links_.size()) links_.resize(first + entry.row + 1, intercept_);
        links_[first + entry.row] += coefficient(entry.column) * entry.value;
      }
    });
    links_.resize(first + size.rows, intercept_);
  }

  LabelCheck* check_;
  double intercept_;
  std::vector<double> by_column_, links_, labels_;
};

double probability(double link) {
  return 1 / (1 + std::exp(-link));
}

// JSON has no infinity.
std::string json_number(double number) {
  return std::isfinite(number) ? io::exact_text(number) : "null";
}

struct Applied {
  TrainedModel model;
  std::size_t penalty;
  std::vector<double> links;
  std::vector<double> labels;  // of LIBSVM rows
  LabelCheck check;

  bool logistic() const { return model.settings.loss == Loss::logistic; }
  const FitRow& fit() const { return model.path[penalty]; }
};

Applied apply(const Call& call) {
  TrainedModel model = read_model(*call.model);
  const std::string_view asked = call.options.text("penalty");
  const std::size_t penalty = penalty_named(model, asked != "auto" ? asked : model.best ? "min" : "last");
  LabelCheck check(model.path[penalty].classes);
  Predictions predictions(model.coefficients[penalty], model.settings.loss == Loss::logistic ? &check : nullptr);
  for (const std::string& file : call.input) predictions.read(file, io::matrix_format(call.options.text("format")));
  return {std::move(model), penalty, predictions.links(), predictions.labels(), std::move(check)};
}

// The response of rows that were scored, from --response or beside the rows.
std::vector<double> response_of(const Call& call, Applied& applied) {
  if (!call.options.has("response")) {
    applied.check.require_own();
    return applied.labels;
  }
  const std::string path(call.options.text("response"));
  std::vector<double> y = io::read_numbers(path, "a response", -std::numeric_limits<double>::infinity());
  if (!applied.logistic()) return y;
  const bool is_text = io::matrix_format_of(path) == io::MatrixFormat::libsvm;  // one number a line
  LabelCheck check(applied.fit().classes);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (check.is_first_foreign(y[i])) check.refuse(path, is_text ? i + 1 : 0, y[i]);
  check.require_own();
  return y;
}

void evaluate_squared(const std::vector<double>& links, const std::vector<double>& y, std::ostream& out) {
  PredictionErrors errors;
  for (std::size_t i = 0; i < y.size(); ++i) errors.add(y[i], links[i]);
  out << ", \"mse\": " << json_number(errors.mse()) << ", \"mae\": " << json_number(errors.mae())
      << ", \"r2\": " << json_number(r2_score(errors.squares(), y));
}

void evaluate_logistic(const std::vector<double>& links, const std::vector<double>& y, const TwoClasses& classes,
                       std::ostream& out) {
  const auto is_large = [&](std::size_t i) { return y[i] == classes.larger; };
  double loss = 0;
  Accuracy accuracy;
  for (std::size_t i = 0; i < y.size(); ++i) {
    loss += log_loss_of_link(links[i], is_large(i));
    accuracy.add(is_large(i) == (links[i] > 0));
  }
  out << ", \"labels\": [" << io::exact_text(classes.smaller) << ", " << io::exact_text(classes.larger)
      << "], \"log_loss\": " << json_number(loss / static_cast<double>(y.size()))
      << ", \"accuracy\": " << json_number(accuracy.share())
      << ", \"auc\": " << json_number(area_under_curve(links, is_large));
}

}  // namespace

std::span<const Option> predict_options() {
  return kPredictOptions;
}

std::span<const Option> evaluate_options() {
  return kEvaluateOptions;
}

void predict(const Call& call, std::ostream& out) {
  const Applied applied = apply(call);
  const std::string_view type = call.options.text("type");
  if (type == "class" && !applied.logistic()) throw UsageError("--type=class needs a model with --loss=logistic");
  applied.check.require_own_or_none();
  const TwoClasses& classes = applied.fit().classes;
  for (const double link : applied.links) {
    const double shown = type == "class"                            ? (link > 0 ? classes.larger : classes.smaller)
                         : type == "response" && applied.logistic() ? probability(link)
                                                                    : link;
    out << io::exact_text(shown) << "\n";
  }
}

void evaluate(const Call& call, std::ostream& out) {
  Applied applied = apply(call);
  const std::vector<double>& links = applied.links;
  const std::vector<double> y = response_of(call, applied);
  if (y.size() != links.size())
    throw UsageError("the input has " + std::to_string(links.size()) + " rows, and " + std::to_string(y.size()) +
                     " responses; --response names a file of them");
  if (y.empty()) throw UsageError("the input has no rows");
  out << "{\"rows\": " << y.size() << ", \"penalty\": " << applied.penalty + 1
      << ", \"lambda\": " << io::exact_text(applied.fit().lambda);
  if (applied.logistic())
    evaluate_logistic(links, y, applied.fit().classes, out);
  else
    evaluate_squared(links, y, out);
  out << "}\n";
}

}  // namespace rota::lasso
