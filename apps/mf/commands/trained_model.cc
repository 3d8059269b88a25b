#include "apps/mf/commands/trained_model.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "apps/mf/als/settings.h"
#include "apps/mf/ccd/settings.h"
#include "apps/mf/sgd/factor_rows.h"
#include "apps/mf/sgd/settings.h"
#include "rota/error.h"

namespace rota::mf {
namespace {

[[noreturn]] void refuse(const char* why) {
  throw DataError("the model", 0, why);
}

// Of the app mf.  Visitors are in the slices, residents in the shards, in the order of sgd/push.h.
void read_slices(const Model& model, TrainedModel& trained) {
  const auto put = [&](const Bytes& bytes, std::size_t count, Side& side, auto number_of) {
    FactorRows rows(count, trained.settings.rank, trained.settings.biases);
    Reader in(bytes.view());
    rows.decode(in);
    if (!in.ok()) refuse("factors are damaged");
    // Learned rows are for ratings in units of their deviation.
    const auto scale = static_cast<float>(std::sqrt(trained.deviation));
    for (std::size_t r = 0; r < count; ++r) {
      const std::size_t number = number_of(r);
      if (number >= side.size()) refuse("has more rows than names");
      std::ranges::transform(rows.factors(r), &side.factors[number * side.width], [&](float x) { return x * scale; });
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
}

// Of the apps als and ccd.  A row of a table of als is a row of factors with its bias, one of ccd is one factor of some
// neighbours.
void read_tables(const Model& model, TrainedModel& trained, bool by_factor) {
  const double unit = unit_of(trained.settings, trained.deviation);
  const std::size_t rank = trained.settings.rank;
  for (const TableId table : {kUserSide, kItemSide}) {
    Side& side = table == kUserSide ? trained.users : trained.items;
    const std::size_t blocks = rows_of_factor(side.size());
    model.for_each_row(table, [&](Key key, std::span<const double> value) {
      if (key >= (by_factor ? blocks * rank : side.size())) refuse("has more rows than names");
      for (std::size_t i = 0; i < value.size(); ++i) {
        const std::size_t row = by_factor ? key % blocks * kTogether + i : key, k = by_factor ? key / blocks : i;
        if (k < rank && row < side.size())
          side.factors[row * side.width + k] = static_cast<float>(value[i] * std::sqrt(unit));
        else if (row < side.size())
          side.biases[row] = value[i] * unit;
      }
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

TrainedModel read_model(const Model& model) {
  const Options& options = model.job().options;
  // Each app has an option that the others have not.
  const bool als = options.all().contains("row_solver"), ccd = options.all().contains("inner");
  TrainedModel trained;
  trained.settings = als ? als_settings(options) : ccd ? ccd_settings(options) : Settings(sgd_settings(options));
  const Settings& settings = trained.settings;
  trained.ratings = model.facts().count("ratings");
  trained.epoch = model.epoch();
  trained.mean_rating = model.facts().number("mean");
  trained.deviation = model.facts().number("deviation");
  if (settings.loss == Loss::logistic) trained.mean = std::log(trained.mean_rating / (1 - trained.mean_rating));
  if (settings.kind() == RatingKind::ratings) trained.mean = trained.mean_rating;
  trained.base = base_of(settings, trained.mean_rating, trained.deviation);
  trained.penalty_scale = penalty_scale(settings, trained.deviation);
  const Bytes common = model.common();
  Reader in(common.view());
  std::array<std::vector<std::string>, 2> names;
  Archive list(in);
  list(names);
  if (!in.done()) refuse("the names of users and items are damaged");
  for (const std::uint32_t side : {kUserSide, kItemSide}) {
    Side& its = side == kUserSide ? trained.users : trained.items;
    for (const std::string& name : names[side]) its.names.number_of(name);
    its.width = FactorRows::width_of(settings.rank);
    its.biases.resize(its.names.size());
    its.factors.resize(its.names.size() * its.width);
  }
  if (als || ccd)
    read_tables(model, trained, ccd);
  else
    read_slices(model, trained);
  return trained;
}

unsigned RankingOptions::thread_count() const {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const io::EntryForm& form) {
  ItemLists out;
  out.of_user.resize(model.users.size());
  const auto kind = model.settings.implicit ? RatingKind::counts : RatingKind::pairs;
  for_each_rating(files, form, kind, [&](const io::EntryReader&, const io::Entry& entry, double) {
    const auto user = model.users.names.find(entry.first), item = model.items.names.find(entry.second);
    ++out.lines;
    if (user && item)
      out.of_user[*user].push_back(*item);
    else
      ++out.unknown;
  });
  for (auto& items : out.of_user) {
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  return out;
}

ItemLists seen_items(const TrainedModel& model, const Job& job, const RankingOptions& options) {
  if (!options.seen.empty()) return items_of_users(model, {options.seen}, options.form);
  if (job.input.empty())
    throw NoInput("the training data was moved: name it by --seen, or for recommend give --include_seen");
  return items_of_users(model, job.input, model.settings.form);
}

}  // namespace rota::mf
