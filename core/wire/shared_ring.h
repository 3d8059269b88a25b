// core/wire/shared_ring.h -- messages from one process to another of the same machine, through memory that both map.
//
// A ring has one writer and one reader.  Positions count the bytes that pass, and never go back; the byte at position p
// is at (p - begins) mod size.  A message is a record: its number of frames and their sizes, 8 bytes each, and then the
// frames' bytes, filled up to a multiple of 8.  A message larger than the free space passes piece by piece.
//
// The writer may change `begins` and `size` while the ring is empty.  It writes an empty ring from its first byte, so
// small messages stay in the processor's cache; and uses few bytes of the memory until those were full often: on some
// machines the first touch of a page takes as long as passing ten.
//
// A large frame in the writer's lent memory (lent_memory.h) is not copied: its size has kLent in it, and in place of
// its bytes there are its offset in that memory and the number of a loan, 8 bytes each.  The writer keeps the frame
// until the reader, which needs it no more, has ended the loan.
//
// The reader copies what it reads before it looks at it, and trusts no number in the memory: the other process may
// change it at any time.  So only numbers are lent, of which any is as good as another to the reader.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/wire/codec.h"
#include "core/wire/lent_memory.h"

namespace rota {

// The size is a power of two between these.
inline constexpr std::size_t kRingLeast = std::size_t{256} << 10, kRingBytes = std::size_t{4} << 20;
inline constexpr std::uint64_t kLent = std::uint64_t{1} << 63;
inline constexpr std::size_t kLoans = 64;  // at once; more are copied

// Each side writes its position and then looks whether the other waits, which says so and then looks at the position:
// in one order for both (sequentially consistent), or both could miss the other.
struct RingState {
  alignas(64) std::atomic<std::uint64_t> written;  // position up to which the writer has written
  std::atomic<std::uint64_t> begins, size;
  alignas(64) std::atomic<std::uint64_t> read;           // and up to which the reader has read
  std::atomic<std::uint32_t> writer_waits;               // for free space
  alignas(64) std::atomic<std::uint32_t> loans[kLoans];  // 1: the reader uses the frame
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free && std::atomic<std::uint32_t>::is_always_lock_free);
inline constexpr std::size_t kRingBegins = 4096;  // after the state
inline constexpr std::size_t kRingMemory = kRingBegins + kRingBytes;

class RingWriter {
 public:
  // `memory` has kRingMemory bytes.
  explicit RingWriter(SharedMemory memory);

  SharedMemory& memory() { return memory_; }
  // No message is partly written.
  bool idle() const { return segments_.empty(); }
  // Begins a message, and keeps it until advance() has written it all.  REQUIRES idle().
  void begin(const Frames& frames);
  // Writes the next bytes of it, at most kStep.  Whether the reader has something new: then it is to be woken if it
  // sleeps.  If there is no free space, the reader is asked to tell when there is.
  bool advance();

 private:
  static constexpr std::size_t kStep = std::size_t{64} << 10;
  static constexpr int kFullMost = 4;  // then the ring becomes twice as large

  std::size_t free_bytes() const;
  void begin_again();
  bool lend(const Bytes& frame);

  SharedMemory memory_;
  RingState* state_;
  std::byte* ring_;
  std::array<Bytes, kLoans> lent_;
  std::uint64_t at_ = 0, begins_ = 0;  // positions
  std::size_t size_ = kRingLeast;
  std::uint64_t full_at_ = 0;  // position at which the ring was full the last time
  int full_ = 0;               // how often it was since it has this size
  std::vector<std::uint64_t> head_;
  std::vector<std::array<std::uint64_t, 2>> places_;  // of the frames that are lent
  Frames frames_;
  std::vector<std::span<const std::byte>> segments_;  // of the message: head, frames, filling
  std::size_t segment_ = 0, offset_ = 0;              // what is written next
};

class RingReader {
 public:
  // `lent`: that of the writer's process; or none.  Messages of more bytes are refused.
  RingReader(SharedMemory memory, std::shared_ptr<const SharedMemory> lent, std::size_t message_bytes_max);
  RingReader(const RingReader&) = delete;  // it has places in itself
  RingReader& operator=(const RingReader&) = delete;

  // Whether there is something to read.
  bool ready() const { return !broken_ && state_->written.load() != at_; }
  // The next message; none if it is not there whole.
  std::optional<Frames> next();
  // Whether the writer waits for space that is free now.
  bool frees_writer() { return state_->writer_waits.load() != 0 && state_->writer_waits.exchange(0) != 0; }
  // The writer has written what no writer writes: nothing more can be read.
  bool broken() const { return broken_; }

 private:
  enum class Part { count, sizes, frames };

  bool fill();
  bool begin_again();
  void expect(Part part, std::vector<std::span<std::byte>> targets);
  void expect_message() { expect(Part::count, {std::as_writable_bytes(std::span(&count_, 1))}); }
  bool make_frames();
  bool borrow();
  std::optional<Frames> fail();

  std::shared_ptr<const SharedMemory> memory_, lent_;  // what is lent may be used longer than this
  RingState* state_;
  const std::byte* ring_;
  std::size_t message_bytes_max_;
  std::uint64_t at_ = 0, begins_ = 0;  // positions
  std::size_t size_ = kRingLeast;
  bool broken_ = false;
  // What is read of a message, and where it goes.
  Part part_ = Part::count;
  std::uint64_t count_ = 0;
  std::vector<std::uint64_t> sizes_;
  std::vector<std::array<std::uint64_t, 2>> places_;  // of the frames that are lent
  std::byte filling_[8] = {};
  Frames frames_;
  std::vector<std::span<std::byte>> targets_;
  std::size_t target_ = 0, filled_ = 0;  // what is filled next, and how far it is
};

}  // namespace rota
