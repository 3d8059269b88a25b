#include "core/base/zeros.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "rota/numerics/large_vector.h"

namespace rota {
namespace {

constexpr std::size_t kLargeMost = std::size_t{64} << 20;

std::size_t mapped(std::size_t bytes) {
  const auto unit = bytes <= kLargeMost ? kLargePage : static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* map_zeros(std::size_t bytes) {
  const std::size_t whole = mapped(bytes), slack = bytes <= kLargeMost ? kLargePage : 0;
  if (whole < bytes || whole > ~std::size_t{0} - slack) return nullptr;
  void* const got = ::mmap(nullptr, whole + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  if (slack == 0) return got;
  // To begin with a large page.
  auto* const first = static_cast<std::byte*>(got);
  const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(first) % kLargePage) % kLargePage;
  if (before > 0) ::munmap(first, before);
  if (before < slack) ::munmap(first + before + whole, slack - before);
  return in_large_pages(first + before, whole);
}

void unmap_zeros(void* at, std::size_t bytes) {
  ::munmap(at, mapped(bytes));
}

}  // namespace rota
