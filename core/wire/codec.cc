#include "core/wire/codec.h"

#include <array>
#include <new>
#include <type_traits>

#include "core/wire/address.h"

namespace rota {

namespace {

// ---- every message's fields, in order ----
// `io` is a MessageWriter or a MessageReader; M is const for the first.

template <typename M, typename T>
concept Is = std::same_as<std::remove_const_t<M>, T>;

struct Fields {
  static void of(auto& io, Is<Ack> auto& m) { io(m.answers); }
  static void of(auto& io, Is<Probe> auto& m) { io(m.number); }
  static void of(auto& io, Is<Piece> auto& m) { io(m.whole, m.frame, m.frames, m.at, m.frame_bytes, m.bytes); }
  static void of(auto& io, Is<Hash128> auto& m) { io(m.low, m.high); }
  static void of(auto& io, Is<HashedFile> auto& m) { io(m.file, m.bytes, m.hash); }
  static void of(auto& io, Is<TreeNode> auto& m) { io(m.level, m.index); }
  static void of(auto& io, Is<KeyRun> auto& m) { io(m.first, m.count); }
  static void of(auto& io, Is<Term> auto& m) { io(m.name, m.kind); }
  static void of(auto& io, Is<Score> auto& m) { io(m.name, m.term, m.count, m.scale, m.better, m.held_out); }
  static void of(auto& io, Is<Table> auto& m) {
    io(m.name, m.kind, m.keys, m.row_width, m.part_width, m.block_width, m.single_partition, m.dense, m.started,
       m.combine);
  }
  static void of(auto& io, Is<Fact> auto& m) { io(m.name, m.kind, m.values); }
  static void of(auto& io, Is<Figure> auto& m) { io(m.name, m.value); }
  static void of(auto& io, Is<IgnoredOption> auto& m) { io(m.option, m.why); }
  static void of(auto& io, Is<EpochFigures> auto& m) { io(m.epoch, m.figures, m.converged, m.ends_job); }
  static void of(auto& io, Is<Cut> auto& m) { io(m.slices, m.replicated); }
  static void of(auto& io, Is<Round> auto& m) {
    io(m.table, m.shared, m.blocks, m.argument, m.owned, m.last_visits, m.ends_epoch, m.ends_job, m.open, m.dataflow);
  }
  static void of(auto& io, Is<Hello> auto& m) {
    io(m.endpoint, m.version, m.job, m.incarnation, m.pid, m.host, m.joins, m.plugin);
  }
  static void of(auto& io, Is<Peer> auto& m) { io(m.process, m.endpoint, m.incarnation); }
  static void of(auto& io, Is<ShardRange> auto& m) { io(m.worker, m.end); }
  static void of(auto& io, Is<Welcome> auto& m) {
    io(m.peers, m.partition_hosts, m.shard_hosts, m.resume, m.era, m.files);
  }
  static void of(auto& io, Is<Refuse> auto& m) { io(m.code, m.what); }
  static void of(auto& io, Is<Beat> auto& m) {
    io(m.progress, m.memory, m.work_in_flight, m.era, m.unresponsive_peer, m.unresponsive_ns);
  }
  static void of(auto& io, Is<Fault> auto& m) { io(m.code, m.what); }
  static void of(auto& io, Is<Stop> auto& m) { io(m.code, m.what); }
  static void of(auto& io, Is<Loaded> auto& m) {
    io(m.items, m.facts, m.census, m.items_unit, m.terms, m.scores, m.starting_pass, m.evaluating_pass, m.epochs, m.app,
       m.input, m.valid, m.objects);
  }
  static void of(auto& io, Is<ReadAhead> auto& m) { io(m.number, m.shard_hosts); }
  static void of(auto& io, Is<HasRead> auto& m) { io(m.number); }
  static void of(auto& io, Is<JobFacts> auto& m) { io(m.facts, m.census); }
  static void of(auto& io, Is<CutMade> auto& m) { io(m.cut, m.tables, m.ignored, m.may_end_job); }
  static void of(auto&, Is<Ready> auto&) {}
  static void of(auto& io, Is<Start> auto& m) { io(m.epoch, m.last, m.round); }
  static void of(auto& io, Is<Rounds> auto& m) { io(m.first, m.rounds, m.feedback, m.figures); }
  static void of(auto& io, Is<Task> auto& m) {
    io(m.round, m.epoch, m.shard, m.slice, m.shared, m.ends_epoch, m.visit, m.last_visit, m.argument, m.evaluates,
       m.dataflow);
  }
  static void of(auto& io, Is<SharedRows> auto& m) { io(m.round, m.table, m.keys, m.blocks, m.argument, m.open); }
  static void of(auto& io, Is<Handover> auto& m) { io(m.slice, m.after, m.to, m.shard); }
  static void of(auto& io, Is<Tasks> auto& m) { io(m.tasks, m.shared, m.handovers); }
  static void of(auto& io, Is<AwaitedBy> auto& m) { io(m.scheduler, m.round, m.wish); }
  static void of(auto& io, Is<Expect> auto& m) { io(m.rows, m.awaited_by); }
  static void of(auto& io, Is<Lease> auto& m) { io(m.slice, m.to, m.shard, m.rows); }
  static void of(auto& io, Is<Scattered> auto& m) { io(m.round, m.dataflow, m.step, m.from, m.to, m.bytes); }
  static void of(auto& io, Is<Parts> auto& m) {
    io(m.round, m.node, m.sums, m.note_sizes, m.notes, m.open, m.runs, m.combine);
  }
  static void of(auto& io, Is<Deltas> auto& m) { io(m.rows, m.values, m.reply, m.last, m.runs); }
  static void of(auto& io, Is<ChangeNorms> auto& m) { io(m.l1, m.l2_squared, m.largest); }
  static void of(auto& io, Is<RoundFeedback> auto& m) { io(m.round, m.norms, m.reply, m.values, m.changes, m.runs); }
  static void of(auto& io, Is<EpochOver> auto& m) { io(m.epoch); }
  static void of(auto& io, Is<EpochDone> auto& m) {
    io(m.epoch, m.items, m.compute_ns, m.wire_ns, m.wait_ns, m.bytes_sent, m.slice_bytes, m.exchange_bytes, m.memory,
       m.peak_memory);
  }
  static void of(auto& io, Is<Evaluate> auto& m) { io(m.epoch, m.visits); }
  static void of(auto& io, Is<TermsOf> auto& m) { io(m.id, m.terms); }
  static void of(auto& io, Is<Evaluated> auto& m) { io(m.epoch, m.shards, m.slices, m.rows); }
  static void of(auto& io, Is<Save> auto& m) { io(m.epoch, m.objects); }
  static void of(auto& io, Is<Put> auto& m) { io(m.epoch, m.object, m.id, m.hash, m.bytes); }
  static void of(auto& io, Is<Stored> auto& m) { io(m.epoch, m.bytes); }
  static void of(auto& io, Is<Saved> auto& m) { io(m.epoch); }
  static void of(auto& io, Is<ObjectHash> auto& m) { io(m.object, m.id, m.hash); }
  static void of(auto& io, Is<Written> auto& m) {
    io(m.epoch, m.file, m.file_bytes, m.file_hash, m.objects, m.rows, m.apart);
  }
  static void of(auto& io, Is<AskChunk> auto& m) { io(m.file, m.at, m.bytes); }
  static void of(auto& io, Is<Chunk> auto& m) { io(m.file, m.at, m.bytes); }
  static void of(auto& io, Is<Fetch> auto& m) { io(m.object, m.id); }
  static void of(auto& io, Is<Fetched> auto& m) { io(m.object, m.id, m.bytes); }
  static void of(auto& io, Is<AskStatus> auto& m) { io(m.endpoint, m.assigns_worker); }
  static void of(auto& io, Is<StatusReport> auto& m) { io(m.json); }
};

// ---- how each type of field is written: integers as varints, doubles as they are, lists with a count ----

class MessageWriter {
 public:
  void operator()(const auto&... all) { (field(all), ...); }

  Frames frames() && {
    blobs_.insert(blobs_.begin(), Bytes::from(body_.take()));
    return std::move(blobs_);
  }

 private:
  void field(bool value) { body_.put(static_cast<std::uint8_t>(value)); }
  void field(double value) { body_.put(value); }
  void field(const std::string& text) { body_.put_text(text); }
  void field(const Bytes& bytes) { blobs_.push_back(bytes); }
  void field(const Argument& argument) { body_.put_all(argument.bytes().view()); }
  void field(NodeId id) { (*this)(static_cast<std::uint32_t>(id.role), id.index); }
  template <typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void field(T value) { body_.put_varint(static_cast<std::uint64_t>(value)); }
  template <typename T>
  void field(const std::optional<T>& value) {
    field(value.has_value());
    if (value) field(*value);
  }
  template <typename T>
  void field(const std::vector<T>& values) {
    body_.put_varint(values.size());
    for (const T& value : values) field(value);
  }
  template <typename T>
  requires std::is_class_v<T>
  void field(const T& value) { Fields::of(*this, value); }

  Writer body_;
  Frames blobs_;
};

class MessageReader {
 public:
  explicit MessageReader(const Frames& frames)
      : frames_(frames), body_(frames[0].view()), memory_left_(kDecodeTimes * frames[0].size() + kDecodeSlack) {}

  void operator()(auto&... all) { (field(all), ...); }

  bool done() const { return body_.done() && next_ == frames_.size(); }
  // It would have taken more memory than a message of its size may.
  bool too_large() const { return too_large_; }

 private:
  void field(bool& value) { value = body_.get_bounded<unsigned>(1) != 0; }
  void field(double& value) { value = body_.get<double>(); }
  void field(std::string& text) {
    text = body_.get_text();
    take_memory(text.size());
  }
  void field(Bytes& bytes) {
    if (next_ < frames_.size())
      bytes = frames_[next_++];
    else
      body_.fail();
  }
  void field(Argument& argument) {
    const auto bytes = body_.get_all<std::byte>();
    if (take_memory(bytes.size())) argument = Argument::of_bytes(Bytes::from(bytes));
  }
  void field(NodeId& id) {
    field(id.role);
    id.index = body_.get_bounded<std::uint32_t>(kIndexLimit - 1);
  }
  void field(Role& role) { bounded(role, 1, static_cast<std::uint64_t>(kLastRole)); }
  void field(Kind& kind) { bounded(kind, 1, std::numeric_limits<std::uint16_t>::max()); }
  void field(Joins& joins) { bounded(joins, 0, static_cast<std::uint64_t>(kLastJoins)); }
  void field(Object& object) { bounded(object, 1, static_cast<std::uint64_t>(kLastObject)); }
  void field(Term::Kind& kind) { bounded(kind, 0, static_cast<std::uint64_t>(Term::Kind::normalised)); }
  void field(Score::Scale& scale) { bounded(scale, 0, static_cast<std::uint64_t>(Score::Scale::exp_mean)); }
  void field(Score::Better& better) { bounded(better, 0, static_cast<std::uint64_t>(Score::Better::larger)); }
  void field(Fact::Kind& kind) { bounded(kind, 0, static_cast<std::uint64_t>(Fact::Kind::largest)); }
  void field(Table::Kind& kind) { bounded(kind, 0, static_cast<std::uint64_t>(Table::Kind::sliced)); }
  void field(Combine& how) { bounded(how, 0, static_cast<std::uint64_t>(Combine::max)); }
  void field(Feedback& wish) { bounded(wish, 0, static_cast<std::uint64_t>(Feedback::reply)); }
  void field(ExitCode& code) { bounded(code, 0, 255); }
  template <typename T>
  requires std::is_unsigned_v<T>
  void field(T& value) { value = body_.get_bounded<T>(std::numeric_limits<T>::max()); }
  template <typename T>
  void bounded(T& value, std::uint64_t least, std::uint64_t most) {
    const std::uint64_t number = body_.get_bounded(most);
    if (number < least) body_.fail();
    value = static_cast<T>(number);
  }
  template <typename T>
  void field(std::optional<T>& value) {
    bool there = false;
    field(there);
    if (there) field(value.emplace());
  }
  template <typename T>
  void field(std::vector<T>& values) {
    // Every element takes at least a byte of the body, so a count is bounded by what has arrived.
    const std::size_t count = body_.get_count(std::is_same_v<T, double> ? sizeof(double) : 1);
    if (!take_memory(count * sizeof(T))) return;
    values.reserve(count);
    for (std::size_t i = 0; i < count && body_.ok(); ++i) field(values.emplace_back());
  }
  template <typename T>
  requires std::is_class_v<T>
  void field(T& value) { Fields::of(*this, value); }

  bool take_memory(std::size_t bytes) {
    too_large_ = too_large_ || bytes > memory_left_;
    if (too_large_) body_.fail();
    memory_left_ -= too_large_ ? 0 : bytes;
    return !too_large_;
  }

  const Frames& frames_;
  Reader body_;
  std::size_t memory_left_;
  bool too_large_ = false;
  std::size_t next_ = 1;
};

template <std::size_t... I>
constexpr auto decoders(std::index_sequence<I...>) {
  using Decoder = bool (*)(MessageReader&, Message&);
  return std::array<std::pair<Kind, Decoder>, sizeof...(I)>{
      {{std::variant_alternative_t<I, AnyMessage>::kind, [](MessageReader& io, Message& message) {
          Fields::of(io, message.emplace<I>());
          return io.done();
        }}...}};
}

void put_node(Writer& out, NodeId id) {
  out.put((static_cast<std::uint32_t>(id.role) << 24) | id.index);
}

NodeId get_node(Reader& in) {
  const auto packed = in.get<std::uint32_t>();
  const std::uint32_t role = packed >> 24;
  if (role == 0 || role > static_cast<std::uint32_t>(kLastRole)) in.fail();
  return {static_cast<Role>(role), packed & (kIndexLimit - 1)};
}

// Over the header without the checksum itself, the frames' sizes, and the frames.
std::uint64_t checksum(std::span<const std::byte> header, std::span<const Bytes> message, Covers covers) {
  Hasher64 hasher;
  hasher.add(header);
  for (const Bytes& frame : message) {
    const std::uint64_t size = frame.size();
    hasher.add(std::as_bytes(std::span(&size, 1)));
    if (covers == Covers::all || size <= kCheckedMost) hasher.add(frame.view());
  }
  return hasher.digest();
}

Status bad(std::string what) {
  return {ExitCode::bug, std::move(what)};
}

}  // namespace

std::size_t size_of(const Frames& frames) {
  std::size_t size = 0;
  for (const Bytes& frame : frames) size += frame.size();
  return size;
}

Message::Message() noexcept = default;
Message::Message(const Message&) = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(const Message&) = default;
Message& Message::operator=(Message&&) noexcept = default;
Message::~Message() = default;

Kind kind_of(const Message& message) {
  return std::visit([](const auto& m) { return m.kind; }, message);
}

Frames encode_message(const Message& message) {
  MessageWriter io;
  std::visit([&](const auto& m) { Fields::of(io, m); }, message);
  return std::move(io).frames();
}

Covers covered_at(std::string_view endpoint) {
  return endpoint.starts_with(kIpcScheme) ? Covers::small_frames : Covers::all;
}

Frames with_header(const Header& header, const Frames& message, Covers covers) {
  Writer out;
  out.put(kMagic);
  out.put(kProtocolVersion);
  out.put(header.kind);
  out.put(header.job);
  out.put(header.incarnation);
  out.put(header.peer_incarnation);
  out.put(header.sequence);
  out.put(header.acknowledged);
  out.put(header.era);
  put_node(out, header.process);
  put_node(out, header.from);
  put_node(out, header.to);
  out.put(static_cast<std::uint32_t>(message.size()));
  out.put(checksum(out.view(), message, covers));
  Frames frames;
  frames.reserve(message.size() + 1);
  frames.push_back(Bytes::from(out.take()));
  frames.insert(frames.end(), message.begin(), message.end());
  return frames;
}

std::optional<Foreign> decode_foreign(const Frames& frames) {
  constexpr std::size_t kFixed = sizeof kMagic + 2 * sizeof(std::uint16_t), kSum = sizeof(std::uint64_t);
  if (frames.size() < 2 || frames.size() > kFramesMax || frames[0].size() < kFixed + kSum) return std::nullopt;
  Reader in(frames[0].view());
  if (in.get<std::uint32_t>() != kMagic) return std::nullopt;
  Foreign foreign;
  foreign.version = in.get<std::uint16_t>();
  foreign.kind = static_cast<Kind>(in.get<std::uint16_t>());
  const std::size_t covered = frames[0].size() - kSum;
  const auto sum = Reader(frames[0].view().subspan(covered)).get<std::uint64_t>();
  // Or a damaged message of this version would be taken for one of another.
  const auto message = std::span(frames).subspan(1);
  if (sum != checksum(frames[0].view().first(covered), message, Covers::all)) return std::nullopt;
  return foreign.version == kProtocolVersion ? std::nullopt : std::optional(foreign);
}

Result<Header> decode_header(const Frames& frames, Covers covers) {
  if (frames.size() < 2 || frames.size() > kFramesMax)
    return bad("a message of " + std::to_string(frames.size()) + " frames");
  Reader in(frames[0].view());
  if (in.get<std::uint32_t>() != kMagic) return bad("not a message of Rota");
  if (in.get<std::uint16_t>() != kProtocolVersion) {
    const auto foreign = decode_foreign(frames);
    if (!foreign) return bad("the checksum is wrong");
    return Status(ExitCode::wrong_version, "protocol version " + std::to_string(foreign->version) + ", expected " +
                                               std::to_string(kProtocolVersion));
  }
  if (frames[0].size() != kHeaderSize) return bad("a header of " + std::to_string(frames[0].size()) + " bytes");
  Header header;
  header.kind = static_cast<Kind>(in.get<std::uint16_t>());
  header.job = in.get<std::uint64_t>();
  header.incarnation = in.get<std::uint64_t>();
  header.peer_incarnation = in.get<std::uint64_t>();
  header.sequence = in.get<std::uint64_t>();
  header.acknowledged = in.get<std::uint64_t>();
  header.era = in.get<std::uint64_t>();
  header.process = get_node(in);
  header.from = get_node(in);
  header.to = get_node(in);
  const auto count = in.get<std::uint32_t>();
  const auto sum = in.get<std::uint64_t>();
  if (!in.done()) return bad("a header with an unknown role");
  if (count != frames.size() - 1) return bad("frames are missing");
  const auto covered = frames[0].view().first(kHeaderSize - sizeof sum);
  if (sum != checksum(covered, std::span(frames).subspan(1), covers)) return bad("the checksum is wrong");
  return header;
}

Result<Message> decode_message(Kind kind, const Frames& frames) {
  static constexpr auto kDecoders = decoders(std::make_index_sequence<std::variant_size_v<AnyMessage>>());
  for (const auto& [known, decode] : kDecoders) {
    if (known != kind) continue;
    if (frames.empty()) return bad(std::string("a bodiless ") + kind_name(kind));
    // The sender determines how much memory a list takes: it may be more than is available.
    try {
      Message message;
      MessageReader io(frames);
      if (decode(io, message)) return message;
      if (!io.too_large()) return bad(std::string("a malformed ") + kind_name(kind));
      return bad("a " + std::string(kind_name(kind)) + " that takes far more memory than its " +
                 std::to_string(frames[0].size()) + " bytes");
    } catch (const std::bad_alloc&) {
      return Status(ExitCode::temporary, "no memory for a " + std::string(kind_name(kind)) + " of " +
                                             std::to_string(frames[0].size()) + " bytes");
    }
  }
  return bad("unknown kind " + std::to_string(static_cast<unsigned>(kind)));
}

}  // namespace rota
