#include "apps/lasso/predict.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <string>

#include "apps/io/libsvm.h"
#include "apps/io/lines.h"
#include "apps/io/matrix_format.h"
#include "apps/io/matrix_market.h"
#include "apps/io/number_list.h"
#include "apps/io/text_file.h"
#include "apps/lasso/trained_model.h"
#include "rota/error.h"

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

// The linear predictions of one set of coefficients, for rows as they are read.
class Predictions {
 public:
  explicit Predictions(const Coefficients& coefficients) : intercept_(coefficients.intercept) {
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
      const std::uint64_t lines = size.lines;
      if (const auto wrong = rows.parse(block, {}, size))
        throw DataError(path, lines + wrong->lines_before + 1, wrong->what);
      std::size_t at = 0;
      for (const std::size_t end : rows.ends()) {
        double link = intercept_;
        for (; at < end; ++at) link += coefficient(rows.columns()[at]) * rows.values()[at];
        links_.push_back(link);
      }
      labels_.insert(labels_.end(), rows.labels().begin(), rows.labels().end());
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

  double intercept_;
  std::vector<double> by_column_, links_, labels_;
};

double probability(double link) {
  return 1 / (1 + std::exp(-link));
}

std::string text_of(double number) {
  char text[40];
  return std::string(text, std::to_chars(text, text + sizeof text, number).ptr);
}

struct Applied {
  TrainedModel model;
  std::size_t penalty;
  Predictions predictions;
};

Applied apply(const Call& call) {
  TrainedModel model = read_model(*call.model);
  const std::string_view asked = call.options.text("penalty");
  const std::size_t penalty = penalty_named(model, asked != "auto" ? asked : model.best ? "min" : "last");
  Predictions predictions(model.coefficients[penalty]);
  for (const std::string& file : call.input) predictions.read(file, io::matrix_format(call.options.text("format")));
  return {std::move(model), penalty, std::move(predictions)};
}

// The chance that a row of the larger label has the larger prediction; ties count half.
double area_under_curve(const std::vector<double>& links, const std::vector<double>& labels, double larger) {
  std::vector<std::size_t> order(links.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return links[a] < links[b]; });
  double rank_sum = 0, large = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && links[order[end]] == links[order[begin]]) ++end;
    const double rank = (static_cast<double>(begin + end) + 1) / 2;
    for (std::size_t i = begin; i < end; ++i)
      if (labels[order[i]] == larger) {
        rank_sum += rank;
        large += 1;
      }
  }
  const double small = static_cast<double>(links.size()) - large;
  return large > 0 && small > 0 ? (rank_sum - large * (large + 1) / 2) / (large * small) : 0;
}

void evaluate_squared(const std::vector<double>& links, const std::vector<double>& y, std::ostream& out) {
  double mean = 0, squares = 0, errors = 0, absolute = 0;
  const auto n = static_cast<double>(y.size());
  for (const double one : y) mean += one / n;
  for (std::size_t i = 0; i < y.size(); ++i) {
    squares += (y[i] - mean) * (y[i] - mean);
    errors += (y[i] - links[i]) * (y[i] - links[i]);
    absolute += std::abs(y[i] - links[i]);
  }
  out << ", \"mse\": " << text_of(errors / n) << ", \"mae\": " << text_of(absolute / n)
      << ", \"r2\": " << text_of(squares > 0 ? 1 - errors / squares : 0);
}

void evaluate_logistic(const std::vector<double>& links, const std::vector<double>& y, double larger,
                       std::ostream& out) {
  double loss = 0, right = 0;
  const auto n = static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double margin = y[i] == larger ? links[i] : -links[i];
    loss += margin > 0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
    right += margin > 0 ? 1 : 0;
  }
  out << ", \"log_loss\": " << text_of(loss / n) << ", \"accuracy\": " << text_of(right / n)
      << ", \"auc\": " << text_of(area_under_curve(links, y, larger));
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
  const bool logistic = applied.model.settings.loss == Loss::logistic;
  const std::string_view type = call.options.text("type");
  if (type == "class" && !logistic) throw UsageError("--type=class needs a model with --loss=logistic");
  const FitRow& fit = applied.model.path[applied.penalty];
  for (const double link : applied.predictions.links()) {
    const double shown = type == "class"                  ? (link > 0 ? fit.larger_label : fit.smaller_label)
                         : type == "response" && logistic ? probability(link)
                                                          : link;
    out << text_of(shown) << "\n";
  }
}

void evaluate(const Call& call, std::ostream& out) {
  const Applied applied = apply(call);
  const std::vector<double>& links = applied.predictions.links();
  const std::vector<double> y = call.options.has("response")
                                    ? io::read_numbers(std::string(call.options.text("response")), "a response",
                                                       -std::numeric_limits<double>::infinity())
                                    : applied.predictions.labels();
  if (y.size() != links.size())
    throw UsageError("the input has " + std::to_string(links.size()) + " rows, and " + std::to_string(y.size()) +
                     " responses; --response names a file of them");
  if (y.empty()) throw UsageError("the input has no rows");
  const FitRow& fit = applied.model.path[applied.penalty];
  out << "{\"rows\": " << y.size() << ", \"penalty\": " << applied.penalty + 1
      << ", \"lambda\": " << text_of(fit.lambda);
  if (applied.model.settings.loss == Loss::squared)
    evaluate_squared(links, y, out);
  else
    evaluate_logistic(links, y, fit.larger_label, out);
  out << "}\n";
}

}  // namespace rota::lasso
