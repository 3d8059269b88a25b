#include "coordinator/open_epochs.h"

#include "core/rounds/rules.h"

namespace rota {

void OpenEpochs::add(std::uint32_t scheduler, const EpochFigures& figures) {
  const std::string prefix = schedulers_ > 1 ? NodeId{Role::scheduler, scheduler}.name() + "." : "";
  Scheduled& epoch = scheduled_[figures.epoch];
  ++epoch.schedulers;
  epoch.end_job += figures.ends_job ? 1 : 0;
  for (const Figure& figure : figures.figures) epoch.figures.emplace_back(prefix + figure.name, figure.value);
  merge_converged(epoch.converged, figures.converged);
}

bool OpenEpochs::add(std::uint32_t worker, const EpochDone& done) {
  const auto times = times_.find(done.epoch);
  return times != times_.end() && times->second.add(worker, done);
}

bool OpenEpochs::next_is_over() const {
  const auto times = times_.find(next_);
  const auto scheduled = scheduled_.find(next_);
  return times != times_.end() && times->second.complete() && scheduled != scheduled_.end() &&
         scheduled->second.schedulers == schedulers_;
}

OpenEpochs::Over OpenEpochs::take() {
  Over over;
  EpochRecord& record = over.record;
  record.epoch = next_;
  times_.at(next_).fill(record);
  times_.erase(next_);
  Scheduled scheduled = std::move(scheduled_.extract(next_).mapped());
  record.figures = std::move(scheduled.figures);
  record.converged = scheduled.converged;
  over.ends_job = scheduled.end_job == schedulers_;
  ++next_;
  return over;
}

}  // namespace rota
