#include "apps/mf/alternating/push.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <stdexcept>
#include <string>

#include "apps/mf/factor_rows.h"
#include "apps/mf/scoring/ranking.h"
#include "apps/mf/scoring/terms.h"
#include "rota/io/numbers.h"

namespace rota::mf {
namespace {

double square(double x) {
  return x * x;
}

}  // namespace

double unit_of(const Settings& settings, double deviation) {
  return settings.kind() == RatingKind::ratings ? power_of_256(deviation) : 1;
}

AlternatingPush::AlternatingPush(const Settings& settings, std::shared_ptr<WholeData> whole, ShardRatings ratings)
    : settings_(settings),
      whole_(std::move(whole)),
      ratings_(std::move(ratings)),
      unit_(unit_of(settings, whole_->common->statistics.deviation)),
      form_(settings, 0, unit_ / penalty_scale(settings, whole_->common->statistics.deviation)) {
  const RatingStatistics& all = whole_->common->statistics;
  form_.base = (base_of(settings, all.mean, all.deviation) - all.origin) / unit_;
  for (RatingRows* const rows : {&ratings_.of[kUserSide], &ratings_.of[kItemSide], &ratings_.held_out[kUserSide]})
    for (Partner& one : rows->partners) one.value *= static_cast<float>(1 / unit_);
}

void AlternatingPush::facts(Facts& facts) const {
  report(*whole_->common, whole_->common->statistics.deviation, facts);
}

void AlternatingPush::attach(const Shape& shape) {
  views_ = shape.views.data();
  speaks_for_all_ = shape.speaks_for_all;
}

void AlternatingPush::predict(const RatingRows& ratings, const Factors& own, const Factors& partners,
                              const std::function<void(std::span<const Partner>, std::span<const double>)>& f) const {
  constexpr std::size_t kBlock = 256;
  const std::size_t width = form_.width();
  LineVector<double> row(width), rows(kBlock * width);
  double apart[kBlock], predictions[kBlock];
  for (std::size_t i = 0; i < ratings.rows(); ++i) {
    widen(own, form_, ratings.first + i, row.data());
    std::span<const Partner> left = ratings.row(i);
    while (!left.empty()) {
      const auto some = left.first(std::min(kBlock, left.size()));
      left = left.subspan(some.size());
      gather_rows(partners, form_, some, rows.data(), apart);
      whole_->kernel.products(rows.data(), some.size(), width, row.data(), predictions);
      for (std::size_t j = 0; j < some.size(); ++j) predictions[j] += apart[j];
      f(some, std::span(predictions, some.size()));
    }
  }
}

void AlternatingPush::require_finite(std::uint32_t side, std::size_t row, std::span<const double> numbers) const {
  if (std::all_of(numbers.begin(), numbers.end(), [](double x) { return std::isfinite(x); })) return;
  const std::size_t number = ratings_.of[side].first + row;
  throw std::runtime_error(std::string("the factors of ") + (side == kUserSide ? "user " : "item ") +
                           io::quoted(whole_->common->names[side].word(number)) +
                           " have overflowed: use a larger --lambda");
}

void AlternatingPush::add_penalty(std::uint32_t side, double& sum) const {
  const std::span<const double> numbers = factors(side).numbers;
  const RatingRows& ratings = ratings_.of[side];
  for (std::size_t i = 0; i < ratings.rows(); ++i) {
    double squares = 0;
    const std::span<const double> row = numbers.subspan((ratings.first + i) * form_.size, form_.size);
    for (const double x : row.first(form_.rank)) squares += x * x;
    if (form_.biases()) squares += form_.bias_times * (row.back() * row.back());
    sum += square(unit_) * (penalty(ratings.ratings(i)) * squares);
  }
}

const double* AlternatingPush::gram_of(std::uint32_t side) const {
  const Factors all = factors(side);
  const auto make = [&](LineVector<double>& out) { gram(all, form_, whole_->kernel, out); };
  return whole_->made[side].of(all.version, make).data();
}

double AlternatingPush::all_squares(const Factors& users) const {
  const double* const gram = gram_of(kItemSide);
  const std::size_t width = form_.width();
  LineVector<double> own(width), product(width);
  double sum = 0;
  for (std::size_t i = 0; i < ratings_.of[kUserSide].rows(); ++i) {
    widen(users, form_, ratings_.of[kUserSide].first + i, own.data());
    double squares = 0;
    whole_->kernel.products(gram, width, width, own.data(), product.data());
    whole_->kernel.products(product.data(), 1, width, own.data(), &squares);
    sum += squares;
  }
  return sum;
}

void AlternatingPush::evaluate(Terms terms) const {
  const Factors users = factors(kUserSide), items = factors(kItemSide);
  double& sum = terms[objective_of(settings_)];
  predict(ratings_.of[kUserSide], users, items,
          [&](std::span<const Partner> ratings, std::span<const double> predictions) {
            for (std::size_t j = 0; j < ratings.size(); ++j) {
              const auto value = static_cast<double>(ratings[j].value);
              sum += settings_.implicit ? (1 + settings_.alpha * value) * square(1 - predictions[j]) -
                                              square(predictions[j])  // that one is of all_squares()
                                        : square(unit_ * (value - predictions[j]));
            }
          });
  if (settings_.implicit) sum += all_squares(users);
  for (const std::uint32_t side : {kUserSide, kItemSide}) add_penalty(side, terms["penalty"]);
  if (!settings_.held_out) return;
  if (settings_.implicit)
    rank_held_out(users, items, terms);
  else
    evaluate_held_out(users, items, terms);
  if (speaks_for_all_) terms["valid_unknown"] += static_cast<double>(whole_->common->unknown.count);
}

void AlternatingPush::evaluate_held_out(const Factors& users, const Factors& items, Terms terms) const {
  const RatingRows& held_out = ratings_.held_out[kUserSide];
  double &squares = terms["valid_squared_errors"], &absolute = terms["valid_absolute_errors"];
  predict(held_out, users, items, [&](std::span<const Partner> ratings, std::span<const double> predictions) {
    for (std::size_t j = 0; j < ratings.size(); ++j) {
      const double error = unit_ * (static_cast<double>(ratings[j].value) - predictions[j]);
      squares += square(error);
      absolute += std::abs(error);
    }
  });
  terms["valid_ratings"] += static_cast<double>(held_out.partners.size());
  if (!speaks_for_all_) return;
  const UnknownRatings& unknown = whole_->common->unknown;
  squares += unknown.squared_errors;
  absolute += unknown.absolute_errors;
  terms["valid_ratings"] += static_cast<double>(unknown.count);
}

// Factors are rounded to floats, as when a model is read: scores are those of `rota evaluate als --ranking`.
void AlternatingPush::rank_held_out(const Factors& users, const Factors& items, Terms terms) const {
  const std::size_t width = FactorRows(0, settings_.rank, false).width();
  const auto put = [&](const Factors& all, std::size_t row, std::vector<float>& to) {
    const std::span<const double> from = all.numbers.subspan(row * form_.size, form_.rank);
    to.insert(to.end(), from.begin(), from.end());
    to.resize((to.size() + width - 1) / width * width);
  };
  struct Ranked {
    std::vector<float> factors;
    std::vector<std::uint32_t> rated, wanted;
  };
  std::deque<Ranked> ranked;
  std::vector<Asker> askers;
  for (std::size_t i = 0; i < ratings_.of[kUserSide].rows(); ++i) {
    Ranked user;
    for (const Partner& one : ratings_.of[kUserSide].row(i)) user.rated.push_back(one.number);
    for (const Partner& one : ratings_.held_out[kUserSide].row(i))
      if (!std::ranges::binary_search(user.rated, one.number) &&
          (user.wanted.empty() || user.wanted.back() != one.number))
        user.wanted.push_back(one.number);
    if (user.wanted.empty()) continue;
    put(users, ratings_.of[kUserSide].first + i, user.factors);
    const Ranked& kept = ranked.emplace_back(std::move(user));
    askers.push_back({kept.factors, kept.rated});
  }
  std::vector<float> rows;
  if (!askers.empty())
    for (std::size_t i = 0; i < whole_->rows(kItemSide); ++i) put(items, i, rows);
  const ItemRows all{rows.data(), width, std::vector<float>(whole_->rows(kItemSide))};
  const auto best = top_items(all, askers, kValidTop, 1);
  for (std::size_t u = 0; u < best.size(); ++u) add_ranking(top_scores(best[u], ranked[u].wanted, kValidTop), terms);
}

}  // namespace rota::mf
