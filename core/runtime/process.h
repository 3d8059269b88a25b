// core/runtime/process.h -- the loop that all mains share: wait, receive, let the host's nodes step, send.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/runtime/host.h"
#include "core/wire/transport.h"

namespace rota {

struct ProcessSettings {
  NodeId process;
  std::uint64_t job = 0;       // low half of the job options' hash
  std::string coordinator;     // its address, "ipc://PATH" or "tcp://HOST:PORT"
  std::string host;            // for tcp: the name or number by which others reach this machine; "": listening.h
  std::string bind;            // for tcp: where to listen; "": listening.h
  std::filesystem::path keys;  // folder of them, for tcp; "": none
  bool insecure = false;       // tcp without keys must be asked for
  unsigned threads = 1;        // that compute
  std::size_t message_bytes_max = std::size_t{64} << 20;  // on the wire: larger ones travel in pieces
  Nanoseconds peer_timeout = 30 * kSecond, start_timeout = 60 * kSecond;
  Joins joins = Joins::as_named;
  Nanoseconds rejoin_timeout = 0;  // for a coordinator that was lost; 0: it is not awaited
  std::optional<Hash128> plugin;   // of the file of the plugin that it has opened
};

// For a program's first line: takes what the system allows (core/base/process_limits.h), and from now on memory or a
// thread that is missing ends the process with 75, unless it is handled elsewhere.
Status begin_process();

// The coordinator's process: `listening` hears where it can be reached, once it can.  Returns what the process is to
// exit with.
Ending run_coordinator(const ProcessSettings& settings, std::unique_ptr<Node> node,
                       const std::function<Status(const std::string& address)>& listening);
// Any other: joins the coordinator, and then hosts what `factory` makes.
Ending run_member(const ProcessSettings& settings, const Hash128& job, Host::Factory factory);
// The loop itself, which both run over ZeroMQ: until the host has ended.
Ending run_process(const ProcessSettings& settings, Transport& transport, Host& host);

}  // namespace rota
