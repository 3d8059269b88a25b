#include <string>
#include <string_view>

#include "apps/lasso/app.h"
#include "apps/lasso/commands/trained_model.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
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
coefficients.csv  One non-zero coefficient a line: penalty, column, coefficient; last the column's name, if it has one.
coefficients.mtx  The same as a sparse MatrixMarket matrix, columns of the data x penalties, without the intercepts:
                  Python: scipy.io.mmread("coefficients.mtx").tocsc()
                  R:      Matrix::readMM("coefficients.mtx")
)";

constexpr std::string_view kLabels =
    R"(labels.csv        The two classes by the labels of the data: "smaller" or "larger", and the label.
)";

void write_path(const TrainedModel& model, const std::filesystem::path& file) {
  const bool folds = !model.validation.empty();
  const std::string header = std::string("penalty,lambda,objective,gap,nonzeros,loss,null_loss,intercept") +
                             (folds ? ",cv_error,cv_standard_error" : "") + ",converged";
  io::write_csv(file, header, [&](auto row) {
    for (std::size_t k = 0; k < model.path.size(); ++k) {
      const FitRow& fit = model.path[k];
      const auto put = [&](const auto&... validation) {
        row(k + 1, fit.lambda, fit.objective, fit.gap, static_cast<std::uint64_t>(fit.nonzeros), fit.loss,
            fit.null_loss, model.coefficients[k].intercept, validation..., converged(model, fit));
      };
      folds ? put(model.validation[k].mean, model.validation[k].standard_error) : put();
    }
  });
}

void write_coefficients(const TrainedModel& model, const std::filesystem::path& file) {
  const bool named = !model.names.empty();
  io::write_csv(file, named ? "penalty,column,coefficient,name" : "penalty,column,coefficient", [&](auto row) {
    for (std::size_t k = 0; k < model.coefficients.size(); ++k)
      for (const auto& [column, value] : model.coefficients[k].columns)
        named ? row(k + 1, column + 1, value, model.names[column]) : row(k + 1, column + 1, value);
  });
}

void write_matrix(const TrainedModel& model, io::TextWriter out) {
  std::uint64_t nonzeros = 0;
  for (const Coefficients& one : model.coefficients) nonzeros += one.columns.size();
  out << "%%MatrixMarket matrix coordinate real general\n"
      << model.columns() << " " << std::uint64_t{model.path.size()} << " " << nonzeros << "\n";
  for (std::size_t k = 0; k < model.coefficients.size(); ++k)
    for (const auto& [column, value] : model.coefficients[k].columns)
      out << column + 1 << " " << std::uint64_t{k + 1} << " " << value << "\n";
  out.close();
}

}  // namespace

void export_text(const Model& stored, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(stored);
  std::string readme(kReadme);
  if (model.settings.has_classes()) readme += kLabels;
  if (model.settings.has_classes() && !model.path.empty()) {
    const FitRow& fit = model.path[0];
    readme += "                  A linear prediction is the logit of " + io::exact_text(fit.larger) + ", against " +
              io::exact_text(fit.smaller) + ".\n";
    io::write_csv(folder / "labels.csv", "class,label", [&](auto row) {
      row("smaller", fit.smaller);
      row("larger", fit.larger);
    });
  }
  io::write_text(folder / "README.txt", readme);
  write_path(model, folder / "path.csv");
  write_coefficients(model, folder / "coefficients.csv");
  write_matrix(model, io::TextWriter(folder / "coefficients.mtx"));
}

}  // namespace rota::lasso
