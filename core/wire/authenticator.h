// core/wire/authenticator.h -- authenticates incoming connections: ZeroMQ's authentication handler (ZAP, RFC 27) of one
// process, in a thread of its own.  It has the public keys of all roles, rejects all others, and reports the peer's
// role to the socket.
#pragma once
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "core/base/files.h"
#include "core/wire/keys.h"

namespace zmq {
class context_t;
class socket_t;
}  // namespace zmq

namespace rota {

class Authenticator {
 public:
  // For a socket that is not bound yet and lives longer.  Throws zmq::error_t.
  Authenticator(zmq::context_t& context, zmq::socket_t& listening, const Keys& keys);
  ~Authenticator();

  // How many connections were refused, and why the last one was.  Any thread.
  std::uint64_t rejected_connections() const { return rejected_connections_; }
  std::string last() const {
    const std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  void run(zmq::socket_t asked, zmq::socket_t monitor);
  void answer(zmq::socket_t& asked);
  void reject(const std::string& why);

  zmq::socket_t& listening_;
  std::map<std::string, Role> known_;  // by the 32 bytes of a key
  FileDescriptor end_;                 // an eventfd
  std::atomic<std::uint64_t> rejected_connections_{0};
  mutable std::mutex mutex_;
  std::string last_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace rota
