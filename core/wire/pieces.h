// core/wire/pieces.h -- cuts messages that are too large to travel whole into pieces, and joins them again, so that a
// message may have any size and what goes over the wire at once is small.  PROTOCOL.md, "Pieces".
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/wire/codec.h"

namespace rota {

// A message with more bytes than this in its frames is sent in pieces of this size.
inline constexpr std::size_t kPieceBytes = std::size_t{8} << 20;
// What a packet has beside the bytes of its piece: headers, with room to spare.
inline constexpr std::size_t kPieceRoom = 4096;

// The size of pieces where the transport takes packets of `message_bytes_max`.
constexpr std::size_t piece_bytes_for(std::size_t message_bytes_max) {
  return std::min(kPieceBytes, message_bytes_max - kPieceRoom);
}

// Whether messages of the kind may be cut.  Those of the link may not, nor those with which a stranger begins.
bool may_be_cut(Kind kind);

// Messages of kind PIECE, in order; they share the memory of `message`.  REQUIRES: may_be_cut(whole), piece_bytes > 0.
std::vector<Frames> cut_into_pieces(Kind whole, const Frames& message, std::size_t piece_bytes);

// A complete message, whether it arrived whole or in pieces.
struct Delivery {
  Kind kind = Kind::ack;
  NodeId from, to;
  Frames frames;
  std::uint64_t era = 0;  // its header's
};

// Joins the pieces that arrive on one link, in their order.
class Joiner {
 public:
  // Takes the next piece, from and to the nodes that its header names.  The whole message, if it was the last one.
  // Errors: it does not continue the piece before, or there is no memory for the whole.
  Result<std::optional<Delivery>> add(NodeId from, NodeId to, Piece piece);
  // Whether a message is here in part: then its next piece must follow.
  bool amid() const { return amid_; }

 private:
  bool belongs(NodeId from, NodeId to, const Piece& piece) const;

  bool amid_ = false;
  Delivery message_;                                // with the frames that are whole
  std::uint32_t frames_ = 0;                        // that it will have
  std::uint64_t frame_bytes_ = 0, bytes_here_ = 0;  // of the frame that is coming, if any of its parts is here
  std::vector<Bytes> parts_;
};

}  // namespace rota
