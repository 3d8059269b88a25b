// cli/remote/reach.h -- whether a port of one machine can be reached from another.
#pragma once
#include <string>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/status.h"
#include "core/wire/address.h"

namespace rota {

// A port in which this process listens as long as this lives.  Connections are never accepted, but the system
// completes them.
class OpenPort {
 public:
  // At a number of this machine.  ExitCode::failed if it cannot listen there.
  static Result<OpenPort> at(const std::string& number);
  const TcpAddress& address() const { return address_; }

 private:
  FileDescriptor socket_;
  TcpAddress address_;
};

// Connects, within `most`.  ExitCode::temporary if that fails.
Status reach(const TcpAddress& address, Nanoseconds most);

}  // namespace rota
