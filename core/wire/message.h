// core/wire/message.h -- one plain struct for each kind of message.  PROTOCOL.md lists senders, receivers and times;
// codec.cc lists the fields once, for both directions.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/base/hash.h"
#include "core/base/key_runs.h"
#include "core/base/option_value.h"
#include "core/base/status.h"
#include "core/base/tree.h"
#include "core/wire/node_id.h"
#include "rota/bytes.h"
#include "rota/facts.h"
#include "rota/job.h"
#include "rota/round.h"
#include "rota/schedule.h"
#include "rota/slices.h"
#include "rota/types.h"

namespace rota {

// Part of the format: never change or reuse a number.
enum class Kind : std::uint16_t {
  ack = 1,
  probe = 2,
  piece = 3,
  hello = 10,
  welcome = 11,
  refuse = 12,
  beat = 13,
  fault = 14,
  stop = 15,
  loaded = 20,
  facts = 21,
  cut = 22,
  ready = 23,
  start = 24,
  rounds = 30,
  tasks = 31,
  expect = 32,
  lease = 33,
  parts = 34,
  deltas = 35,
  epoch_over = 37,
  epoch_done = 38,
  feedback = 39,
  evaluate = 40,
  evaluated = 41,
  save = 42,
  put = 43,
  saved = 44,
  written = 45,
  stored = 46,
  fetch = 47,
  fetched = 48,
  scattered = 49,
  ask_status = 50,
  status = 51,
  read_ahead = 52,
  has_read = 53,
  ask_chunk = 60,
  chunk = 61,
};

// ---- the link itself (core/wire/link.h) ----

struct Ack {  // its sequence number is in the header
  static constexpr Kind kind = Kind::ack;
  std::uint64_t answers = 0;  // the probe that this answers, or 0
};

struct Probe {  // "have you all that I sent?"
  static constexpr Kind kind = Kind::probe;
  std::uint64_t number = 0;
};

// A run of bytes of one frame of a message that is too large to travel whole (core/wire/pieces.h).
struct Piece {
  static constexpr Kind kind = Kind::piece;
  Kind whole = Kind::lease;               // what the message is
  std::uint32_t frame = 0, frames = 1;    // which of the message's
  std::uint64_t at = 0, frame_bytes = 0;  // where in it, and how long it is
  Bytes bytes;
};

// ---- joining, living, ending ----

// What a process that joins is to be.
enum class Joins : std::uint8_t {
  as_named = 0,  // the process of its name, in place of one that may be there
  as_new = 1,    // a worker more: refused if one of its name is there
  as_spare = 2,  // also new; on standby until it can replace a lost worker
};
inline constexpr auto kLastJoins = Joins::as_spare;

struct Hello {
  static constexpr Kind kind = Kind::hello;
  std::string endpoint;  // where the sender listens
  std::string version;   // of Rota
  Hash128 job;           // of the job's options
  std::uint64_t incarnation = 0;
  std::uint64_t pid = 0;
  std::string host;
  Joins joins = Joins::as_named;
  std::optional<Hash128> plugin = {};  // of the file of the plugin that it has opened, if it has one
};

struct Peer {
  NodeId process;
  std::string endpoint;
  std::uint64_t incarnation = 0;  // its number in messages to other members
};

// A worker that hosts shards, from where those of the one before it end.
struct ShardRange {
  std::uint32_t worker = 0;
  ShardId end = 0;  // the first that it does not host

  friend bool operator==(const ShardRange&, const ShardRange&) = default;
};

struct Welcome {
  static constexpr Kind kind = Kind::welcome;
  std::vector<Peer> peers;              // all processes of the job
  std::vector<NodeId> partition_hosts;  // by partition
  std::vector<ShardRange> shard_hosts;  // ascending: core/rounds/shard_hosts.h
  std::optional<Epoch> resume;          // continue after this committed epoch
  std::uint64_t era = 0;                // of this start of the coordinator, one more each time: part of files' names
  std::vector<HashedFile> files;        // of the epoch to resume, by partition: in the run's folder of checkpoints
};

struct Refuse {
  static constexpr Kind kind = Kind::refuse;
  ExitCode code = ExitCode::failed;
  std::string what;
};

struct Beat {
  static constexpr Kind kind = Kind::beat;
  std::uint64_t progress = 0;        // grows with every piece of work that ended
  std::uint64_t memory = 0;          // peak resident bytes
  std::uint64_t work_in_flight = 0;  // started, and not finished
  std::uint64_t era = 0;             // that this process has begun
  std::optional<NodeId>
      unresponsive_peer;              // the process that has acknowledged nothing for longest, of what it was sent
  std::uint64_t unresponsive_ns = 0;  // and for how long
};

struct Fault {
  static constexpr Kind kind = Kind::fault;
  ExitCode code = ExitCode::failed;
  std::string what;
};

struct Stop {
  static constexpr Kind kind = Kind::stop;
  ExitCode code = ExitCode::ok;
  std::string what;
};

// ---- preparing ----

struct Loaded {
  static constexpr Kind kind = Kind::loaded;
  std::vector<std::uint64_t> items;      // of the worker's shards, ascending
  std::vector<std::vector<Fact>> facts;  // by shard, ascending
  Census census;                         // summed over them
  std::string items_unit;
  std::vector<Term> terms;
  std::vector<Score> scores;
  bool starting_pass = false, evaluating_pass = false;
  Epoch epochs = 0;  // that the app wants, if the user does not say
  std::string app;   // the plugin's own name
  // Of the contents of the files, in their order: what the worker read, wherever it is.
  Hash128 input, valid;
  std::vector<HashedFile> objects;  // those behind URLs, each in the version that was read
};

// To workers: from the next era on shards are hosted like this, so that they read now what they will need.
struct ReadAhead {
  static constexpr Kind kind = Kind::read_ahead;
  std::uint64_t number = 0;  // of this plan; a later one takes its place
  std::vector<ShardRange> shard_hosts;
};

// A worker has read all that it needs for the plan.
struct HasRead {
  static constexpr Kind kind = Kind::has_read;
  std::uint64_t number = 0;
};

struct JobFacts {
  static constexpr Kind kind = Kind::facts;
  std::vector<Fact> facts;  // of the whole job
  Census census;            // of the whole job; to schedulers
};

struct CutMade {
  static constexpr Kind kind = Kind::cut;
  Cut cut;
  std::vector<Table> tables = {};           // to the coordinator
  std::vector<IgnoredOption> ignored = {};  // options that were given and change nothing
  bool may_end_job = false;                 // a schedule may end the job at the end of any epoch
};

struct Ready {
  static constexpr Kind kind = Kind::ready;
};

struct Start {
  static constexpr Kind kind = Kind::start;
  Epoch epoch = 0;    // of the first round to schedule
  Epoch last = 0;     // of the job
  RoundId round = 1;  // its number
};

// ---- rounds ----

// A scheduler's figures of an epoch that it has finished: it has sent the last round, and has all feedback.
struct EpochFigures {
  Epoch epoch = 0;
  std::vector<Figure> figures;
  std::optional<bool> converged = {};  // as reported by the schedule
  bool ends_job = false;               // as reported by the schedule
};

struct Rounds {
  static constexpr Kind kind = Kind::rounds;
  RoundId first = 0;                 // by the scheduler's own count
  std::vector<Round> rounds;         // numbered from `first`
  std::optional<Feedback> feedback;  // which feedback on their commits the scheduler requests
  std::vector<EpochFigures> figures;
};

struct Task {
  RoundId round = 0;
  Epoch epoch = 0;
  ShardId shard = 0;
  std::optional<SliceId> slice;  // owned
  bool shared = false;           // its rows are in the message's `shared`
  bool ends_epoch = false;
  std::uint32_t visit = 0;  // with a slice, as in rota::SliceTask
  bool last_visit = false;
  Argument argument = {};
  bool evaluates = false;                      // the visit only looks: part of an evaluation, and of no round
  std::optional<std::uint32_t> dataflow = {};  // of an exchange round
};

struct SharedRows {
  RoundId round = 0;
  TableId table = 0;
  std::vector<Key> keys;
  std::vector<std::uint32_t> blocks;  // as in rota::Round, if the table has a single partition
  Argument argument;
  bool open = false;  // as in rota::Round: then there are no keys
};

// To the holder of a slice: when the task of round `after` is done with it, it goes to `shard` for round `to`.
struct Handover {
  SliceId slice = 0;
  RoundId after = 0;  // 0: before the first round
  RoundId to = 0;
  ShardId shard = 0;
};

struct Tasks {
  static constexpr Kind kind = Kind::tasks;
  std::vector<Task> tasks;  // of the worker's shards; ascending rounds for each shard
  std::vector<SharedRows> shared;
  std::vector<Handover> handovers;
};

// The scheduler that waits for a round's commit, the round's number by its own count, and the feedback it requests.
struct AwaitedBy {
  std::uint32_t scheduler = 0;
  RoundId round = 0;
  Feedback wish = Feedback::changes;
};

struct Expect {
  static constexpr Kind kind = Kind::expect;
  SharedRows rows;  // of the round, those in the partition
  std::optional<AwaitedBy> awaited_by;
};

struct Lease {
  static constexpr Kind kind = Kind::lease;
  SliceId slice = 0;
  RoundId to = 0;
  ShardId shard = 0;
  Bytes rows;
};

// From shard to shard, in a step of an exchange round.
struct Scattered {
  static constexpr Kind kind = Kind::scattered;
  RoundId round = 0;
  std::uint32_t dataflow = 0;
  std::uint32_t step = 0;
  ShardId from = 0, to = 0;
  Bytes bytes;
};

struct Parts {
  static constexpr Kind kind = Kind::parts;
  RoundId round = 0;
  TreeNode node;  // whose shards' parts are summed in it
  Bytes sums;     // doubles, in the order of the round's keys, those in the partition
  // Notes of its shards beside their parts, one after the other: to the first partition alone.
  std::vector<std::uint64_t> note_sizes;  // by shard
  Bytes notes;
  bool open = false;               // of an open round:
  std::vector<KeyRun> runs = {};   // the rows whose parts these are, those in the partition
  Combine combine = Combine::sum;  // of the round's table
};

struct Deltas {
  static constexpr Kind kind = Kind::deltas;
  SharedRows rows;                // without blocks and argument
  Bytes values;                   // doubles, as committed
  Bytes reply;                    // pull's reply
  bool last = true;               // of round 0: no more rows of this table follow from this partition
  std::vector<KeyRun> runs = {};  // of an open round, in place of keys: the rows that shards had parts for
};

// To the scheduler that chose the round: at most what it requests.
struct RoundFeedback {
  static constexpr Kind kind = Kind::feedback;
  RoundId round = 0;  // by its own count
  ChangeNorms norms;  // of the rows in the partition
  Bytes reply;
  // Of the rows in the partition, in the order of the round's keys: doubles as committed, and less what they were.
  Bytes values = {}, changes = {};
  std::vector<KeyRun> runs = {};  // of an open round: the rows
};

struct EpochOver {
  static constexpr Kind kind = Kind::epoch_over;
  Epoch epoch = 0;  // all workers have ended it, so all its rounds are committed
};

struct EpochDone {
  static constexpr Kind kind = Kind::epoch_done;
  Epoch epoch = 0;
  std::uint64_t items = 0;
  // Of the compute threads, summed: pushes and refreshes.
  std::uint64_t compute_ns = 0;
  // Slices made into bytes and back, and the time that the process spent on messages.
  std::uint64_t wire_ns = 0;
  std::uint64_t wait_ns = 0;  // of the compute threads, summed: the rest
  std::uint64_t bytes_sent = 0;
  std::uint64_t slice_bytes = 0;              // of them, leased rows
  std::uint64_t exchange_bytes = 0;           // that shards sent to each other in exchanges, in this process too
  std::uint64_t memory = 0, peak_memory = 0;  // resident bytes
};

// ---- evaluation and checkpoints, at the end of an epoch ----

struct Evaluate {
  static constexpr Kind kind = Kind::evaluate;
  Epoch epoch = 0;
  bool visits = false;  // to a worker: TASKS follow that bring every slice to each of its shards
};

struct TermsOf {
  std::uint64_t id = 0;  // a shard or a slice
  std::vector<double> terms;
};

struct Evaluated {
  static constexpr Kind kind = Kind::evaluated;
  Epoch epoch = 0;
  std::vector<TermsOf> shards;
  std::vector<TermsOf> slices;
  std::vector<double> rows;  // from a partition
};

// What a checkpoint is made of.  Part of the format: never change or reuse a number.
enum class Object : std::uint8_t { row = 1, slice = 2, shard = 3, schedule = 4, cut = 5, pull = 6, common = 7 };
inline constexpr auto kLastObject = Object::common;

struct Save {
  static constexpr Kind kind = Kind::save;
  Epoch epoch = 0;
  std::uint64_t objects = 0;  // to a partition: how many to wait for
};

struct Put {
  static constexpr Kind kind = Kind::put;
  Epoch epoch = 0;
  Object object = Object::slice;
  std::uint64_t id = 0;
  Hash128 hash;
  Bytes bytes;
};

struct Stored {  // an object that was PUT takes no memory for its way any more
  static constexpr Kind kind = Kind::stored;
  Epoch epoch = 0;
  std::uint64_t bytes = 0;  // of the object
};

struct Saved {  // the sender has put all it has; it may continue
  static constexpr Kind kind = Kind::saved;
  Epoch epoch = 0;
};

struct ObjectHash {
  Object object = Object::slice;
  std::uint64_t id = 0;
  Hash128 hash;
};

struct Written {
  static constexpr Kind kind = Kind::written;
  Epoch epoch = 0;
  std::string file;  // relative to the checkpoint's folder
  std::uint64_t file_bytes = 0;
  Hash128 file_hash;
  std::vector<ObjectHash> objects;
  Hash128 rows;        // sum over the shared rows
  bool apart = false;  // it is on a disk that the coordinator does not see, and counts once that has a copy
};

// Wants a run of bytes of a file of a checkpoint that is on the receiver's disk, or on the coordinator's.
struct AskChunk {
  static constexpr Kind kind = Kind::ask_chunk;
  std::string file;  // as in WRITTEN, or as WELCOME names it
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};

struct Chunk {
  static constexpr Kind kind = Kind::chunk;
  std::string file;
  std::uint64_t at = 0;
  Bytes bytes;
};

struct Fetch {
  static constexpr Kind kind = Kind::fetch;
  Object object = Object::slice;
  std::uint64_t id = 0;
};

struct Fetched {
  static constexpr Kind kind = Kind::fetched;
  Object object = Object::slice;
  std::uint64_t id = 0;
  Bytes bytes;
};

// ---- watching ----

struct AskStatus {
  static constexpr Kind kind = Kind::ask_status;
  std::string endpoint;  // where the answer goes; "": by the connection that asked
  // The answer assigns the number of a worker that is to join: no other answer of this coordinator has it.
  bool assigns_worker = false;
};

struct StatusReport {
  static constexpr Kind kind = Kind::status;
  std::string json;
};

using AnyMessage = std::variant<Ack, Probe, Piece, Hello, Welcome, Refuse, Beat, Fault, Stop, Loaded, ReadAhead,
                                HasRead, JobFacts, CutMade, Ready, Start, Rounds, Tasks, Expect, Lease, Scattered,
                                Parts, Deltas, RoundFeedback, EpochOver, EpochDone, Evaluate, Evaluated, Save, Put,
                                Stored, Saved, Written, AskChunk, Chunk, Fetch, Fetched, AskStatus, StatusReport>;

// A variant whose copying, moving and destruction are compiled once, in codec.cc: inline they are a sixth of the
// compilation of every source that sends a message.
struct Message : AnyMessage {
  using AnyMessage::AnyMessage;
  Message() noexcept;
  Message(const Message&);
  Message(Message&&) noexcept;
  Message& operator=(const Message&);
  Message& operator=(Message&&) noexcept;
  ~Message();
};

Kind kind_of(const Message& message);
const char* kind_name(Kind kind);
// Which role may send what to which: "from -> to" in PROTOCOL.md.  A key proves the role of a process, so no other role
// can send the coordinator's decisions.
bool may_send(Kind kind, Role from, Role to);

}  // namespace rota
