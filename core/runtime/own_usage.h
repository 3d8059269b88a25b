// core/runtime/own_usage.h -- what this process has used: processor time of the threads that carry its messages,
// memory.
#pragma once
#include <vector>

#include "core/base/files.h"
#include "core/runtime/node.h"

namespace rota {

class OwnUsage {
 public:
  // The threads that carry messages are the one that calls this, and ZeroMQ's, which have begun.
  OwnUsage();
  // Any thread.  What the system does not tell is 0.
  Outbox::Usage read() const;

 private:
  std::vector<int> threads_;
  FileDescriptor statm_;
};

std::uint64_t peak_memory();

}  // namespace rota
