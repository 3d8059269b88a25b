// core/runtime/compute.h -- the threads that do a process' long work: some for what computes, and one for files.
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/runtime/node.h"

namespace rota {

class Compute {
 public:
  // `woken` is called from a compute thread when an end waits to be taken; `chained`, if there is one, in its place
  // when the end is one that this thread may handle.
  Compute(unsigned threads, std::function<void()> woken, std::function<void()> chained = nullptr);
  ~Compute();  // waits for what runs; what was not begun is dropped

  void start(Outbox::Started started);

  // Waits at most this long for what runs, and begins nothing more.  False if something still runs.
  bool close(Nanoseconds most);

  struct Ended {
    NodeId node;
    Continuation continuation;
  };
  std::vector<Ended> take_ended();
  // Of these, those that any thread may handle.
  std::vector<Ended> take_chained() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(chained_ended_, {});
  }
  bool has_chained() {
    const std::scoped_lock lock(mutex_);
    return !chained_ended_.empty();
  }

 private:
  struct Pool;
  void run(Outbox::Started& started);

  std::function<void()> woken_, chained_;
  std::mutex mutex_;
  std::vector<Ended> ended_, chained_ended_;  // guarded by mutex_
  std::unique_ptr<Pool> files_, pool_;        // last: their threads use the others
};

}  // namespace rota
