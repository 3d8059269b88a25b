// core/runtime/compute.h -- the threads that do a process' long work: some for what computes, and one for files.
#pragma once
#include <cstdint>
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

  // What the calling thread does next: something else; help(); or, as all compute threads do, work.  So it may take
  // what it starts, and no other need be woken.
  enum class Starter : std::uint8_t { waits, helps, works };
  // Together: threads that take some would compete for the lock with the one that adds the next.
  void start(std::vector<Outbox::Started> all, Starter starter = Starter::waits);
  // Until nothing waits, or until this time: does what waits for a compute thread and is not expected to take longer
  // than `most`.  What is left then is the threads'.  Whether there was any; `woken` is not called for its end.
  bool help(Nanoseconds most, Nanoseconds until);

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
  // Whether `woken` is to be called.
  bool run(Outbox::Started& started);

  std::function<void()> woken_, chained_;
  std::mutex mutex_;
  std::vector<Ended> ended_, chained_ended_;  // guarded by mutex_
  std::unique_ptr<Pool> files_, pool_;        // last: their threads use the others
};

}  // namespace rota
