#include "apps/lasso/commands/generate_command.h"

#include <algorithm>

#include "apps/lasso/commands/generate.h"

namespace rota::lasso {

namespace {

using Kind = Option::Kind;

constexpr Option kGenerateOptions[] = {
    {.name = "kind",
     .kind = Kind::choice,
     .default_value = "chain",
     .unit = "chain|groups|equicorrelated|dense",
     .meaning = "The matrix: sparse as in the STRADS paper, or dense with correlated groups, all alike, or none."},
    integer_option("rows", "50000", "rows", 1, 4294967295.0, "Number of rows."),
    integer_option("columns", "1000000", "columns", 1, 268435456.0, "Number of columns."),
    integer_option("per_column", "25", "rows", 1, 4294967295.0, "Rows in which a column has a value.",
                   {"--kind=chain", [](const Options& options) { return options.text("kind") == "chain"; }}),
    integer_option("groups", "40", "groups", 1, 268435456.0, "Number of correlated groups of columns.",
                   {"--kind=groups", [](const Options& options) { return options.text("kind") == "groups"; }}),
    real_option(
        "correlation", "", "", 0, 1,
        "Share of columns that follow their predecessor (chain: 0.1); or the correlation (groups: 0.9, "
        "equicorrelated: 0.5).",
        {"other kinds than --kind=dense", [](const Options& options) { return options.text("kind") != "dense"; }}),
    integer_option("nonzeros", "1000", "columns", 0, 268435456.0, "Number of true coefficients; at most the columns."),
    real_option("noise", "0.1", "", 0, 1e6, "Standard deviation of the noise, as a share of the signal's."),
    {.name = "loss",
     .kind = Kind::choice,
     .default_value = "squared",
     .unit = "squared|logistic",
     .meaning = "The response: a number, or a class of -1 and 1."},
    integer_option("decimals", "15", "digits", 1, 15, "Decimal places of a value."),
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds give equal data."),
};

DataKind kind_of(std::string_view word) {
  if (word == "groups") return DataKind::groups;
  if (word == "equicorrelated") return DataKind::equicorrelated;
  if (word == "dense") return DataKind::dense;
  return DataKind::chain;
}

}  // namespace

std::span<const Option> generate_options() {
  return kGenerateOptions;
}

void generate_command(const Call& call, std::ostream& out) {
  const auto whole = [&](std::string_view name) { return static_cast<std::uint64_t>(call.options.integer(name)); };
  GenerateSettings settings;
  settings.kind = kind_of(call.options.text("kind"));
  settings.rows = whole("rows");
  settings.columns = whole("columns");
  settings.per_column = whole("per_column");
  settings.groups = whole("groups");
  if (call.options.has("correlation")) settings.correlation = call.options.real("correlation");
  settings.nonzeros = std::min(whole("nonzeros"), settings.columns);
  settings.noise = call.options.real("noise");
  settings.logistic = call.options.text("loss") == "logistic";
  settings.decimals = static_cast<std::uint32_t>(whole("decimals"));
  settings.seed = whole("seed");
  generate(settings, out);
}

}  // namespace rota::lasso
