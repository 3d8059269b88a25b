#include "core/wire/shared_ring.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <new>
#include <utility>

namespace rota {
namespace {

// Pages are taken in ranges of at least these bytes.
constexpr std::size_t kTaken = std::size_t{64} << 10;
constexpr std::array<std::byte, 8> kFilling{};

std::size_t filling(std::size_t bytes) {
  return (8 - bytes % 8) % 8;
}

}  // namespace

// ---- the writer

RingWriter::RingWriter(SharedMemory memory)
    : memory_(std::move(memory)), state_(new (memory_.data()) RingState{}), ring_(memory_.data() + kRingBegins) {
  state_->size.store(size_);
}

std::size_t RingWriter::free_bytes() const {
  const std::uint64_t used = at_ - state_->read.load();
  return used > size_ ? 0 : size_ - static_cast<std::size_t>(used);
}

// REQUIRES an empty ring.
void RingWriter::begin_again() {
  if (full_ >= kFullMost && size_ < kRingBytes) {
    size_ *= 2;
    full_ = 0;
    state_->size.store(size_, std::memory_order_relaxed);
  }
  begins_ = at_;
  state_->begins.store(begins_, std::memory_order_relaxed);
}

// Whether it is lent; or to be copied.
bool RingWriter::lend(const Bytes& frame) {
  const LentMemory* const memory = LentMemory::of_process();
  if (memory == nullptr || frame.size() < kLentLeast || !memory->has(frame.view().data())) return false;
  const auto loan = std::ranges::find_if(lent_, [](const Bytes& one) { return one.empty(); });
  if (loan == lent_.end()) return false;
  const auto number = static_cast<std::size_t>(loan - lent_.begin());
  *loan = frame;
  state_->loans[number].store(1);
  places_.push_back({memory->offset(frame.view().data()), number});
  return true;
}

void RingWriter::begin(const Frames& frames) {
  for (std::size_t i = 0; i < kLoans; ++i)
    if (!lent_[i].empty() && state_->loans[i].load(std::memory_order_acquire) == 0) lent_[i] = {};
  head_ = {frames.size()};
  places_.clear();
  places_.reserve(frames.size());
  frames_ = frames;
  segments_.assign(1, {});
  std::size_t bytes = 0;
  for (const Bytes& frame : frames_) {
    const bool lent = lend(frame);
    head_.push_back(frame.size() | (lent ? kLent : 0));
    segments_.push_back(lent ? std::as_bytes(std::span(places_.back())) : frame.view());
    bytes += segments_.back().size();
  }
  segments_.front() = std::as_bytes(std::span(head_));
  segments_.push_back(std::span(kFilling).first(filling(bytes)));
  segment_ = offset_ = 0;
  if (free_bytes() == size_) begin_again();
}

bool RingWriter::advance() {
  std::size_t room = std::min(free_bytes(), kStep);
  if (room == 0 && !idle()) {
    if (std::exchange(full_at_, at_) != at_) ++full_;
    state_->writer_waits.store(1);
    room = std::min(free_bytes(), kStep);  // once more: the reader may not have seen it
    if (room == 0) return false;
  }
  const std::uint64_t before = state_->written.load(std::memory_order_relaxed);
  while (room > 0 && segment_ < segments_.size()) {
    const auto rest = segments_[segment_].subspan(offset_);
    const std::size_t place = (at_ - begins_) & (size_ - 1), some = std::min({rest.size(), room, size_ - place});
    const std::size_t end = kRingBegins + place + some;
    if (end > memory_.populated() + kTaken) memory_.populate(end);
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

RingReader::RingReader(SharedMemory memory, std::shared_ptr<const SharedMemory> lent, std::size_t message_bytes_max)
    : memory_(std::make_shared<const SharedMemory>(std::move(memory))),
      lent_(std::move(lent)),
      state_(reinterpret_cast<RingState*>(memory_->data())),
      ring_(memory_->data() + kRingBegins),
      message_bytes_max_(message_bytes_max) {
  expect_message();
}

std::optional<Frames> RingReader::fail() {
  broken_ = true;
  return std::nullopt;
}

// Looks where the next record is.
bool RingReader::begin_again() {
  begins_ = state_->begins.load(std::memory_order_relaxed);
  const std::uint64_t size = state_->size.load(std::memory_order_relaxed);
  size_ = static_cast<std::size_t>(size);
  return std::has_single_bit(size) && size >= kRingLeast && size <= kRingBytes;
}

// Fills the rest of the next target, as far as there are bytes.  Whether it is full.
bool RingReader::fill() {
  const std::span<std::byte> to = targets_[target_];
  const std::uint64_t there = state_->written.load(std::memory_order_acquire) - at_;
  if (there > 0 && part_ == Part::count && filled_ == 0 && !begin_again()) return fail(), false;
  if (there > size_) return fail(), false;
  std::size_t some = std::min(static_cast<std::size_t>(there), to.size() - filled_);
  while (some > 0) {
    const std::size_t place = (at_ - begins_) & (size_ - 1), run = std::min(some, size_ - place);
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
        if (count_ == 0 || count_ > kFramesMax) return fail();
        sizes_.resize(static_cast<std::size_t>(count_));
        expect(Part::sizes, {std::as_writable_bytes(std::span(sizes_))});
        break;
      case Part::sizes:
        if (!make_frames()) return fail();
        break;
      case Part::frames:
        if (!borrow()) return fail();
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
  std::size_t bytes = 0, blocks = 0, loans = 0;
  for (const std::uint64_t sent : sizes_) {
    const std::uint64_t size = sent & ~kLent;
    if (size > message_bytes_max_ - bytes) return false;
    bytes += static_cast<std::size_t>(size);
    if (size != sent)
      ++loans;
    else
      blocks += (static_cast<std::size_t>(size) + sizeof(Block) - 1) / sizeof(Block);
  }
  const auto memory = std::make_shared_for_overwrite<Block[]>(blocks);
  places_.resize(loans);
  std::vector<std::span<std::byte>> targets;
  std::byte* place = reinterpret_cast<std::byte*>(memory.get());
  std::size_t inside = 0;
  for (const std::uint64_t size : sizes_) {
    if ((size & kLent) != 0) {
      targets.push_back(std::as_writable_bytes(std::span(places_[places_.size() - loans--])));
      frames_.emplace_back();
    } else {
      targets.emplace_back(place, static_cast<std::size_t>(size));
      frames_.emplace_back(memory, targets.back());
      place += (static_cast<std::size_t>(size) + sizeof(Block) - 1) / sizeof(Block) * sizeof(Block);
    }
    inside += targets.back().size();
  }
  targets.push_back(std::span(filling_).first(filling(inside)));
  expect(Part::frames, std::move(targets));
  return true;
}

// Of the frames that are lent, the places.  False if one is none.
bool RingReader::borrow() {
  auto place = places_.begin();
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    if ((sizes_[i] & kLent) == 0) continue;
    const auto [at, loan] = *place++;
    const std::uint64_t size = sizes_[i] & ~kLent;
    if (lent_ == nullptr || lent_->data() == nullptr || loan >= kLoans || size > kLentMemory || at > kLentMemory - size)
      return false;
    const std::shared_ptr<const std::byte> owner(
        lent_->data() + at, [ring = memory_, lent = lent_, ended = &state_->loans[loan]](const std::byte*) {
          ended->store(0, std::memory_order_release);
        });
    frames_[i] = {owner, {owner.get(), static_cast<std::size_t>(size)}};
  }
  return true;
}

}  // namespace rota
