// apps/linear_models/commands.cc -- show, predict and evaluate, and a model as text files.
#include <algorithm>
#include <cmath>
#include <future>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "apps/linear_models/losses.h"
#include "apps/linear_models/row_scores.h"
#include "apps/linear_models/scores.h"
#include "apps/linear_models/trained_model.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/lines.h"
#include "rota/io/number_text.h"
#include "rota/io/report_text.h"
#include "rota/settings.h"
#include "rota/utf8.h"

namespace rota::linear {
namespace {

// ---- show

struct ShowOptions {
  std::uint32_t top = 20;
  std::string names;

  void options(auto& list) {
    list.number("top", top, "features", 0, 268435456.0, "Number of features shown, the heaviest first; 0: all.");
    list.path("names", names, "File with the name of every feature, one a line.");
  }
};

// Line j is the name of feature j.
std::vector<std::string> read_names(const std::string& path) {
  std::vector<std::string> names;
  io::Lines lines(path);
  for (std::string_view line; lines.next(line);) {
    if (!is_utf8(line)) lines.fail("a name is not UTF-8");
    names.emplace_back(line);
  }
  return names;
}

void show(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto options = rota::settings_of<ShowOptions>(call.options);
  const bool hashed = model.settings.bits > 0;
  if (hashed && !options.names.empty())
    throw UsageError("--names: features of a model with --bits are hashed, and have no names");
  const auto names = !options.names.empty() ? read_names(options.names)
                     : hashed               ? std::vector<std::string>()
                                            : model.names;
  out << model.keys - 1 << (hashed ? " hashed" : "") << " features, epoch " << call.model->epoch();
  if (model.classes.size() > 0) out << ", labels " << model.classes.text();
  out << "\n";
  for (std::uint32_t k = 0; k < model.outputs; ++k) {
    out << "\n";
    if (model.outputs > 1) out << "label " << model.classes.text(k) << "\n";
    if (model.settings.intercept) out << "  intercept  " << io::six_digits(model.weight(kIntercept, k)) << "\n";
    const std::size_t features = model.keys - 1, most = options.top == 0 ? features : options.top;
    for (const std::uint32_t i :
         io::largest(features, most, [&](auto j) { return std::abs(model.weight(j + 1, k)); })) {
      if (model.weight(i + 1, k) == 0) break;
      out << io::right_aligned(std::to_string(i + 1), 11) << "  " << io::six_digits(model.weight(i + 1, k));
      if (i < names.size()) out << "  " << names[i];
      out << "\n";
    }
  }
}

// ---- predict, evaluate

enum class Type { response, link, label };
struct PredictOptions {
  Type type = Type::response;

  void options(auto& list) {
    list.choice("type", type, {{"response", Type::response}, {"link", Type::link}, {"class", Type::label}},
                "What to predict: the response (of a logistic model the probability of the larger label, of more "
                "classes that of each label in ascending order), the linear prediction, or the label.");
  }
};

struct Applied {
  std::vector<double> labels;  // of the rows
  std::vector<double> links;   // row after row
};

// With `scored` the labels must be the model's.
Applied apply(const TrainedModel& model, const Call& call, bool scored) {
  Applied out;
  FeatureKeys key(model.settings.bits);
  const Weights weights{model.numbers, model.outputs, 1};
  io::RowForm form = model.settings.form;
  form.names = model.names;
  form.columns = model.settings.bits > 0 ? 0 : model.keys - 1;
  form.labels = scored ? io::RowForm::Labels::required : io::RowForm::Labels::ignored;
  form.words = model.classes.words();
  form.words_allowed = !form.words.empty();
  io::RowFiles files(call.input, form);
  for (io::LabelledValues row; files.next(row);) {
    if (scored && model.classes.size() > 0 && !model.classes.find(row.label))
      files.fail("the label " + label_text(files, row.label) + " is none of the model's, " + model.classes.text());
    Rows one;
    add_row(files, row, key, model.origins, model.settings.intercept, model.keys, one);
    const std::vector<double> links = links_of(one, weights, model.outputs);
    out.links.insert(out.links.end(), links.begin(), links.end());
    out.labels.push_back(row.label);
  }
  return out;
}

void write_row(const TrainedModel& model, std::span<const double> links, Type type, std::ostream& out) {
  if (type == Type::label) {
    out << model.classes.text(model.class_of(links)) << "\n";
    return;
  }
  std::vector<double> shown(links.begin(), links.end());
  if (type == Type::response && model.settings.loss == Loss::logistic) {
    double sum = 0;
    for (double& one : shown) sum += one = logistic_row(-one).p;
    if (shown.size() > 1)
      for (double& one : shown) one /= sum;
  }
  if (type == Type::response && model.settings.loss == Loss::softmax) softmax_loss(shown, 0);
  for (std::size_t k = 0; k < shown.size(); ++k) out << (k == 0 ? "" : " ") << io::exact_text(shown[k]);
  out << "\n";
}

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const auto [type] = rota::settings_of<PredictOptions>(call.options);
  const Applied applied = apply(model, call, false);
  if (type == Type::label && model.classes.size() == 0)
    throw UsageError("--type=class: a model with --loss=squared has no classes");
  for (std::size_t i = 0; i < applied.labels.size(); ++i)
    write_row(model, std::span(applied.links).subspan(i * model.outputs, model.outputs), type, out);
}

// The model's own loss, and the share of rows whose class is the predicted one.
void write_own_scores(const TrainedModel& model, const Applied& applied, std::ostream& out) {
  ShardRows data;
  for (const double label : applied.labels)
    data.targets.push_back(target_of(*model.classes.find(label), model.outputs));
  const LossSums sums = score(model.settings.loss, applied.links, model.outputs, data);
  const auto rows = static_cast<double>(applied.labels.size());
  out << (model.settings.loss == Loss::softmax ? ", \"log_loss\": " : ", \"loss\": ")
      << io::exact_text(sums.loss / rows) << ", \"accuracy\": " << io::exact_text(sums.right / rows);
}

void evaluate(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const Applied applied = apply(model, call, true);
  if (applied.labels.empty()) throw UsageError("the input has no rows");
  out << "{\"rows\": " << applied.labels.size();
  if (model.settings.loss == Loss::squared)
    write_number_scores(applied.links, applied.labels, out);
  else if (model.settings.loss == Loss::logistic && model.outputs == 1)
    write_class_scores(applied.links, applied.labels, model.classes, out);
  else
    write_own_scores(model, applied, out);
  out << "}\n";
}

// ---- export

constexpr std::string_view kReadme = R"(A linear model as text.

Numbers are written so that reading them gives the same double.  A linear prediction is the intercept + the sum of
weight times value over a row's features.

weights.csv      One weight a line, those that are not 0: feature, label, weight, and the feature's name if the data
                 has one.  Feature 0 is the intercept; a positive weight is in favour of the label (of two classes the
                 larger one; empty for numbers).
labels.csv       The labels, ascending, one a line, if the model has classes.
liblinear.model  The same in LIBLINEAR's format, for liblinear-predict.  It is missing if features are hashed, or if
                 labels are not whole numbers, which LIBLINEAR requires.
)";

// LIBLINEAR's names of the solvers whose models predict in the same way, by Loss.
constexpr std::string_view kSolvers[] = {"L2R_LR", "L2R_L2LOSS_SVR", "L2R_L1LOSS_SVC_DUAL", "L2R_L2LOSS_SVC",
                                         "MCSVM_CS"};

bool is_for_liblinear(const TrainedModel& model) {
  constexpr double kLargestLabel = 2147483647;
  const auto is_whole = [](double label) { return label == std::floor(label) && std::abs(label) <= kLargestLabel; };
  return model.settings.bits == 0 && model.classes.words().empty() &&
         std::ranges::all_of(model.classes.all(), is_whole);
}

void write_weights(const TrainedModel& model, const std::filesystem::path& path) {
  const bool named = model.settings.bits == 0 && !model.names.empty();
  std::vector<std::string> labels(model.outputs);
  if (model.classes.size() > 0)
    for (std::uint32_t k = 0; k < model.outputs; ++k) labels[k] = model.classes.text(model.outputs > 1 ? k : 1);
  io::write_csv(path, named ? "feature,label,weight,name" : "feature,label,weight", [&](auto row) {
    for (Key key = 0; key < model.keys; ++key)
      for (std::uint32_t k = 0; k < model.outputs; ++k) {
        const double weight = model.weight(key, k);
        if (weight == 0) continue;
        if (named)
          row(key, labels[k], weight, key > kIntercept && key <= model.names.size() ? model.names[key - 1] : "");
        else
          row(key, labels[k], weight);
      }
  });
}

// For two classes the weights are those of the label that is named first; the intercept is the last row.
void write_liblinear(const TrainedModel& model, io::TextWriter out) {
  const bool many = model.outputs > 1;
  out << "solver_type " << kSolvers[static_cast<std::size_t>(model.settings.loss)] << "\nnr_class "
      << std::uint64_t{many ? model.outputs : 2} << "\n";
  const std::size_t classes = model.classes.size();
  if (classes > 0) {
    out << "label";
    for (std::size_t k = 0; k < classes; ++k)
      out << " "
          << std::string_view(std::to_string(static_cast<long long>(model.classes.label(many ? k : classes - 1 - k))));
    out << "\n";
  }
  out << "nr_feature " << model.keys - 1 << "\nbias " << (model.settings.intercept ? "1" : "-1") << "\nw\n";
  const auto write_row = [&](Key key) {
    for (std::uint32_t k = 0; k < model.outputs; ++k) out << model.weight(key, k) << " ";
    out << "\n";
  };
  for (Key key = kIntercept + 1; key < model.keys; ++key) write_row(key);
  if (model.settings.intercept) write_row(kIntercept);
  out.close();
}

}  // namespace

void export_text(const Model& model, const std::filesystem::path& folder) {
  const TrainedModel trained = read_model(model);
  io::write_text(folder / "README.txt", kReadme);
  // The text of the numbers takes most of the time, so the two large files are written side by side.
  auto liblinear = std::async(std::launch::async, [&] {
    if (is_for_liblinear(trained)) write_liblinear(trained, io::TextWriter(folder / "liblinear.model"));
  });
  write_weights(trained, folder / "weights.csv");
  if (trained.classes.size() > 0)
    io::write_csv(folder / "labels.csv", "label", [&](auto row) {
      for (std::size_t k = 0; k < trained.classes.size(); ++k) row(trained.classes.text(k));
    });
  liblinear.get();
}

std::span<const Command> commands() {
  static const Command kCommands[] = {{.name = "show",
                                       .summary = "prints the heaviest features",
                                       .options = declared_options<ShowOptions>(),
                                       .run = show},
                                      {.name = "predict",
                                       .summary = "prints a prediction for every row",
                                       .options = declared_options<PredictOptions>(),
                                       .run = predict,
                                       .takes_input = true},
                                      {.name = "evaluate",
                                       .summary = "scores the model on other rows, as JSON",
                                       .options = {},
                                       .run = evaluate,
                                       .takes_input = true}};
  return kCommands;
}

}  // namespace rota::linear
