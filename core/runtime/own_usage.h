// core/runtime/own_usage.h -- what this process has used: processor time of ZeroMQ's threads, memory.
#pragma once
#include <vector>

#include "core/base/files.h"
#include "core/runtime/node.h"

namespace rota {

class OwnUsage {
 public:
  // ZeroMQ's threads are those that have begun.
  OwnUsage();
  // Any thread.  What the system does not tell is 0.
  Outbox::Usage read() const;

 private:
  std::vector<int> threads_;  // of ZeroMQ that carry messages
  FileDescriptor statm_;
};

std::uint64_t peak_memory();

}  // namespace rota
