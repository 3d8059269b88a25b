// core/wire/codec.h -- messages and headers to frames and back.  See PROTOCOL.md, "Frames".
//
// Frame 0 is the header, frame 1 the body.  Every Bytes of the message follows as a frame of its own, sent from and
// received into place without a copy.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/status.h"
#include "core/wire/message.h"
#include "core/wire/node_id.h"
#include "rota/bytes.h"

namespace rota {

inline constexpr std::uint32_t kMagic = 0x41544f52;  // "ROTA"
inline constexpr std::uint16_t kProtocolVersion = 12;
inline constexpr std::size_t kHeaderSize = 80;
inline constexpr std::size_t kFramesMax = 64;  // of one message
// Limit of a decoded body's memory: this multiple of its bytes, plus the constant below.  A number of one byte decodes
// to eight.
inline constexpr std::size_t kDecodeTimes = 8;
inline constexpr std::size_t kDecodeSlack = std::size_t{16} << 20;

using Frames = std::vector<Bytes>;

std::size_t size_of(const Frames& frames);

struct Header {
  Kind kind = Kind::ack;
  std::uint64_t job = 0;               // the same in all processes of a job
  NodeId process = {};                 // the sender's
  std::uint64_t incarnation = 0;       // the sender's: another at every start of the process
  std::uint64_t peer_incarnation = 0;  // the receiver's, as last seen by the sender; 0: not yet known
  std::uint64_t sequence = 0;          // of this message on its link, from 1; 0: not numbered
  std::uint64_t acknowledged = 0;      // all the receiver's messages up to this one have arrived
  std::uint64_t era = 0;               // of the run, in which the sender said it; 0: it belongs to none
  NodeId from = {}, to = {};           // nodes
};

// Body and blobs of a message; the header goes in front when it is sent.
Frames encode_message(const Message& message);
// What a message's checksum covers.  Between processes of one machine no byte passes through a network, and a checksum
// of large blobs would cost as much as sending them: there it covers frames of at most kCheckedMost bytes, and of
// larger ones the size.
enum class Covers { all, small_frames };
inline constexpr std::size_t kCheckedMost = std::size_t{64} << 10;
// By the address of the receiver.
Covers covered_at(std::string_view endpoint);

// Puts the header in front, with the checksum over all of it and of `message`.
Frames with_header(const Header& header, const Frames& message, Covers covers = Covers::all);

// Errors are the sender's fault and mean: drop the message.
Result<Header> decode_header(const Frames& frames, Covers covers = Covers::all);  // checks magic, version, ranges, sum
// The parts of a header that are the same in every protocol version, so that any process can be answered with the
// version in use here: where its version and kind are, and that its last 8 bytes are the checksum of all before them.
struct Foreign {
  std::uint16_t version = 0;
  Kind kind = Kind::ack;
};
// Of a whole message of another protocol version.
std::optional<Foreign> decode_foreign(const Frames& frames);
// Takes memory in proportion to the frames' bytes.  `temporary` if there is not so much.
Result<Message> decode_message(Kind kind, const Frames& frames);

}  // namespace rota
