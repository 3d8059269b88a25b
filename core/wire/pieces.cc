#include "core/wire/pieces.h"

#include <memory>
#include <new>

namespace rota {

namespace {

// One run of memory in place of the parts, which are freed as they are copied: so it takes little more than the whole.
Bytes joined(std::vector<Bytes>& parts, std::size_t size) {
  if (parts.size() == 1) return std::move(parts.front());
  const auto memory = std::make_shared_for_overwrite<std::byte[]>(size);
  std::size_t at = 0;
  for (Bytes& part : parts) {
    std::ranges::copy(part.view(), memory.get() + at);
    at += part.size();
    part = {};
  }
  return {memory, {memory.get(), size}};
}

}  // namespace

bool may_be_cut(Kind kind) {
  return kind >= Kind::welcome && kind != Kind::ask_status;
}

std::vector<Frames> cut_into_pieces(Kind whole, const Frames& message, std::size_t piece_bytes) {
  std::vector<Frames> pieces;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const Bytes& frame = message[i];
    std::size_t at = 0;
    do {
      const std::size_t size = std::min(piece_bytes, frame.size() - at);
      const auto [index, count] = std::pair(static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(message.size()));
      pieces.push_back(encode_message(Piece{whole, index, count, at, frame.size(), frame.part(at, size)}));
      at += size;
    } while (at < frame.size());
  }
  return pieces;
}

bool Joiner::belongs(NodeId from, NodeId to, const Piece& piece) const {
  const bool within = piece.frame < piece.frames && piece.frames < kFramesMax && piece.at <= piece.frame_bytes &&
                      piece.bytes.size() <= piece.frame_bytes - piece.at;
  // A piece without bytes is a frame without any.
  if (!within || (piece.bytes.empty() && piece.frame_bytes > 0)) return false;
  if (!amid_) return may_be_cut(piece.whole) && piece.frame == 0 && piece.at == 0;
  const bool the_same =
      piece.whole == message_.kind && from == message_.from && to == message_.to && piece.frames == frames_;
  return the_same && piece.frame == message_.frames.size() && piece.at == bytes_here_ &&
         (parts_.empty() || piece.frame_bytes == frame_bytes_);
}

Result<std::optional<Delivery>> Joiner::add(NodeId from, NodeId to, Piece piece) {
  if (!belongs(from, to, piece))
    return Status(ExitCode::bug, std::string("a piece out of place, of a ") + kind_name(piece.whole));
  if (!amid_) message_ = {piece.whole, from, to, {}};
  amid_ = true;
  frames_ = piece.frames;
  frame_bytes_ = piece.frame_bytes;
  bytes_here_ += piece.bytes.size();
  parts_.push_back(std::move(piece.bytes));
  if (bytes_here_ < frame_bytes_) return std::optional<Delivery>();
  try {
    message_.frames.push_back(joined(parts_, bytes_here_));
  } catch (const std::bad_alloc&) {
    return Status(ExitCode::temporary,
                  "no memory for the " + std::to_string(bytes_here_) + " bytes of a " + kind_name(message_.kind));
  }
  parts_.clear();
  bytes_here_ = 0;
  if (message_.frames.size() < frames_) return std::optional<Delivery>();
  amid_ = false;
  return std::optional<Delivery>(std::exchange(message_, {}));
}

}  // namespace rota
