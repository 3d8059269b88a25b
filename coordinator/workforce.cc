#include "coordinator/workforce.h"

#include <iterator>
#include <numeric>

namespace rota {

Workforce::Workforce(const RunPlan& plan)
    : shards_(plan.shards), min_workers_(plan.min_workers), moves_(plan.on_loss == OnLoss::move) {
  order_.resize(plan.workers);
  std::iota(order_.begin(), order_.end(), 0U);
}

// One that comes back when another has taken its place is a spare, so that the job has as many as it was to have.
void Workforce::join(std::uint32_t worker, Joins how) {
  leaving_.erase(worker);
  staying_.erase(worker);
  if (awaits(worker)) return;
  const bool was_replaced = replaced_.erase(worker) > 0;
  spares_.insert(worker);
  if (too_few() || (how != Joins::as_spare && !was_replaced)) add(worker);
  for (const std::uint32_t other : std::exchange(staying_, {}))
    if (!leave(other)) staying_.insert(other);
}

bool Workforce::leave(std::uint32_t worker) {
  if (!awaits(worker)) {
    spares_.erase(worker);
    return true;
  }
  if (order_.size() + spares_.size() < 2) return false;
  leaving_.insert(worker);
  replace(worker);
  replaced_.erase(worker);
  return true;
}

bool Workforce::lose(std::uint32_t worker) {
  staying_.erase(worker);
  if (spares_.erase(worker) > 0 || leaving_.erase(worker) > 0 || !awaits(worker)) return true;
  speeds_.erase(worker);
  const bool never_hosted = hosts_.of(worker).size() == 0;
  if (!never_hosted && spares_.empty() && !moves_) return false;
  if (never_hosted && spares_.empty())
    std::erase(order_, worker);
  else
    replace(worker);
  if (order_.empty()) cancel_leaving();
  return true;
}

// No other worker can take their shards.  Those that hosted none went at once.
void Workforce::cancel_leaving() {
  std::copy_if(leaving_.begin(), leaving_.end(), std::back_inserter(order_),
               [this](std::uint32_t worker) { return hosts_.of(worker).size() > 0; });
  staying_.insert(order_.begin(), order_.end());
  for (const std::uint32_t worker : order_) leaving_.erase(worker);
}

void Workforce::replace(std::uint32_t worker) {
  const auto place = std::ranges::find(order_, worker);
  if (place == order_.end()) return;
  if (spares_.empty()) {
    order_.erase(place);
  } else {
    *place = spares_.extract(spares_.begin()).value();
    replaced_.insert(worker);
  }
}

// Among the others where those gain least.
void Workforce::add(std::uint32_t worker) {
  if (order_.size() >= shards_) return;
  std::vector<std::uint32_t> best;
  std::uint32_t least = 0;
  for (std::size_t place = 0; place <= order_.size(); ++place) {
    std::vector<std::uint32_t> order = order_;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), worker);
    const std::uint32_t gain = newly_read(order);
    if (!best.empty() && gain >= least) continue;
    least = gain;
    best = std::move(order);
  }
  order_ = std::move(best);
  spares_.erase(worker);
}

// Shards that workers which host some now would have to read.
std::uint32_t Workforce::newly_read(const std::vector<std::uint32_t>& order) const {
  const ShardHosts then = ShardHosts::even(order, shards_);
  std::uint32_t count = 0;
  for (const std::uint32_t worker : order) {
    const auto now = hosts_.of(worker), later = then.of(worker);
    if (now.size() == 0) continue;
    const ShardId first = std::max(now.first, later.first), end = std::min(now.end, later.end);
    count += later.size() - (first < end ? end - first : 0);
  }
  return count;
}

ShardHosts Workforce::next() const {
  if (speeds_.empty()) return ShardHosts::even(order_, shards_);
  std::vector<double> weights;
  double sum = 0;
  for (const auto& [worker, speed] : speeds_) sum += speed;
  const double usual = sum / static_cast<double>(speeds_.size());  // of those that were not measured
  for (const std::uint32_t worker : order_) {
    const auto measured = speeds_.find(worker);
    weights.push_back(measured == speeds_.end() ? usual : measured->second);
  }
  return ShardHosts::weighted(order_, weights, shards_);
}

namespace {

Balance::Speeds speeds_of(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  Balance::Speeds speeds;
  for (const auto& [worker, took] : seconds) speeds[worker] = hosts.of(worker).size() / took;
  return speeds;
}

// How long the slowest computes.
double longest(const ShardHosts& hosts, const Balance::Speeds& speeds) {
  double most = 0;
  for (const auto& [worker, speed] : speeds) most = std::max(most, hosts.of(worker).size() / speed);
  return most;
}

ShardHosts shared_out(const ShardHosts& hosts, const Balance::Speeds& speeds) {
  const std::vector<std::uint32_t> workers = hosts.workers();
  std::vector<double> weights;
  for (const std::uint32_t worker : workers) weights.push_back(speeds.at(worker));
  return ShardHosts::weighted(workers, weights, hosts.ranges().back().end);
}

// Some worker holds the others up, and it need not be so.
bool is_slow(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  const Balance::Speeds speeds = speeds_of(seconds, hosts);
  return longest(hosts, speeds) >= Balance::kGain * longest(shared_out(hosts, speeds), speeds);
}

}  // namespace

std::optional<Balance::Speeds> Balance::add(const std::map<std::uint32_t, double>& seconds, const ShardHosts& hosts) {
  const bool whole =
      seconds.size() == hosts.size() && hosts.size() > 1 &&
      std::ranges::all_of(seconds, [&](const auto& one) { return one.second > 0 && hosts.of(one.first).size() > 0; });
  if (!whole) return std::nullopt;
  double slowest = 0;
  for (const auto& [worker, took] : seconds) slowest = std::max(slowest, span_[worker] += took);
  if (slowest < kSeconds) return std::nullopt;
  const auto span = std::exchange(span_, {});
  if (!is_slow(span, hosts)) {
    clear();  // as it should be
    return std::nullopt;
  }
  for (const auto& [worker, took] : span) all_[worker] += took;
  if (++spans_ < needed_) return std::nullopt;
  const auto all = std::exchange(all_, {});
  clear();
  if (!is_slow(all, hosts)) return std::nullopt;
  needed_ *= 2;
  return speeds_of(all, hosts);
}

}  // namespace rota
