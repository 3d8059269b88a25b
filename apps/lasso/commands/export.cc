#include <stdexcept>
#include <string>
#include <string_view>

#include "apps/lasso/commands/commands.h"
#include "apps/lasso/commands/trained_model.h"
#include "rota/io/text_writer.h"

namespace rota::lasso {

namespace {

constexpr std::string_view kReadme = R"(A sparse linear model (Lasso or elastic net) as text.

Columns of the data and penalties of the path are numbered from 1.  Numbers are written so that reading them gives the
same double.  A linear prediction is intercept + sum of coefficient times value.

path.csv          One penalty a line: number, lambda, objective, duality gap, non-zero coefficients, mean loss, mean
                  loss without coefficients, intercept; after a cross-validation also the held-out error (mean squared
                  error or deviance) and its standard error.  Last 1, or 0 if the fit ended without reaching its
                  tolerance.
coefficients.csv  One non-zero coefficient a line: penalty, column, coefficient.
coefficients.mtx  The same as a sparse MatrixMarket matrix, columns of the data x penalties, without the intercepts:
                  Python: scipy.io.mmread("coefficients.mtx").tocsc()
                  R:      Matrix::readMM("coefficients.mtx")
)";

constexpr std::string_view kLabels =
    R"(labels.csv        The two classes by the labels of the data: "smaller" or "larger", and the label.
)";

void write_path(const TrainedModel& model, io::TextWriter out) {
  const bool folds = !model.validation.empty();
  out << "penalty,lambda,objective,gap,nonzeros,loss,null_loss,intercept"
      << (folds ? ",cv_error,cv_standard_error" : "") << ",converged\n";
  for (std::size_t k = 0; k < model.path.size(); ++k) {
    const FitRow& fit = model.path[k];
    out << std::uint64_t{k + 1} << "," << fit.lambda << "," << fit.objective << "," << fit.gap << ","
        << static_cast<std::uint64_t>(fit.nonzeros) << "," << fit.loss << "," << fit.null_loss << ","
        << model.coefficients[k].intercept;
    if (folds) out << "," << model.validation[k].mean << "," << model.validation[k].standard_error;
    out << "," << std::uint64_t{converged(model, fit) ? 1U : 0U} << "\n";
  }
  out.close();
}

void write_coefficients(const TrainedModel& model, io::TextWriter csv, io::TextWriter matrix) {
  std::uint64_t nonzeros = 0;
  for (const Coefficients& one : model.coefficients) nonzeros += one.columns.size();
  const std::uint64_t rows = model.path.empty() ? 0 : static_cast<std::uint64_t>(model.path[0].columns);
  csv << "penalty,column,coefficient\n";
  matrix << "%%MatrixMarket matrix coordinate real general\n"
         << rows << " " << std::uint64_t{model.path.size()} << " " << nonzeros << "\n";
  for (std::size_t k = 0; k < model.coefficients.size(); ++k) {
    for (const auto& [column, value] : model.coefficients[k].columns) {
      csv << std::uint64_t{k + 1} << "," << column + 1 << "," << value << "\n";
      matrix << column + 1 << " " << std::uint64_t{k + 1} << " " << value << "\n";
    }
  }
  csv.close();
  matrix.close();
}

void write_readme(const TrainedModel& model, io::TextWriter out) {
  out << kReadme;
  if (model.settings.loss == Loss::logistic) {
    out << kLabels;
    if (!model.path.empty())
      out << "                  A linear prediction is the logit of " << model.path[0].larger << ", against "
          << model.path[0].smaller << ".\n";
  }
  out.close();
}

void write_labels(const FitRow& fit, io::TextWriter out) {
  out << "class,label\nsmaller," << fit.smaller << "\nlarger," << fit.larger << "\n";
  out.close();
}

}  // namespace

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(stored);
  write_readme(model, io::TextWriter(folder / "README.txt"));
  write_path(model, io::TextWriter(folder / "path.csv"));
  write_coefficients(model, io::TextWriter(folder / "coefficients.csv"), io::TextWriter(folder / "coefficients.mtx"));
  if (model.settings.loss == Loss::logistic && !model.path.empty())
    write_labels(model.path[0], io::TextWriter(folder / "labels.csv"));
}

}  // namespace rota::lasso
