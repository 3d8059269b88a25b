#include "apps/mf/sgd/push.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "apps/mf/scoring/terms.h"
#include "apps/mf/sgd/cell_order.h"
#include "apps/mf/sgd/schedule.h"
#include "rota/error.h"
#include "rota/numerics/portable_math.h"

namespace rota::mf {
namespace {

constexpr std::uint32_t kFirst = 8;  // factors of a row that have their own sum, and move first

// Without a base all ratings are at most about 16 deviations from 0 (base_of), and a penalty for each rating that is
// larger than all of them makes all factors vanish.  So does this one, and steps stay within the range of floats.
constexpr double kMostPenalty = 17;

}  // namespace

MfPush::MfPush(const SgdSettings& settings, Sides sides, RatingRows ratings, RatingRows held_out)
    : settings_(settings),
      sides_(std::move(sides)),
      ratings_(std::move(ratings)),
      held_out_(std::move(held_out)),
      count_(ratings_.partners.size()),
      residents_(0, settings.rank, settings.biases),
      kernels_(kernels()) {}

void MfPush::facts(Facts& facts) const {
  report(*sides_.common, sides_.deviation, facts);
  facts.largest("users_move", sides_.residing == kItemSide ? 1 : 0);
}

void MfPush::census(Census& weight) const {
  weight.resize(std::max<std::size_t>(weight.size(), sides_.visitors().size()));
  for (const Partner& one : ratings_.partners) ++weight[one.number];
}

// In the units of the factors lambda / deviation, because the error is that of rating / deviation; in the units of a
// bias lambda.
Penalty MfPush::step_penalty(std::uint32_t ratings) const {
  const double times = settings_.by_rating ? 1 : std::max(1U, ratings);
  const double scale = penalty_scale(settings_, sides_.deviation);
  return {static_cast<float>(std::min(kMostPenalty, settings_.penalty() * scale / sides_.deviation / times)),
          static_cast<float>(settings_.penalty() / times)};
}

void MfPush::attach(const Shape& shape) {
  residents_ = FactorRows(ratings_.rows(), settings_.rank, settings_.biases);
  const auto slices = static_cast<SliceId>(shape.cut.slices.size());
  std::vector<std::pair<SliceId, std::uint32_t>> place(sides_.visitors().size());
  ranges_.assign(slices, {});
  for (SliceId b = 0; b < slices; ++b)
    for (std::uint32_t row = 0; row < shape.cut.slices[b].size(); ++row) {
      const Key key = shape.cut.slices[b][row];
      place[key] = {b, row};
      if (!settings_.by_rating) ranges_[b].penalties.push_back(step_penalty(sides_.visitors()[key]));
    }
  for (const Partner& one : ratings_.partners) ++ranges_[place[one.number].first].end;
  std::size_t begin = 0;
  for (CellRange& range : ranges_) {
    range.begin = begin;
    begin += std::exchange(range.end, begin);
  }
  cells_.resize(ratings_.partners.size());
  const RatingStatistics& all = sides_.common->statistics;
  const double base = base_of(settings_, all.mean, sides_.deviation) - all.origin;
  const auto for_each = [&](const RatingRows& rows, auto put) {
    for (std::uint32_t row = 0; row < rows.rows(); ++row)
      for (const Partner& one : rows.row(row)) {
        const auto [slice, visiting] = place[one.number];
        const double value = (static_cast<double>(one.value) - base) / sides_.deviation;
        put(slice, CellRating{row, visiting, static_cast<float>(value)});
      }
  };
  for_each(ratings_, [&](SliceId slice, const CellRating& one) { cells_[ranges_[slice].end++] = one; });
  scored_.resize(slices);
  if (settings_.loss == Loss::bpr) attach_pairs(shape.cut, place);
  for_each(held_out_, [&](SliceId slice, const CellRating& one) { scored_[slice].push_back(one); });
  speaks_for_all_ = shape.speaks_for_all;
  for (const CellRange& range : ranges_)
    order_cell(std::span(cells_).subspan(range.begin, range.end - range.begin), residents_.width() * sizeof(float));
  for (std::size_t r = 0; r < residents_.rows() && !settings_.by_rating; ++r)
    penalties_.push_back(step_penalty(sides_.residents()[ratings_.number(r)]));
  ratings_ = {};
  held_out_ = {};
}

void MfPush::attach_pairs(const Cut& cut, std::span<const std::pair<SliceId, std::uint32_t>> place) {
  for (SliceId b = 0; b < ranges_.size(); ++b)
    rated_.emplace_back(std::span(cells_).subspan(ranges_[b].begin, ranges_[b].end - ranges_[b].begin),
                        static_cast<std::uint32_t>(cut.slices[b].size()));
  if (settings_.held_out) keys_ = cut.slices;
  for (std::uint32_t resident = 0; resident < held_out_.rows(); ++resident) {
    std::vector<Partner> wanted(held_out_.row(resident).begin(), held_out_.row(resident).end());
    std::ranges::sort(wanted, {}, &Partner::number);
    for (const Partner& one : wanted) {
      const auto [slice, row] = place[one.number];
      if (!std::ranges::binary_search(rated_[slice].of(resident), row)) ranking_.add(resident, one.number);
    }
  }
  held_out_ = {};
}

void MfPush::start(Random& own, Random&) {
  residents_.start(own);
}

Cell MfPush::cell_of(const SliceTask& task, FactorRows& visitors) {
  const CellRange& range = ranges_[task.slice];
  const Penalty penalty = step_penalty(1);
  Cell cell{};
  cell.ratings = cells_.data() + range.begin;
  cell.count = range.end - range.begin;
  cell.resident = residents_.pointers(penalty, settings_.by_rating ? nullptr : penalties_.data());
  cell.visiting = visitors.pointers(penalty, settings_.by_rating ? nullptr : range.penalties.data());
  cell.chunks = residents_.chunks();
  cell.rate = static_cast<float>(std::min(task.argument[kRate], 1 / static_cast<double>(penalty.factors)));
  if (settings_.schedule == RateSchedule::adagrad) {
    cell.first_share = 1.0F / static_cast<float>(std::min(kFirst, settings_.rank));
    cell.others_share = settings_.rank > kFirst ? 1.0F / static_cast<float>(settings_.rank - kFirst) : 0;
  }
  cell.first_only = task.argument[kFirstOnly] != 0;
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
  const double spread = sides_.deviation;
  double losses = 0;
  std::size_t visited = cell.count;
  if (settings_.loss == Loss::bpr)
    losses = pairs_.visit(cell, rated_[task.slice], kernels_.run_pairs, random);
  else if (task.budget.limited())
    visited = run_for(task.budget, cell, ranges_[task.slice].next, losses);
  else
    losses = kernels_.run_cell(cell);
  losses_ += losses * spread * spread;
  if (!std::isfinite(losses_)) throw UsageError("the factors have overflowed: use a smaller --learning_rate");
  return visited;
}

std::size_t MfPush::run_for(const Budget& budget, Cell cell, std::size_t& next, double& losses) const {
  constexpr std::size_t kAtOnce = 512;  // ratings between two checks of the clock
  const CellRating* const ratings = cell.ratings;
  const std::size_t all = cell.count;
  std::size_t visited = 0;
  while (visited < all && (visited == 0 || !budget.spent())) {
    cell.ratings = ratings + next;
    cell.count = std::min({kAtOnce, all - next, all - visited});
    losses += kernels_.run_cell(cell);
    visited += cell.count;
    next = (next + cell.count) % all;
  }
  // Ratings that were not visited are assumed to have the same mean loss as the others.
  if (visited > 0) losses *= static_cast<double>(all) / static_cast<double>(visited);
  return visited;
}

// Unknown users and items are scored with the mean, or are left out of a ranking.
void MfPush::evaluate(Terms terms) const {
  terms[objective_of(settings_)] += losses_;
  if (!settings_.held_out) return;
  if (settings_.loss == Loss::bpr) ranking_.finish(terms);
  if (!speaks_for_all_) return;
  const UnknownRatings& unknown = sides_.common->unknown;
  const auto count = static_cast<double>(unknown.count);
  terms["valid_unknown"] += count;
  if (settings_.loss == Loss::bpr) return;
  terms["valid_ratings"] += count;
  if (settings_.loss == Loss::logistic) {
    const double mean = sides_.common->statistics.mean, zeros = count - unknown.sum;
    terms["valid_log_losses"] += -unknown.sum * logarithm(mean) - zeros * logarithm(1 - mean);
    terms["valid_right"] += mean > 0.5 ? unknown.sum : zeros;
  } else {
    terms["valid_squared_errors"] += unknown.squared_errors;
    terms["valid_absolute_errors"] += unknown.absolute_errors;
  }
}

// In the units of the ratings, like `rota evaluate mf`.
void MfPush::evaluate_visit(SliceId slice, const FactorRows& visitors, Terms terms) const {
  if (settings_.loss == Loss::bpr) return ranking_.visit(keys_[slice], visitors, residents_, rated_[slice]);
  const bool logistic = settings_.loss == Loss::logistic;
  double& losses = terms[logistic ? "valid_log_losses" : "valid_squared_errors"];
  double& others = terms[logistic ? "valid_right" : "valid_absolute_errors"];
  for (const CellRating& one : scored_[slice]) {
    double score =
        static_cast<double>(residents_.bias(one.resident)) + static_cast<double>(visitors.bias(one.visiting));
    const std::span<const float> p = residents_.factors(one.resident), q = visitors.factors(one.visiting);
    for (std::size_t k = 0; k < p.size(); ++k) score += static_cast<double>(p[k]) * static_cast<double>(q[k]);
    const double error = (static_cast<double>(one.value) - score) * sides_.deviation;
    const bool wanted = one.value > 0;
    losses += logistic ? log_loss_of(wanted ? score : -score) : error * error;
    others += !logistic ? std::abs(error) : wanted == (score > 0) ? 1 : 0;
  }
  terms["valid_ratings"] += static_cast<double>(scored_[slice].size());
}

void MfPush::save(Writer& out) const {
  residents_.encode(out);
  out.put_varint(epoch_);
  out.put(losses_);
}

void MfPush::restore(Reader& in) {
  residents_.decode(in);
  epoch_ = in.get_bounded<Epoch>(std::numeric_limits<Epoch>::max());
  losses_ = in.get<double>();
}

}  // namespace rota::mf
