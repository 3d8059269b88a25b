#include "apps/mf/alternating/push.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "apps/mf/app.h"
#include "apps/mf/ranking.h"
#include "apps/mf/sgd/factor_rows.h"
#include "rota/io/numbers.h"

namespace rota::mf {
namespace {

double square(double x) {
  return x * x;
}

}  // namespace

AlternatingPush::AlternatingPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardId shard,
                                 ShardRatings ratings)
    : settings_(settings),
      whole_(std::move(whole)),
      unit_(unit_of(settings, whole_->common->deviation)),
      form_(settings, 0, unit_ / penalty_scale(settings, whole_->common->deviation)) {
  const Common& all = *whole_->common;
  form_.base = (base_of(settings, all.mean, all.deviation) - all.origin) / unit_;
  for (const std::uint32_t side : {kUserSide, kItemSide}) rows_[side] = std::move(ratings.of[side]);
  const auto shards = static_cast<std::uint32_t>(all.cuts[kUserSide].size() - 1);
  held_out_ = RatingRows(ratings.held_out[kUserSide], kUserSide, all.numbers(kUserSide, shard, shards));
  held_out_.sort();
  for (RatingRows* const rows : {&rows_[kUserSide], &rows_[kItemSide], &held_out_})
    rows->multiply(static_cast<float>(1 / unit_));
}

void AlternatingPush::attach(const Shape& shape) {
  views_ = shape.views.data();
  speaks_for_all_ = shape.speaks_for_all;
}

void AlternatingPush::require_finite(std::uint32_t side, std::size_t row, std::span<const double> numbers) const {
  if (std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); })) return;
  throw std::runtime_error(std::string("the factors of ") + (side == kUserSide ? "user " : "item ") +
                           io::quoted(whole_->common->names[side][rows_[side].first + row]) +
                           " have overflowed: use a larger --lambda");
}

const double* AlternatingPush::gram_of(std::uint32_t side) const {
  const auto make = [&](LineVector<double>& out) { gram(factors(side), form_, out); };
  return whole_->made[side].of(views_[side].version(), make).data();
}

double AlternatingPush::all_squares(Factors users) const {
  const double* const gram = gram_of(kItemSide);
  const std::size_t width = form_.width();
  LineVector<double> own(width), product(width);
  double sum = 0;
  for (std::size_t i = 0; i < rows_[kUserSide].rows(); ++i) {
    widen(users, form_, rows_[kUserSide].first + i, own.data());
    double squares = 0;
    products(gram, width, width, own.data(), product.data());
    products(product.data(), 1, width, own.data(), &squares);
    sum += squares;
  }
  return sum;
}

void AlternatingPush::evaluate(Terms terms) const {
  const Factors users = factors(kUserSide), items = factors(kItemSide);
  double &sum = terms[Metrics::objective_of(settings_)], &penalties = terms["penalty"];
  predict(rows_[kUserSide], users, items, [&](double value, double prediction) {
    sum += settings_.implicit ? (1 + settings_.alpha * value) * square(1 - prediction) -
                                    square(prediction)  // that one is of all_squares()
                              : square(unit_ * (value - prediction));
  });
  if (settings_.implicit) sum += all_squares(users);
  for (const std::uint32_t side : {kUserSide, kItemSide})
    for (std::size_t i = 0; i < rows_[side].rows(); ++i) {
      const Factors row = factors(side).subspan((rows_[side].first + i) * form_.size, form_.size);
      double squares = 0;
      for (const double x : row.first(form_.rank)) squares += x * x;
      if (form_.biases()) squares += form_.bias_times * (row.back() * row.back());
      penalties += square(unit_) * (penalty(rows_[side].ratings(i)) * squares);
    }
  if (!settings_.held_out) return;
  const UnknownRatings unknown = speaks_for_all_ ? whole_->common->unknown : UnknownRatings();
  terms["valid_unknown"] += static_cast<double>(unknown.count);
  if (settings_.implicit) return rank_held_out(users, items, terms);
  double &squares = terms["valid_squared_errors"], &absolute = terms["valid_absolute_errors"];
  predict(held_out_, users, items, [&](double value, double prediction) {
    const double error = unit_ * (value - prediction);
    squares += square(error);
    absolute += std::abs(error);
  });
  squares += unknown.squared_errors;
  absolute += unknown.absolute_errors;
  terms["valid_ratings"] += static_cast<double>(held_out_.partners.size() + unknown.count);
}

// Factors are rounded to floats, as when a model is read: scores are those of `rota evaluate als --ranking`.
void AlternatingPush::rank_held_out(Factors users, Factors items, Terms terms) const {
  const RatingRows& rated = rows_[kUserSide];
  ValidRanking ranking;
  std::vector<std::uint32_t> numbers;  // of the items that each user rated, ascending
  const auto rated_by = [&](std::size_t i) { return std::span(numbers).subspan(rated.begins[i], rated.ratings(i)); };
  for (std::size_t i = 0; i < rated.rows(); ++i) {
    for (const Partner& one : rated.row(i)) numbers.push_back(one.number);
    std::ranges::sort(rated_by(i));
    for (const Partner& one : held_out_.row(i))
      if (!std::ranges::binary_search(rated_by(i), one.number)) ranking.add(static_cast<std::uint32_t>(i), one.number);
  }
  if (ranking.empty()) return;
  const std::size_t width = FactorRows::width_of(settings_.rank);
  const auto as_floats = [&](Factors all, std::size_t first, std::size_t count) {
    std::vector<float> out(count * width);
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t k = 0; k < form_.rank; ++k)
        out[i * width + k] = static_cast<float>(all[(first + i) * form_.size + k]);
    return out;
  };
  const std::size_t count = whole_->common->rows(kItemSide);
  const std::vector<float> own = as_floats(users, rated.first, rated.rows()), others = as_floats(items, 0, count);
  ranking.visit(
      {others.data(), width, std::vector<float>(count)},
      [&](std::uint32_t i) {
        return Asker{std::span(own).subspan(i * width, width), rated_by(i)};
      },
      [](std::uint32_t item) { return item; });
  ranking.finish(terms);
}

}  // namespace rota::mf
