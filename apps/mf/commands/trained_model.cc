#include "apps/mf/commands/trained_model.h"

#include <algorithm>
#include <cmath>

#include "apps/mf/als/settings.h"
#include "apps/mf/alternating/push.h"
#include "apps/mf/ccd/ccd_push.h"
#include "apps/mf/ccd/settings.h"
#include "apps/mf/factor_rows.h"
#include "apps/mf/sgd/settings.h"
#include "rota/error.h"

namespace rota::mf {
namespace {

// All but the factors and biases.
TrainedModel without_rows(const Model& model, const Settings& settings) {
  TrainedModel trained;
  trained.settings = settings;
  trained.ratings = model.facts().count("ratings");
  trained.epoch = model.epoch();
  trained.mean_rating = model.facts().number("mean");
  trained.deviation = model.facts().number("deviation");
  trained.mean = settings.implicit                 ? 0
                 : settings.loss == Loss::logistic ? std::log(trained.mean_rating / (1 - trained.mean_rating))
                                                   : trained.mean_rating;
  trained.base = base_of(settings, trained.mean_rating, trained.deviation);
  trained.penalty_scale = penalty_scale(settings, trained.deviation);
  const Bytes common = model.common();
  Reader in(common.view());
  for (Side* const side : {&trained.users, &trained.items}) {
    side->names.decode(in);
    side->width = FactorRows(0, settings.rank, false).width();
    side->biases.resize(side->names.size());
    side->factors.resize(side->names.size() * side->width);
  }
  if (!in.done()) throw DataError("the model", 0, "the names of users and items are damaged");
  return trained;
}

// `put(key, value)` for each row of both tables, whose keys are less than keys(side).
template <typename Keys, typename Put>
void read_tables(const Model& model, TrainedModel& trained, Keys keys, Put put) {
  const double unit = unit_of(trained.settings, trained.deviation);
  for (const TableId table : {kUserSide, kItemSide}) {
    Side& side = table == kUserSide ? trained.users : trained.items;
    model.for_each_row(table, [&](Key key, std::span<const double> value) {
      if (key >= keys(side)) throw DataError("the model", 0, "has more rows than names");
      put(side, key, value, unit);
    });
  }
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

// Visitors are in the slices, residents in the shards, in the order of sgd/push.h.
TrainedModel read_sgd_model(const Model& model) {
  TrainedModel trained = without_rows(model, sgd_settings(model.job().options));
  const auto put = [&](const Bytes& bytes, std::size_t count, Side& side, auto number_of) {
    FactorRows rows(count, trained.settings.rank, trained.settings.biases);
    Reader in(bytes.view());
    rows.decode(in);
    if (!in.ok()) throw DataError("the model", 0, "factors are damaged");
    // Learned rows are for ratings in units of their deviation.
    const auto scale = static_cast<float>(std::sqrt(trained.deviation));
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t number = number_of(r);
      if (number >= side.size()) throw DataError("the model", 0, "has more rows than names");
      std::ranges::transform(rows.factors(r), side.factors.begin() + static_cast<std::ptrdiff_t>(number * side.width),
                             [scale](float x) { return x * scale; });
      side.biases[number] = static_cast<double>(rows.bias(r)) * trained.deviation;
    }
  };
  const bool users_move = model.facts().number("users_move") != 0;
  Side& visitors = users_move ? trained.users : trained.items;
  Side& residents = users_move ? trained.items : trained.users;
  for (SliceId b = 0; b < model.cut().slices.size(); ++b) {
    const auto& keys = model.cut().slices[b];
    put(model.slice(b), keys.size(), visitors, [&](std::size_t r) { return keys[r]; });
  }
  const std::uint32_t shards = model.job().shards;
  for (ShardId s = 0; s < shards; ++s)
    put(model.shard(s), dealt_to(s, residents.size(), shards), residents,
        [&](std::size_t r) { return r * shards + s; });
  return trained;
}

// A row of the table is a row of factors with its bias.
TrainedModel read_als_model(const Model& model) {
  TrainedModel trained = without_rows(model, als_settings(model.job().options));
  const std::size_t rank = trained.settings.rank;
  read_tables(
      model, trained, [](const Side& side) { return side.size(); },
      [&](Side& side, Key key, std::span<const double> value, double unit) {
        for (std::size_t k = 0; k < std::min(rank, value.size()); ++k)
          side.factors[key * side.width + k] = static_cast<float>(value[k] * std::sqrt(unit));
        if (value.size() > rank) side.biases[key] = value[rank] * unit;
      });
  return trained;
}

// A row of the table is one factor of some neighbours.
TrainedModel read_ccd_model(const Model& model) {
  TrainedModel trained = without_rows(model, ccd_settings(model.job().options));
  read_tables(
      model, trained, [&](const Side& side) { return rows_of_factor(side.size()) * trained.settings.rank; },
      [&](Side& side, Key key, std::span<const double> value, double unit) {
        const std::size_t blocks = rows_of_factor(side.size()), first = key % blocks * kTogether;
        for (std::size_t row = first; row < std::min(first + value.size(), side.size()); ++row)
          side.factors[row * side.width + key / blocks] = static_cast<float>(value[row - first] * std::sqrt(unit));
      });
  return trained;
}

}  // namespace rota::mf
