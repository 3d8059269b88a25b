// coordinator/open_epochs.h -- epochs that were given out and are not recorded: what workers and schedulers have
// reported of them.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/records/records.h"
#include "core/wire/message.h"

namespace rota {

class OpenEpochs {
 public:
  OpenEpochs(std::uint32_t workers, std::uint32_t schedulers) : workers_(workers), schedulers_(schedulers) {}

  // The first epoch of this start of the job.
  void begin(Epoch first) { next_ = first; }
  void given_out(Epoch epoch) { done_.try_emplace(epoch); }
  // The epoch is over for a scheduler.
  void add(std::uint32_t scheduler, const EpochFigures& figures);
  // And for a worker.  False if no round of it is out, or if this worker has reported it before.
  bool add(std::uint32_t worker, const EpochDone& done);

  // The earliest that is not recorded, and whether it is over for all.
  Epoch next() const { return next_; }
  bool next_is_over() const;
  struct Over {
    EpochRecord record;     // times and figures
    bool ends_job = false;  // all schedulers say that it is the last
  };
  // Continues with the epoch after it.  REQUIRES next_is_over().
  Over take();

 private:
  struct Scheduled {
    std::uint32_t schedulers = 0;  // for which it is over
    std::vector<std::pair<std::string, double>> figures;
    std::optional<bool> converged, ends_job;
  };

  std::uint32_t workers_, schedulers_;
  Epoch next_ = 0;
  std::map<Epoch, std::map<std::uint32_t, EpochDone>> done_;  // by worker
  std::map<Epoch, Scheduled> scheduled_;
};

}  // namespace rota
