#include "coordinator/open_epochs.h"

#include "core/rounds/rules.h"

namespace rota {

namespace {

// Items, traffic and times of all workers.
void add_up(const std::map<std::uint32_t, EpochDone>& all, EpochRecord& record) {
  constexpr double kSecondsPerNs = 1e-9;
  double slowest = -1;
  for (const auto& [worker, done] : all) {
    const double compute = static_cast<double>(done.compute_ns) * kSecondsPerNs;
    const double wait = static_cast<double>(done.wait_ns) * kSecondsPerNs;
    record.items += done.items;
    record.bytes_sent += done.bytes_sent;
    record.slice_bytes += done.slice_bytes;
    record.exchange_bytes += done.exchange_bytes;
    record.workers.push_back({compute, wait, done.bytes_sent});
    if (compute > slowest) {
      slowest = compute;
      record.slowest = NodeId{Role::worker, worker}.name();
      record.waiting_share = compute + wait > 0 ? wait / (compute + wait) : 0;
    }
  }
}

}  // namespace

void OpenEpochs::add(std::uint32_t scheduler, const EpochFigures& figures) {
  const std::string prefix = schedulers_ > 1 ? NodeId{Role::scheduler, scheduler}.name() + "." : "";
  Scheduled& epoch = scheduled_[figures.epoch];
  ++epoch.schedulers;
  for (const Figure& figure : figures.figures) epoch.figures.emplace_back(prefix + figure.name, figure.value);
  merge_answers(epoch.converged, figures.converged);
  merge_answers(epoch.ends_job, figures.ends_job);
}

bool OpenEpochs::add(std::uint32_t worker, const EpochDone& done) {
  const auto epoch = done_.find(done.epoch);
  return epoch != done_.end() && epoch->second.emplace(worker, done).second;
}

bool OpenEpochs::next_is_over() const {
  const auto done = done_.find(next_);
  const auto scheduled = scheduled_.find(next_);
  return done != done_.end() && done->second.size() == workers_ && scheduled != scheduled_.end() &&
         scheduled->second.schedulers == schedulers_;
}

OpenEpochs::Over OpenEpochs::take() {
  Over over;
  EpochRecord& record = over.record;
  record.epoch = next_;
  add_up(done_.extract(next_).mapped(), record);
  Scheduled scheduled = std::move(scheduled_.extract(next_).mapped());
  record.figures = std::move(scheduled.figures);
  record.converged = scheduled.converged;
  over.ends_job = scheduled.ends_job == true;
  ++next_;
  return over;
}

}  // namespace rota
