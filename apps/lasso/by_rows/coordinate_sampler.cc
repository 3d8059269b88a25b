#include "apps/lasso/by_rows/coordinate_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rota::lasso {
namespace {

// A part of the q-th coefficient in a block has q products: a block of all 256 has 32,640.
constexpr std::uint32_t kLargestBlock = 256;

}  // namespace

void CoordinateSampler::set_curvatures(std::vector<double> curvatures) {
  curvatures_ = std::move(curvatures);
  if (draws_) return;
  PrioritySchedule::Config config;
  config.table = kCoefficients;
  config.first = first();
  config.end = end();
  config.rounds = std::numeric_limits<std::uint32_t>::max();  // the fit controller ends epochs
  config.staleness = staleness_;
  config.pipeline = pipeline_;
  config.uniform_share = settings_.order == Order::priority ? settings_.uniform_share : 1;
  config.in_turn = settings_.order == Order::round_robin;
  config.on_conflict = settings_.conflicts == Conflicts::ignore ? OnConflict::ignore
                       : settings_.conflicts == Conflicts::drop ? OnConflict::drop
                       : interference_ == nullptr               ? OnConflict::together
                                                                : OnConflict::group;
  config.largest_block = kLargestBlock;
  draws_ = std::make_unique<PrioritySchedule>(config, std::move(interference_));
}

void CoordinateSampler::draw(Round& round, Random& random) {
  const Round drawn = draws_->next(random);
  if (settings_.intercept && !drawn.shared.empty()) {
    round.shared.push_back(kIntercept);
    if (!drawn.blocks.empty()) round.blocks.push_back(1);
  }
  round.shared.insert(round.shared.end(), drawn.shared.begin(), drawn.shared.end());
  round.blocks.insert(round.blocks.end(), drawn.blocks.begin(), drawn.blocks.end());
}

void CoordinateSampler::feedback(const Commit& commit) {
  std::vector<Delta> deltas(commit.deltas.begin(), commit.deltas.end());
  std::erase_if(deltas, [](const Delta& delta) { return delta.key == kIntercept; });
  std::vector<double> changes;
  for (const Delta& delta : deltas)
    changes.push_back(delta.change[0] * std::sqrt(curvatures_[delta.key]) / largest_gain_);
  for (std::size_t i = 0; i < deltas.size(); ++i) deltas[i].change = std::span(&changes[i], 1);
  draws_->feedback({commit.round, commit.table, deltas, commit.argument, commit.reply});
}

void CoordinateSampler::set_priorities(const RowsCertificate& look, std::uint32_t batch) {
  std::vector<double> squares(end() - first());
  for (std::size_t i = 0; i < look.columns.size(); ++i) {
    const Key key = look.columns[i];
    const auto gain = static_cast<double>(look.gains[i]);
    if (key >= first() && key < end()) squares[key - first()] = gain * gain;
  }
  if (look.largest_gain > 0) largest_gain_ = look.largest_gain;
  draws_->set_batch(batch);
  draws_->set_eta(settings_.eta);
  draws_->set_weights(squares);
}

void CoordinateSampler::save(Writer& out) const {
  out.put_all(std::span<const double>(curvatures_));
  out.put(largest_gain_);
  draws_->save(out);
}

void CoordinateSampler::restore(Reader& in, std::uint32_t batch) {
  set_curvatures(in.get_all<double>());
  largest_gain_ = in.get<double>();
  draws_->restore(in);
  draws_->set_batch(batch);
}

}  // namespace rota::lasso
