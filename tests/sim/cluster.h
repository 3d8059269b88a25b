// tests/sim/cluster.h -- a whole cluster in one thread: the real nodes, hosts and links, over a network and a clock
// that a seed controls.  Equal seeds give equal runs, so a failing one replays.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "coordinator/plan.h"
#include "core/base/hash.h"
#include "core/base/status.h"
#include "core/runtime/credit.h"
#include "core/wire/pieces.h"
#include "tests/sim/exact_plugin.h"

namespace rota::sim {

// What the network and the machines do to messages and work.
struct Faults {
  double delay_most_ms = 0;  // of a message, and of the end of a piece of work
  double break_share = 0;    // of messages at which their connection breaks: they and all after them on it are lost
  double repeat_share = 0;   // delivered twice
  double flip_share = 0;     // one byte of it is changed
  double kill_share = 0;     // chance, at every event, that all processes are killed and the run is resumed
  int kills_most = 0;
  // Chance, at every event, that one process is killed, and restarted after up to `restart_most`; or that it hangs
  // for up to `pause_most`.  The others do not wait forever for a process that does not come back.
  double loss_share = 0, pause_share = 0;
  int losses_most = 0, pauses_most = 0;
  // Chance, at every piece of work, that it never ends; and at every event, that no message passes from one
  // process to another, or both ways, for up to `cut_most`.
  double hang_share = 0, cut_share = 0;
  int hangs_most = 0, cuts_most = 0;
  // Chance, at every event, that a worker joins, an additional one or a spare; and that one is signalled to end.
  double join_share = 0, leave_share = 0;
  int joins_most = 0, leaves_most = 0;
  // Chance, when a process or all of them are killed, that a disk of its own is lost too.
  double disk_loss_share = 0;
  // Share of the kills that are power cuts: of their machine, or of all (unsynced data is lost); chance of one during
  // work on files; the time of a sync; chance that a disk is full.  A run that ends for that is resumed.
  double power_share = 0, power_at_work_share = 0, full_disk_share = 0;
  Nanoseconds sync_most = 0;
  int full_disks_most = 0;
  // Two of them in a row are shorter than the rejoin timeout.
  Nanoseconds cut_most = 50 * kSecond;
  // Share of the lost processes that continue, after a pause, beside their replacements; of the messages that are
  // delivered again up to `echo_most` later, regardless of their connection and sender; and of those that find the
  // transport full.
  double zombie_share = 0, echo_share = 0, full_share = 0;
  Nanoseconds zombie_most = 60 * kSecond, echo_most = 60 * kSecond;
  Nanoseconds restart_most = 5 * kSecond, pause_most = 40 * kSecond;
};

struct Shape {
  std::uint64_t seed = 1;
  RunPlan plan;
  const Plugin* plugin = &exact_plugin();
  bool heavy = false;                         // of exact_plugin
  std::uint32_t pipeline = 1, staleness = 0;  // of open_plugin
  bool asynchronous = false;
  Credit credit;
  std::uint32_t slices_per_shard = 2;
  Nanoseconds peer_timeout = 600 * kSecond;                 // of members
  std::size_t piece_bytes = kPieceBytes;                    // larger messages are sent in pieces
  std::map<std::string, std::string, std::less<>> options;  // beyond the plugin's defaults
  std::vector<std::string> input;
  double own_disk_share = 0;  // of the processes with a disk that the coordinator does not see
};

struct Outcome {
  ExitCode code = ExitCode::failed;
  std::string what;  // a broken law of the simulation comes first
  Hash128 model_hash, state_hash;
  Epoch epoch = 0;  // of the model
  std::uint64_t events = 0, lost = 0, repeated = 0, flipped = 0, kills = 0, pieces = 0, losses = 0, pauses = 0,
                hangs = 0, cuts = 0, joins = 0, leaves = 0, moves = 0, zombies = 0, zombie_messages = 0, echoes = 0,
                full = 0, copied = 0, fetched_back = 0, disks_lost = 0, power_cuts = 0, unsynced_lost = 0,
                full_disks = 0;
  std::uint64_t rollbacks = 0;  // of processes, to a checkpoint or to the beginning
};

// The job of such a cluster, with the plugin's defaults for what `shape` leaves open.
Job job_of(const Shape& shape);

// Runs until the coordinator ends, or gives up after a bounded number of events.
Outcome simulate(const Shape& shape, const Faults& faults, std::uint64_t seed, bool trace);

}  // namespace rota::sim
