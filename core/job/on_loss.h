// core/job/on_loss.h -- what the loss of a process leads to (--on_loss).
#pragma once

namespace rota {

enum class OnLoss {
  restart,  // it is awaited anew
  move,     // so are schedulers and stores; a worker's shards go to the other workers
  stop,     // the run ends
};

}  // namespace rota
