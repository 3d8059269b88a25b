// coordinator/phase.h -- the phases of a run: README.md has what ends each, and events.jsonl their names.
#pragma once
#include "core/records/records.h"

namespace rota {

enum class Phase { gathering, loading, cutting, preparing, training, finishing, recovering, migrating, ended };

// Enters one that the run's events report.
inline void enter(Phase& phase, Phase next, Recorder& recorder) {
  static constexpr const char* kNames[] = {"gathering", "loading",    "cutting",   "preparing", "training",
                                           "finishing", "recovering", "migrating", "ended"};
  phase = next;
  recorder.event("phase", {{"phase", kNames[static_cast<int>(next)]}});
}

}  // namespace rota
