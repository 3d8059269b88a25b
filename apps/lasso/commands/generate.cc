// apps/lasso/commands/generate.cc
#include "apps/lasso/commands/generate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "apps/lasso/commands/commands.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/random.h"
#include "rota/seed_mixer.h"

namespace rota::lasso {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;  // bytes of text that are written at once
constexpr std::size_t kLongestField = 64;             // bytes of a label, or of an index and its value

// The purposes of random numbers; each has its own stream.
enum class Stream : std::uint64_t { columns = 1, coefficients = 2, response = 3 };

Random random_for(std::uint64_t seed, Stream stream) {
  return random_from(seed * 0x9e3779b97f4a7c15U ^ static_cast<std::uint64_t>(stream) << 56);
}

// Standard normal numbers, two at a time (Box and Muller, 1958).
class Normal {
 public:
  double operator()(Random& random) {
    has_spare_ = !has_spare_;
    if (!has_spare_) return spare_;
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    spare_ = radius * std::sin(angle);
    return radius * std::cos(angle);
  }

 private:
  double spare_ = 0;
  bool has_spare_ = false;
};

// A decimal number with a fixed number of places, as the integer that it is in units of the last place.
class Decimals {
 public:
  explicit Decimals(std::uint32_t places) : places_(places), scale_(1) {
    for (std::uint32_t i = 0; i < places; ++i) scale_ *= 10;
  }
  // The nearest one that is not 0.
  std::int64_t round(double value) const {
    const std::int64_t units = std::llround(value * static_cast<double>(scale_));
    return units != 0 ? units : value < 0 ? -1 : 1;
  }
  // The value that a reader gets from the text: both operands are exact (below 2^53), so the division rounds once.
  double value(std::int64_t units) const { return static_cast<double>(units) / static_cast<double>(scale_); }

  // Returns the position after the text.
  char* write(char* to, std::int64_t units) const {
    if (units < 0) *to++ = '-';
    auto digits = static_cast<std::uint64_t>(units < 0 ? -units : units);
    to = std::to_chars(to, to + kLongestField, digits / static_cast<std::uint64_t>(scale_)).ptr;
    *to++ = '.';
    digits %= static_cast<std::uint64_t>(scale_);
    for (std::uint32_t i = places_; i > 0; --i) {
      to[i - 1] = static_cast<char>('0' + digits % 10);
      digits /= 10;
    }
    return to + places_;
  }

 private:
  std::uint32_t places_;
  std::int64_t scale_;
};

class Text {
 public:
  explicit Text(std::ostream& out) : out_(out), block_(kBlock + 2 * kLongestField) {}

  void label(double value) { at_ = std::to_chars(room(), end(), value).ptr; }
  void entry(std::uint64_t column, std::int64_t units, const Decimals& decimals) {
    char* to = room();
    *to++ = ' ';
    to = std::to_chars(to, end(), column + 1).ptr;
    *to++ = ':';
    at_ = decimals.write(to, units);
  }
  void end_line() { *at_++ = '\n'; }
  void flush() {
    out_.write(block_.data(), at_ - block_.data());
    if (!out_) throw std::runtime_error("the generated data cannot be written");
    at_ = block_.data();
  }

 private:
  char* end() { return block_.data() + block_.size(); }
  // At least two fields fit after the position that this returns: one, and the end of the line.
  char* room() {
    if (at_ - block_.data() > static_cast<std::ptrdiff_t>(kBlock)) flush();
    return at_;
  }

  std::ostream& out_;
  std::vector<char> block_;
  char* at_ = block_.data();
};

struct Coefficient {
  std::uint64_t column;
  double value;
};

// By column.  Every set of columns is equally probable (selection sampling: Knuth, TAOCP 3.4.2, algorithm S).
std::vector<Coefficient> draw_coefficients(const GenerateSettings& settings) {
  Random random = random_for(settings.seed, Stream::coefficients);
  Normal normal;
  std::vector<Coefficient> drawn;
  for (std::uint64_t j = 0; j < settings.columns && drawn.size() < settings.nonzeros; ++j)
    if (random.below(settings.columns - j) < settings.nonzeros - drawn.size()) drawn.push_back({j, normal(random)});
  return drawn;
}

class Response {
 public:
  Response(const GenerateSettings& settings, double signal_deviation)
      : random_(random_for(settings.seed, Stream::response)),
        logistic_(settings.logistic),
        deviation_(settings.noise * signal_deviation) {}

  double operator()(double signal) {
    if (!logistic_) return signal + deviation_ * normal_(random_);
    const double u = (static_cast<double>(random_() >> 12) + 0.5) * 0x1p-52;  // neither 0 nor 1
    return signal + deviation_ * std::log(u / (1 - u)) >= 0 ? 1 : -1;
  }

 private:
  Random random_;
  Normal normal_;
  bool logistic_;
  double deviation_;
};

// The columns of the chain, one after the other; the same ones each time.
class Chain {
 public:
  explicit Chain(const GenerateSettings& settings)
      : decimals_(settings.decimals),
        random_(random_for(settings.seed, Stream::columns)),
        follow_(settings.correlation.value_or(0.1)),
        in_column_(settings.rows, 0),
        rows_(settings.per_column),
        values_(settings.per_column) {}

  void next() {
    if (!first_ && random_.uniform() < follow_) {
      for (std::int64_t& value : values_)
        value = decimals_.round(0.9 * decimals_.value(value) + 0.1 * random_.uniform());
      return;
    }
    first_ = false;
    draw_rows();
    for (std::int64_t& value : values_) value = decimals_.round(random_.uniform());
  }
  std::span<const std::uint32_t> rows() const { return rows_; }              // of the column, in no order
  std::span<const std::int64_t> values() const { return values_; }           // in Decimals' units
  double value(std::size_t i) const { return decimals_.value(values_[i]); }  // of rows()[i]

 private:
  // Every set of rows is equally probable (Floyd's algorithm: Bentley, "Programming pearls", CACM 30 (9), 1987).
  void draw_rows() {
    const std::uint64_t rows = in_column_.size(), count = rows_.size();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t last = rows - count + i;
      const std::uint64_t drawn = random_.below(last + 1);
      const std::uint64_t row = in_column_[drawn] == 0 ? drawn : last;
      in_column_[row] = 1;
      rows_[i] = static_cast<std::uint32_t>(row);
    }
    for (const std::uint32_t row : rows_) in_column_[row] = 0;
  }

  Decimals decimals_;
  Random random_;
  double follow_;
  bool first_ = true;
  std::vector<char> in_column_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int64_t> values_;
};

double standard_deviation(const std::vector<double>& numbers) {
  double sum = 0, squares = 0;
  for (const double x : numbers) sum += x;
  const double mean = sum / static_cast<double>(numbers.size());
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(numbers.size()));
}

struct Entry {
  std::int64_t value;  // in Decimals' units
  std::uint32_t column;
};

// Makes the entries of rows [first, end) and writes those rows.
void write_rows(const GenerateSettings& settings, std::uint64_t first, std::uint64_t end,
                const std::vector<std::uint32_t>& counts, const std::vector<double>& signal, Response& response,
                Text& text) {
  std::vector<std::uint64_t> place(end - first + 1, 0);  // of the next entry of each row; those before it are filled
  for (std::uint64_t row = first; row < end; ++row) place[row - first + 1] = place[row - first] + counts[row];
  std::vector<Entry> entries(place.back());
  Chain chain(settings);
  for (std::uint64_t j = 0; j < settings.columns; ++j) {
    chain.next();
    for (std::size_t i = 0; i < chain.rows().size(); ++i) {
      const std::uint64_t row = chain.rows()[i];
      if (row - first < end - first) entries[place[row - first]++] = {chain.values()[i], static_cast<std::uint32_t>(j)};
    }
  }
  const Decimals decimals(settings.decimals);
  std::uint64_t at = 0;
  for (std::uint64_t row = first; row < end; ++row) {
    text.label(response(signal[row]));
    for (; at < place[row - first]; ++at) text.entry(entries[at].column, entries[at].value, decimals);
    text.end_line();
  }
}

void generate_chain(const GenerateSettings& settings, Text& text) {
  std::vector<std::uint32_t> counts(settings.rows, 0);
  std::vector<double> signal(settings.rows, 0.0);
  const std::vector<Coefficient> coefficients = draw_coefficients(settings);
  auto coefficient = coefficients.begin();
  Chain chain(settings);
  for (std::uint64_t j = 0; j < settings.columns; ++j) {
    chain.next();
    for (const std::uint32_t row : chain.rows()) ++counts[row];
    if (coefficient == coefficients.end() || coefficient->column != j) continue;
    for (std::size_t i = 0; i < chain.rows().size(); ++i)
      signal[chain.rows()[i]] += coefficient->value * chain.value(i);
    ++coefficient;
  }
  Response response(settings, standard_deviation(signal));
  for (std::uint64_t first = 0; first < settings.rows;) {
    std::uint64_t end = first, entries = 0;
    while (end < settings.rows && (end == first || entries + counts[end] <= settings.entries_in_memory))
      entries += counts[end++];
    write_rows(settings, first, end, counts, signal, response, text);
    first = end;
  }
}

void generate_dense(const GenerateSettings& settings, Text& text) {
  const bool grouped = settings.kind != DataKind::dense;
  const std::uint64_t groups = settings.kind == DataKind::groups ? settings.groups : 1;
  const double c = !grouped ? 0 : settings.correlation.value_or(settings.kind == DataKind::groups ? 0.9 : 0.5);
  const double share = std::sqrt(c), rest = std::sqrt(1 - c);
  const auto group_of = [&](std::uint64_t column) { return column * groups / settings.columns; };

  const std::vector<Coefficient> coefficients = draw_coefficients(settings);
  std::vector<double> group_sums(groups, 0.0);
  double variance = 0;
  for (const Coefficient& each : coefficients) {
    group_sums[group_of(each.column)] += each.value;
    variance += (1 - c) * each.value * each.value;
  }
  for (const double sum : group_sums) variance += c * sum * sum;

  Response response(settings, std::sqrt(variance));
  Random random = random_for(settings.seed, Stream::columns);
  Normal normal;
  const Decimals decimals(settings.decimals);
  std::vector<double> of_group(groups, 0.0);
  std::vector<std::int64_t> row(settings.columns);
  for (std::uint64_t i = 0; i < settings.rows; ++i) {
    if (grouped)
      for (double& value : of_group) value = normal(random);
    for (std::uint64_t j = 0; j < settings.columns; ++j)
      row[j] = decimals.round(share * of_group[group_of(j)] + rest * normal(random));
    double signal = 0;
    for (const Coefficient& each : coefficients) signal += each.value * decimals.value(row[each.column]);
    text.label(response(signal));
    for (std::uint64_t j = 0; j < settings.columns; ++j) text.entry(j, row[j], decimals);
    text.end_line();
  }
}

void check(const GenerateSettings& settings) {
  const auto within = [](std::uint64_t value, std::uint64_t least, std::uint64_t most, const std::string& what) {
    if (value < least || value > most)
      throw UsageError("generate: " + what + " must be from " + std::to_string(least) + " to " + std::to_string(most));
  };
  within(settings.rows, 1, io::kMostRows, "the number of rows");
  within(settings.columns, 1, io::kMostColumns, "the number of columns");
  within(settings.nonzeros, 0, settings.columns, "the number of true coefficients");
  within(settings.decimals, 1, 15, "the number of decimals");
  if (settings.kind == DataKind::chain) within(settings.per_column, 1, settings.rows, "the values of a column");
  if (settings.kind == DataKind::groups) within(settings.groups, 1, settings.columns, "the number of groups");
  if (settings.correlation && !(*settings.correlation >= 0 && *settings.correlation <= 1))
    throw UsageError("generate: the correlation must be from 0 to 1");
  if (!(settings.noise >= 0 && std::isfinite(settings.noise)))
    throw UsageError("generate: the noise must not be negative");
}

}  // namespace

void generate(const GenerateSettings& settings, std::ostream& out) {
  check(settings);
  Text text(out);
  if (settings.kind == DataKind::chain)
    generate_chain(settings, text);
  else
    generate_dense(settings, text);
  text.flush();
}

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
