#include "core/wire/shared_ring.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace rota {
namespace {

// In place of a number of frames: the next record is at the beginning of the ring.
constexpr std::uint64_t kToBeginning = ~std::uint64_t{0};
// An empty ring is written from its beginning again after this many bytes, if the message fits before that place: small
// messages then stay in the processor's cache, and touch little memory.
constexpr std::size_t kBeginAgain = std::size_t{64} << 10;
constexpr std::array<std::byte, 8> kFilling{};

Status no_memory() {
  return {ExitCode::temporary, std::string("memory shared with another process: ") + std::strerror(errno)};
}

std::size_t filling(std::size_t bytes) {
  return (8 - bytes % 8) % 8;
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void SharedMemory::swap(SharedMemory& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

Result<SharedMemory> SharedMemory::map(FileDescriptor descriptor, std::size_t bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (data == MAP_FAILED) return no_memory();
  SharedMemory memory;
  memory.descriptor_ = std::move(descriptor);
  memory.data_ = static_cast<std::byte*>(data);
  memory.bytes_ = bytes;
  return memory;
}

Result<SharedMemory> SharedMemory::create(std::size_t bytes) {
  FileDescriptor descriptor(::memfd_create("rota", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!descriptor.open() || ::ftruncate(descriptor.get(), static_cast<off_t>(bytes)) != 0) return no_memory();
  if (::fcntl(descriptor.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) return no_memory();
  return map(std::move(descriptor), bytes);
}

Result<SharedMemory> SharedMemory::open(FileDescriptor descriptor, std::size_t bytes) {
  struct stat found = {};
  const int seals = ::fcntl(descriptor.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(descriptor.get(), &found) != 0 ||
      static_cast<std::size_t>(found.st_size) != bytes)
    return Status(ExitCode::bug, "another process shared memory of another kind");
  return map(std::move(descriptor), bytes);
}

// ---- the writer

RingWriter::RingWriter(SharedMemory memory)
    : memory_(std::move(memory)), state_(new (memory_.data()) RingState{}), ring_(memory_.data() + 4096) {}

std::size_t RingWriter::free_bytes() const {
  const std::uint64_t used = at_ - state_->read.load();
  return used > kRingBytes ? 0 : kRingBytes - static_cast<std::size_t>(used);
}

void RingWriter::begin(const Frames& frames) {
  head_ = {frames.size()};
  for (const Bytes& frame : frames) head_.push_back(frame.size());
  frames_ = frames;
  segments_ = {std::as_bytes(std::span(head_))};
  for (const Bytes& frame : frames_) segments_.push_back(frame.view());
  const std::size_t bytes = size_of(frames_);
  segments_.push_back(std::span(kFilling).first(filling(bytes)));
  segment_ = offset_ = 0;

  const std::size_t place = at_ % kRingBytes;
  if (place < std::max(kBeginAgain, segments_.front().size() + bytes + 8) || free_bytes() < kRingBytes) return;
  std::memcpy(ring_ + place, &kToBeginning, sizeof kToBeginning);
  at_ += kRingBytes - place;
}

bool RingWriter::advance() {
  std::size_t room = std::min(free_bytes(), kStep);
  if (room == 0 && !idle()) {
    state_->writer_waits.store(1);
    room = std::min(free_bytes(), kStep);  // once more: the reader may not have seen it
    if (room == 0) return false;
  }
  const std::uint64_t before = state_->written.load(std::memory_order_relaxed);
  while (room > 0 && segment_ < segments_.size()) {
    const auto rest = segments_[segment_].subspan(offset_);
    const std::size_t place = at_ % kRingBytes, some = std::min({rest.size(), room, kRingBytes - place});
    if (some > 0) std::memcpy(ring_ + place, rest.data(), some);
    at_ += some;
    room -= some;
    offset_ += some;
    if (some < rest.size()) continue;
    ++segment_;
    offset_ = 0;
  }
  // A filling of no bytes is left when there is no room.
  while (segment_ < segments_.size() && segments_[segment_].empty()) ++segment_;
  if (segment_ == segments_.size()) {
    segments_.clear();
    frames_.clear();
  }
  state_->written.store(at_);
  return at_ != before;
}

// ---- the reader

RingReader::RingReader(SharedMemory memory, std::size_t message_bytes_max)
    : memory_(std::move(memory)),
      state_(reinterpret_cast<RingState*>(memory_.data())),
      ring_(memory_.data() + 4096),
      message_bytes_max_(message_bytes_max) {
  expect_message();
}

std::optional<Frames> RingReader::fail() {
  broken_ = true;
  return std::nullopt;
}

// Fills the rest of the next target, as far as there are bytes.  Whether it is full.
bool RingReader::fill() {
  const std::span<std::byte> to = targets_[target_];
  const std::uint64_t there = state_->written.load(std::memory_order_acquire) - at_;
  if (there > kRingBytes) return fail(), false;
  std::size_t some = std::min(static_cast<std::size_t>(there), to.size() - filled_);
  while (some > 0) {
    const std::size_t place = at_ % kRingBytes, run = std::min(some, kRingBytes - place);
    std::memcpy(to.data() + filled_, ring_ + place, run);
    at_ += run;
    filled_ += run;
    some -= run;
  }
  state_->read.store(at_);
  return filled_ == to.size();
}

void RingReader::expect(Part part, std::vector<std::span<std::byte>> targets) {
  part_ = part;
  targets_ = std::move(targets);
  target_ = filled_ = 0;
}

std::optional<Frames> RingReader::next() {
  while (!broken_) {
    for (; target_ < targets_.size(); ++target_, filled_ = 0)
      if (!fill()) return std::nullopt;
    switch (part_) {
      case Part::count:
        if (count_ == kToBeginning) {
          at_ += (kRingBytes - at_ % kRingBytes) % kRingBytes;
          expect_message();
          break;
        }
        if (count_ == 0 || count_ > kFramesMax) return fail();
        sizes_.resize(static_cast<std::size_t>(count_));
        expect(Part::sizes, {std::as_writable_bytes(std::span(sizes_))});
        break;
      case Part::sizes:
        if (!make_frames()) return fail();
        break;
      case Part::frames:
        expect_message();
        return std::exchange(frames_, {});
    }
  }
  return std::nullopt;
}

// Memory for all frames at once, each where any number may begin.  False if they are too large.
bool RingReader::make_frames() {
  struct alignas(16) Block {
    std::byte bytes[16];
  };
  std::size_t bytes = 0, blocks = 0;
  for (const std::uint64_t size : sizes_) {
    if (size > message_bytes_max_ - bytes) return false;
    bytes += static_cast<std::size_t>(size);
    blocks += (static_cast<std::size_t>(size) + sizeof(Block) - 1) / sizeof(Block);
  }
  const auto memory = std::make_shared_for_overwrite<Block[]>(blocks);
  std::vector<std::span<std::byte>> targets;
  std::byte* place = reinterpret_cast<std::byte*>(memory.get());
  for (const std::uint64_t size : sizes_) {
    targets.emplace_back(place, static_cast<std::size_t>(size));
    frames_.emplace_back(memory, targets.back());
    place += (static_cast<std::size_t>(size) + sizeof(Block) - 1) / sizeof(Block) * sizeof(Block);
  }
  targets.push_back(std::span(filling_).first(filling(bytes)));
  expect(Part::frames, std::move(targets));
  return true;
}

}  // namespace rota
