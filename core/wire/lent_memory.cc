#include "core/wire/lent_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

namespace rota {
namespace {

std::atomic<LentMemory*> of_this_process{nullptr};

Status no_memory() {
  return {ExitCode::temporary, std::string("memory shared with another process: ") + std::strerror(errno)};
}

std::size_t whole_pages(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

void SharedMemory::swap(SharedMemory& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(populated_, other.populated_);
}

void SharedMemory::populate(std::size_t end) {
  if (end <= populated_) return;
  const std::size_t from = std::exchange(populated_, whole_pages(end));
  (void)::madvise(data_ + from, populated_ - from, MADV_POPULATE_WRITE);
}

Result<SharedMemory> SharedMemory::map(FileDescriptor descriptor, std::size_t bytes) {
  void* const data = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.get(), 0);
  if (data == MAP_FAILED) return no_memory();
  // In large pages, if the operating system has them.
  if (bytes == kLentMemory) (void)::madvise(data, bytes, MADV_HUGEPAGE);
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

LentMemory* LentMemory::of_process() {
  return of_this_process.load(std::memory_order_acquire);
}

void LentMemory::open() {
  static std::once_flag once;
  std::call_once(once, [] {
    // For as long as the process runs: numbers in it may outlive everything else.
    if (auto memory = SharedMemory::create(kLentMemory); memory.ok())
      of_this_process.store(new LentMemory(*std::move(memory)), std::memory_order_release);
  });
}

void* LentMemory::take(std::size_t bytes) {
  bytes = whole_pages(bytes);
  const std::scoped_lock lock(mutex_);
  // The first that is large enough, so that the same memory is used again.
  const auto found = std::ranges::find_if(free_, [bytes](const auto& range) { return range.second >= bytes; });
  if (found == free_.end()) return nullptr;
  const auto [at, size] = *found;
  free_.erase(found);
  if (size > bytes) free_.emplace(at + bytes, size - bytes);
  memory_.populate(at + bytes);
  return memory_.data() + at;
}

void LentMemory::give_back(void* memory, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto range = free_.emplace(offset(memory), whole_pages(bytes)).first;
  if (const auto next = std::next(range); next != free_.end() && range->first + range->second == next->first) {
    range->second += next->second;
    free_.erase(next);
  }
  if (range == free_.begin()) return;
  if (const auto before = std::prev(range); before->first + before->second == range->first) {
    before->second += range->second;
    free_.erase(range);
  }
}

}  // namespace rota
