#include "apps/mf/commands/trained_model.h"

#include <algorithm>
#include <cmath>

#include "apps/mf/ccd/ccd.h"
#include "apps/mf/ratings/rating_data.h"
#include "rota/error.h"

namespace rota::mf {
namespace {

Side side_of(io::Vocabulary names, const Settings& settings) {
  Side side;
  side.width = FactorRows(0, settings.rank, false).width();
  side.biases.resize(names.size());
  side.factors.resize(names.size() * side.width);
  side.names = std::move(names);
  return side;
}

// Learned rows are for ratings in units of their deviation.
void put(const FactorRows& rows, std::size_t row, std::size_t number, double deviation, Side& side) {
  if (number >= side.size()) throw DataError("the model", 0, "has more rows than names");
  const std::span<const float> from = rows.factors(row);
  const auto scale = static_cast<float>(std::sqrt(deviation));
  std::transform(from.begin(), from.end(), side.factors.begin() + static_cast<std::ptrdiff_t>(number * side.width),
                 [scale](float x) { return x * scale; });
  side.biases[number] = static_cast<double>(rows.bias(row)) * deviation;
}

FactorRows read_rows(const Bytes& bytes, std::size_t count, const Settings& settings) {
  FactorRows rows(count, settings.rank, settings.biases);
  Reader in(bytes.view());
  rows.decode(in);
  if (!in.ok()) throw DataError("the model", 0, "factors are damaged");
  return rows;
}

void read_slices(const Model& model, TrainedModel& trained) {
  const bool users_move = model.facts().number("users_move") != 0;
  const double deviation = model.facts().number("deviation");
  Side& visitors = users_move ? trained.users : trained.items;
  Side& residents = users_move ? trained.items : trained.users;
  for (SliceId b = 0; b < model.cut().slices.size(); ++b) {
    const auto& keys = model.cut().slices[b];
    const FactorRows rows = read_rows(model.slice(b), keys.size(), trained.settings);
    for (std::size_t r = 0; r < keys.size(); ++r) put(rows, r, keys[r], deviation, visitors);
  }
  const std::size_t shards = model.job().shards;
  for (ShardId s = 0; s < shards; ++s) {
    const std::size_t count = residents.size() / shards + (s < residents.size() % shards ? 1 : 0);
    const FactorRows rows = read_rows(model.shard(s), count, trained.settings);
    for (std::size_t r = 0; r < count; ++r) put(rows, r, r * shards + s, deviation, residents);
  }
}

// For als a row of the table is a row of factors with its bias, for ccd one factor of some neighbours.
void read_table(const Model& model, TableId table, const Settings& settings, Side& side) {
  const double unit = unit_of(settings, model.facts().number("deviation")), scale = std::sqrt(unit);
  const bool whole = settings.solver == Solver::als;
  const std::size_t blocks = rows_of_factor(side.size());
  model.for_each_row(table, [&](Key key, std::span<const double> value) {
    if (key >= (whole ? side.size() : blocks * settings.rank))
      throw DataError("the model", 0, "has more rows than names");
    const std::size_t first = whole ? key : key % blocks * kTogether;
    for (std::size_t at = 0; at < value.size(); ++at) {
      const std::size_t row = whole ? first : first + at, k = whole ? at : key / blocks;
      if (k == settings.rank)
        side.biases[row] = value[at] * unit;
      else if (row < side.size())
        side.factors[row * side.width + k] = static_cast<float>(value[at] * scale);
    }
  });
}

}  // namespace

double dot(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += static_cast<double>(a[k]) * static_cast<double>(b[k]);
  return sum;
}

double TrainedModel::score(std::uint32_t user, std::uint32_t item) const {
  return base + users.biases[user] + items.biases[item] + dot(users.row(user), items.row(item));
}

double TrainedModel::score(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const {
  if (user && item) return score(*user, *item);
  if (settings.loss == Loss::logistic) return mean;
  return mean + (user ? users.biases[*user] : 0) + (item ? items.biases[*item] : 0);
}

double TrainedModel::prediction(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const {
  return settings.loss == Loss::logistic ? 1 / (1 + std::exp(-score(user, item))) : score(user, item);
}

TrainedModel read_model(const Model& model) {
  TrainedModel trained;
  trained.settings = settings_of(model.job().options);
  const double mean = model.facts().number("mean");
  trained.mean = trained.settings.implicit                 ? 0
                 : trained.settings.loss == Loss::logistic ? std::log(mean / (1 - mean))
                                                           : mean;
  trained.base = base_of(trained.settings, mean, model.facts().number("deviation"));
  trained.penalty_scale = penalty_scale(trained.settings, model.facts().number("deviation"));
  const Bytes common = model.common();
  Reader in(common.view());
  trained.users = side_of(read_names(in), trained.settings);
  trained.items = side_of(read_names(in), trained.settings);
  if (!in.done()) throw DataError("the model", 0, "the names of users and items are damaged");
  if (trained.settings.solver == Solver::sgd) {
    read_slices(model, trained);
  } else {
    read_table(model, kUserSide, trained.settings, trained.users);
    read_table(model, kItemSide, trained.settings, trained.items);
  }
  return trained;
}

}  // namespace rota::mf
