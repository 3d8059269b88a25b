#include "apps/mf/sgd/push.h"

#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "apps/mf/app.h"
#include "rota/error.h"
#include "rota/numerics/portable_math.h"

namespace rota::mf {
namespace {

constexpr std::uint32_t kFirst = 8;  // factors of a row that have their own sum, and move first

// Without a base all ratings are at most about 16 deviations from 0 (base_of), and a penalty for each rating that is
// larger than all of them makes all factors vanish.  So does this one, and steps stay within the range of floats.
constexpr double kMostPenalty = 17;

}  // namespace

void order_cell(std::span<CellRating> ratings, std::size_t row_bytes) {
  constexpr std::size_t kTileBytes = std::size_t{1} << 18;
  const auto rows = static_cast<std::uint32_t>(std::max<std::size_t>(1, kTileBytes / row_bytes));
  std::ranges::stable_sort(ratings, {}, [&](const CellRating& one) {
    return std::make_tuple(one.visiting / rows, one.resident, one.visiting);
  });
  for (std::size_t begin = 0, end = 0; begin < ratings.size(); begin = end) {
    while (end < ratings.size() && ratings[end].visiting / rows == ratings[begin].visiting / rows) ++end;
    const std::vector<CellRating> tile(&ratings[begin], &ratings[begin] + (end - begin));
    const std::size_t half = (tile.size() + 1) / 2;
    for (std::size_t i = 0; i < tile.size(); ++i) ratings[begin + i] = tile[i % 2 * half + i / 2];
  }
}

MfPush::MfPush(const SgdSettings& settings, std::shared_ptr<const Common> common, std::uint32_t residing, ShardId shard,
               std::uint32_t shards, ShardRatings ratings)
    : settings_(settings),
      common_(std::move(common)),
      residing_(residing),
      visiting_(kItemSide - residing),
      shard_(shard),
      shards_(shards),
      ratings_(std::move(ratings.of[residing])),
      held_out_(std::move(ratings.held_out[residing])),
      count_(ratings_.partners.size()),
      residents_(0, settings.rank, settings.biases) {}

void MfPush::census(Census& weight) const {
  weight.resize(std::max<std::size_t>(weight.size(), common_->rows(visiting_)));
  for (const Partner& one : ratings_.partners) ++weight[one.number];
}

// In the units of the factors lambda / deviation, because the error is that of rating / deviation; in the units of a
// bias lambda.
Penalty MfPush::step_penalty(std::uint32_t ratings) const {
  const double times = settings_.by_rating ? 1 : std::max(1U, ratings);
  const double scale = penalty_scale(settings_, common_->deviation);
  return {static_cast<float>(std::min(kMostPenalty, settings_.penalty() * scale / common_->deviation / times)),
          static_cast<float>(settings_.penalty() / times)};
}

void MfPush::attach(const Shape& shape) {
  residents_ = FactorRows(dealt_to(shard_, common_->rows(residing_), shards_), settings_.rank, settings_.biases);
  for (std::size_t r = 0; r < residents_.rows() && !settings_.by_rating; ++r)
    penalties_.push_back(step_penalty(common_->counts[residing_][r * shards_ + shard_]));
  struct Place {
    Visited* slice;
    std::uint32_t row;
  };
  std::vector<Place> place(common_->rows(visiting_));
  slices_.resize(shape.cut.slices.size());
  for (SliceId b = 0; b < slices_.size(); ++b)
    for (std::uint32_t row = 0; row < shape.cut.slices[b].size(); ++row) {
      const Key key = shape.cut.slices[b][row];
      place[key] = {&slices_[b], row};
      if (!settings_.by_rating) slices_[b].penalties.push_back(step_penalty(common_->counts[visiting_][key]));
    }
  const double base = base_of(settings_, common_->mean, common_->deviation) - common_->origin;
  const auto in_cell = [&](std::size_t resident, std::uint32_t visiting, float rating) {
    const double value = (static_cast<double>(rating) - base) / common_->deviation;
    return CellRating{static_cast<std::uint32_t>(resident), place[visiting].row, static_cast<float>(value)};
  };
  std::vector<std::size_t> sizes(slices_.size());
  for (const Partner& one : ratings_.partners)
    ++sizes[static_cast<std::size_t>(place[one.number].slice - slices_.data())];
  for (SliceId b = 0; b < slices_.size(); ++b) slices_[b].ratings.reserve(sizes[b]);
  for (std::size_t r = 0; r < ratings_.rows(); ++r)
    for (const Partner& one : ratings_.row(r))
      place[one.number].slice->ratings.push_back(in_cell(r, one.number, one.value));
  ratings_ = RatingRows();
  for (SliceId b = 0; b < slices_.size(); ++b) {
    order_cell(slices_[b].ratings, residents_.width() * sizeof(float));
    if (settings_.loss != Loss::bpr) continue;
    slices_[b].rated = RatedRows(slices_[b].ratings, static_cast<std::uint32_t>(shape.cut.slices[b].size()));
    if (settings_.held_out) slices_[b].keys = shape.cut.slices[b];
  }
  std::ranges::sort(held_out_, {}, &Rating::of);
  for (const Rating& one : held_out_) {
    const auto [slice, row] = place[one.of[visiting_]];
    const std::uint32_t resident = one.of[residing_] / shards_;
    if (settings_.loss != Loss::bpr)
      slice->held_out.push_back(in_cell(resident, one.of[visiting_], one.value));
    else if (!std::ranges::binary_search(slice->rated.of(resident), row))
      ranking_.add(resident, one.of[visiting_]);
  }
  speaks_for_all_ = shape.speaks_for_all;
  held_out_ = std::vector<Rating>();  // not {}, which would keep the memory
}

Cell MfPush::cell_of(const SliceTask& task, FactorRows& visitors) {
  const Visited& slice = slices_[task.slice];
  const Penalty penalty = step_penalty(1);
  Cell cell{};
  cell.ratings = slice.ratings.data();
  cell.count = slice.ratings.size();
  cell.resident = residents_.pointers(penalty, settings_.by_rating ? nullptr : penalties_.data());
  cell.visiting = visitors.pointers(penalty, settings_.by_rating ? nullptr : slice.penalties.data());
  cell.chunks = residents_.chunks();
  cell.rate = static_cast<float>(std::min(settings_.rate, 1 / static_cast<double>(penalty.factors)));
  cell.first_share = 1.0F / static_cast<float>(std::min(kFirst, settings_.rank));
  cell.others_share = settings_.rank > kFirst ? 1.0F / static_cast<float>(settings_.rank - kFirst) : 0;
  cell.first_only = task.epoch == 1;
  cell.nonnegative = settings_.nonnegative;
  cell.biases = settings_.biases;
  cell.careful_square = cell.biases && cell.rate * penalty.bias > 1 ? -1 : kLargeSquare;
  cell.logistic = settings_.loss == Loss::logistic;
  return cell;
}

std::uint64_t MfPush::push(const SliceTask& task, FactorRows& visitors, Random& random) {
  if (task.epoch != epoch_) {
    epoch_ = task.epoch;
    losses_ = 0;
    pairs_.begin_epoch();
  }
  const Cell cell = cell_of(task, visitors);
  double losses = 0;
  std::size_t visited = cell.count;
  if (settings_.loss == Loss::bpr)
    losses = pairs_.visit(cell, slices_[task.slice].rated, random);
  else if (task.budget.limited())
    visited = run_for(task.budget, cell, slices_[task.slice].next, losses);
  else
    losses = run_cell(cell);
  losses_ += losses * common_->deviation * common_->deviation;
  if (!std::isfinite(losses_)) throw UsageError("the factors have overflowed: use a smaller --learning_rate");
  return visited;
}

std::size_t MfPush::run_for(const Budget& budget, Cell cell, std::size_t& next, double& losses) {
  constexpr std::size_t kAtOnce = 512;  // ratings between two checks of the clock
  const CellRating* const ratings = cell.ratings;
  const std::size_t all = cell.count;
  std::size_t visited = 0;
  while (visited < all && (visited == 0 || !budget.spent())) {
    cell.ratings = ratings + next;
    cell.count = std::min({kAtOnce, all - next, all - visited});
    losses += run_cell(cell);
    visited += cell.count;
    next = (next + cell.count) % all;
  }
  // Ratings that were not visited are assumed to have the same mean loss as the others.
  if (visited > 0) losses *= static_cast<double>(all) / static_cast<double>(visited);
  return visited;
}

// Unknown users and items are scored with the mean, or are left out of a ranking.
void MfPush::evaluate(Terms terms) const {
  terms[Metrics::objective_of(settings_)] += losses_;
  if (!settings_.held_out) return;
  if (settings_.loss == Loss::bpr) ranking_.finish(terms);
  if (!speaks_for_all_) return;
  const UnknownRatings& unknown = common_->unknown;
  const auto count = static_cast<double>(unknown.count);
  terms["valid_unknown"] += count;
  if (settings_.loss == Loss::bpr) return;
  terms["valid_ratings"] += count;
  if (settings_.loss == Loss::logistic) {
    const double mean = common_->mean, zeros = count - unknown.sum;
    terms["valid_log_losses"] += -unknown.sum * logarithm(mean) - zeros * logarithm(1 - mean);
    terms["valid_right"] += mean > 0.5 ? unknown.sum : zeros;
  } else {
    terms["valid_squared_errors"] += unknown.squared_errors;
    terms["valid_absolute_errors"] += unknown.absolute_errors;
  }
}

// In the units of the ratings, like `rota evaluate mf`.
void MfPush::evaluate_visit(SliceId slice, const FactorRows& visitors, Terms terms) const {
  if (settings_.loss == Loss::bpr) {
    if (visitors.rows() == 0) return;
    ItemRows items{visitors.factors(0).data(), visitors.width(), {}};
    for (std::size_t i = 0; i < visitors.rows(); ++i) items.biases.push_back(visitors.bias(i));
    const auto asker_of = [&](std::uint32_t user) {
      return Asker{{residents_.factors(user).data(), items.width}, slices_[slice].rated.of(user)};
    };
    return ranking_.visit(items, asker_of, [&](std::size_t i) { return slices_[slice].keys[i]; });
  }
  const bool logistic = settings_.loss == Loss::logistic;
  double& losses = terms[logistic ? "valid_log_losses" : "valid_squared_errors"];
  double& others = terms[logistic ? "valid_right" : "valid_absolute_errors"];
  for (const CellRating& one : slices_[slice].held_out) {
    double score =
        static_cast<double>(residents_.bias(one.resident)) + static_cast<double>(visitors.bias(one.visiting));
    const std::span<const float> p = residents_.factors(one.resident), q = visitors.factors(one.visiting);
    for (std::size_t k = 0; k < p.size(); ++k) score += static_cast<double>(p[k]) * static_cast<double>(q[k]);
    const double error = (static_cast<double>(one.value) - score) * common_->deviation;
    const bool wanted = one.value > 0;
    losses += logistic ? log_loss_of(wanted ? score : -score) : error * error;
    others += !logistic ? std::abs(error) : wanted == (score > 0) ? 1 : 0;
  }
  terms["valid_ratings"] += static_cast<double>(slices_[slice].held_out.size());
}

void MfPush::state(Archive& list) {
  list(residents_);
  if (list.reads())
    epoch_ = list.reader()->get_bounded<Epoch>(std::numeric_limits<Epoch>::max());
  else
    list.writer()->put_varint(epoch_);
  list(losses_);
}

}  // namespace rota::mf
