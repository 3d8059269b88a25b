// apps/linear/commands/export.cc -- a model as text files, one of them for LIBLINEAR.
#include <cmath>
#include <string>
#include <string_view>

#include "apps/linear/commands/model.h"
#include "rota/io/text_writer.h"

namespace rota::linear {
namespace {

constexpr std::string_view kReadme = R"(A linear model as text.

Numbers are written so that reading them gives the same double.  A linear prediction is the intercept + the sum of
weight times value over a row's features.

weights.csv      One weight a line, those that are not 0: feature, label, weight.  Feature 0 is the intercept; a
                 positive weight is in favour of the label (of two classes the larger one; empty for numbers).
liblinear.model  The same in LIBLINEAR's format, for liblinear-predict.  It is missing if features are hashed, or if
                 labels are not whole numbers, which LIBLINEAR requires.
)";

// LIBLINEAR's name of the solver whose models predict in the same way.
std::string_view solver(Loss loss) {
  switch (loss) {
    case Loss::squared:
      return "L2R_L2LOSS_SVR";
    case Loss::hinge:
      return "L2R_L1LOSS_SVC_DUAL";
    case Loss::squared_hinge:
      return "L2R_L2LOSS_SVC";
    case Loss::softmax:
      return "MCSVM_CS";
    case Loss::logistic:
      break;
  }
  return "L2R_LR";
}

bool is_for_liblinear(const LinearModel& model) {
  constexpr double kLargestLabel = 2147483647;
  for (const double label : model.classes.all())
    if (label != std::floor(label) || std::abs(label) > kLargestLabel) return false;
  return model.rows.bits == 0;
}

void write_weights(const LinearModel& model, io::TextWriter out) {
  out << "feature,label,weight\n";
  for (Key key = 0; key < model.keys; ++key)
    for (std::uint32_t k = 0; k < model.outputs; ++k) {
      if (model.weight(key, k) == 0) continue;
      out << key << ",";
      if (model.classes.size() > 0) out << model.classes.label(model.outputs > 1 ? k : 1);
      out << "," << model.weight(key, k) << "\n";
    }
  out.close();
}

// For two classes the weights are those of the label that is named first; the intercept is the last row.
void write_liblinear(const LinearModel& model, io::TextWriter out) {
  const bool many = model.outputs > 1;
  out << "solver_type " << solver(model.rows.loss) << "\nnr_class " << std::uint64_t{many ? model.outputs : 2} << "\n";
  if (model.classes.size() > 0) {
    out << "label";
    for (std::size_t k = 0; k < model.classes.size(); ++k)
      out << " "
          << std::string_view(
                 std::to_string(static_cast<long long>(model.classes.label(many ? k : model.classes.size() - 1 - k))));
    out << "\n";
  }
  out << "nr_feature " << model.keys - 1 << "\nbias " << (model.rows.intercept ? "1" : "-1") << "\nw\n";
  const auto write_row = [&](Key key) {
    for (std::uint32_t k = 0; k < model.outputs; ++k) out << model.weight(key, k) << " ";
    out << "\n";
  };
  for (Key key = kIntercept + 1; key < model.keys; ++key) write_row(key);
  if (model.rows.intercept) write_row(kIntercept);
  out.close();
}

}  // namespace

void export_text(const LinearModel& model, const std::filesystem::path& folder) {
  io::TextWriter readme(folder / "README.txt");
  readme << kReadme;
  readme.close();
  write_weights(model, io::TextWriter(folder / "weights.csv"));
  if (is_for_liblinear(model)) write_liblinear(model, io::TextWriter(folder / "liblinear.model"));
}

}  // namespace rota::linear
