// core/wire/ring_peers.h -- the rings (shared_ring.h) between this process and others of its machine.
//
// A process listens on a socket beside its ipc address.  Another that has messages for it connects there, and passes
// the memory of a new ring and its own doorbell, an eventfd.  The answer has the listener's doorbell, and memory in
// which it says whether it sleeps: only then it is woken.  The connection stays as long as the ring is used, and its
// end says that the other process has ended.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/base/files.h"
#include "core/wire/node_id.h"
#include "core/wire/shared_ring.h"
#include "core/wire/transport.h"

namespace rota {

// One thread uses it.
class RingPeers {
 public:
  // Listens beside the socket file `path`.  `doorbell`, an eventfd that wakes this process, outlives it.  Messages of
  // more bytes are refused.
  static Result<std::unique_ptr<RingPeers>> listen(const std::string& path, const FileDescriptor& doorbell,
                                                   std::size_t message_bytes_max);
  RingPeers(const RingPeers&) = delete;
  RingPeers& operator=(const RingPeers&) = delete;
  ~RingPeers();

  enum class Sent {
    yes,
    not_now,  // resume() says when
    no_ring,  // there is no such socket: the process has not begun, or is of another version; or no memory for a ring
  };
  // To the process whose socket file is `path`, which flush() wakes.
  Sent send(NodeId peer, const std::string& path, const Frames& frames);
  void forget(NodeId peer);
  // Wakes those that sleep and have something to read: once for several messages, as a wake-up takes about 10 us.
  void flush();
  // The next whole message, of the processes in turn.
  std::optional<Frames> receive();

  // Whether there is something to read.
  bool ready() const;
  // Whether a message waits for space in a ring, or for the ring.
  bool refuses() const;
  // Before this process sleeps; false if there is something to read.  While it sleeps, others ring its doorbell.
  bool begin_sleep();
  void end_sleep() { awake()->store(0, std::memory_order_relaxed); }
  // Readable when something has happened to a connection: handle_connections() then handles it.
  int descriptor() const { return watched_.get(); }
  void handle_connections(Transport::Events& events);
  // Writes what had no space.
  void resume(Transport::Events& events);

 private:
  struct Outgoing {
    std::string path;
    FileDescriptor socket;
    RingWriter ring;
    FileDescriptor doorbell = {};
    SharedMemory sleeps = {};  // of the other process; none before it has answered
    bool refused = false;      // it was told "not now"
    bool unseen = false;       // there is something in the ring that it may sleep over
  };
  struct Incoming {
    FileDescriptor socket;
    std::unique_ptr<RingReader> ring = {};  // none before it was passed
    FileDescriptor doorbell = {};
    bool closed = false;  // what is in the ring is still read
  };

  RingPeers(std::string path, const FileDescriptor& doorbell, std::size_t message_bytes_max)
      : path_(std::move(path)), doorbell_(doorbell), message_bytes_max_(message_bytes_max) {}
  Status open();
  std::atomic<std::uint32_t>* awake() const { return reinterpret_cast<std::atomic<std::uint32_t>*>(sleeps_.data()); }
  Status watch(const FileDescriptor& descriptor);
  Sent connect(NodeId peer, const std::string& path);
  static void push(Outgoing& to);
  static void wake(Outgoing& to);
  void accept();
  void read_connection(std::map<int, Incoming>::iterator from);
  void read_connection(NodeId peer, Transport::Events& events);

  const std::string path_;
  const FileDescriptor& doorbell_;
  const std::size_t message_bytes_max_;
  SharedMemory sleeps_;  // whether this process sleeps: 1
  FileDescriptor listening_, watched_;
  std::map<NodeId, Outgoing> outgoing_;
  std::map<int, NodeId> peer_of_;     // by the socket's number
  std::map<int, Incoming> incoming_;  // by the socket's number
  int last_served_ = -1;
  // There was none for a ring (`ulimit -f` limits it too).  No more are tried, as messages must keep their order.
  bool no_memory_ = false;
};

}  // namespace rota
