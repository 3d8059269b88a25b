#include "apps/lasso/by_columns/messages.h"

#include <cstdint>
#include <stdexcept>

namespace rota::lasso {

void write_numbers(Writer& out, std::span<const double> numbers) {
  out.append(numbers.data(), numbers.size_bytes());
}

Bytes aligned(const Bytes& bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.view().data()) % alignof(double) == 0) return bytes;
  Writer copy;
  copy.append(bytes.view().data(), bytes.size());
  return Bytes::from(copy.take());
}

std::span<const double> numbers_in(const Bytes& bytes) {
  if (bytes.size() % sizeof(double) != 0) throw std::runtime_error("damaged data: a gradient");
  return {reinterpret_cast<const double*>(bytes.view().data()), bytes.size() / sizeof(double)};
}

}  // namespace rota::lasso
