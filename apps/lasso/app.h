// apps/lasso/app.h -- common to the apps lasso (by_columns/app.cc) and lasso_rows (by_rows/app.cc).
#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "apps/lasso/design/load.h"
#include "apps/lasso/settings.h"
#include "apps/lasso/tables.h"
#include "rota/plugin.h"

namespace rota::lasso {

class LassoApp : public PackedApp<DesignCommon, DesignShard> {
 public:
  std::vector<Term> terms() const final {
    return {{"loss", Term::Kind::normalised}, {"penalty", Term::Kind::normalised}, {"nonzeros", Term::Kind::report}};
  }
  void save_common(Writer& out) const final { write_fields(out, names_); }

 protected:
  LassoApp(const Job& job, const Settings& settings)
      : PackedApp(job),
        source_{.files = job.input,
                .form = settings.form,
                .response = settings.response,
                .weights = settings.weights,
                .classes = settings.has_classes(),
                .threads = job.threads} {}

  // To be called with the data that was read or unpacked.
  void take_common(const DesignCommon& data) {
    // Data by shard may be damaged.
    if ((data.classes.size() == 2) != source_.classes)
      throw DataError(job_.packed->name(), 0, "damaged: the response has not the classes that --loss requires");
    names_ = data.names;
  }
  // The tables of tables.h.
  static std::vector<Table> tables_with(std::uint32_t part_width, std::uint32_t block_width) {
    return {{.name = "coefficients",
             .keys = kIntercept + 1,
             .row_width = 1,
             .part_width = part_width,
             .block_width = block_width,
             .single_partition = true},
            {.name = "path", .keys = kMostPenalties << 32, .row_width = 1, .single_partition = true},
            {.name = "fits", .keys = kMostFolds * kMostPenalties, .row_width = kFitWidth, .single_partition = true}};
  }

  const Source source_;

 private:
  std::vector<std::string> names_;  // of the columns, if the input has them
};

// What users do with a model: show, predict, evaluate; and the model as text, for R, Python and people.
std::span<const Command> commands();
void export_text(const Model& model, const std::filesystem::path& folder);

Plugin columns_plugin();  // lasso
Plugin rows_plugin();     // lasso_rows

}  // namespace rota::lasso
