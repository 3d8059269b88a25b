#include "rota/io/line_fields.h"

#include <limits>

namespace rota::io {

bool read_field(std::string_view field, std::uint64_t& value) {
  const char* const end = field.data() + field.size();
  return scan_digits(field.data(), end, value) == end && !field.empty();
}

bool read_field(std::string_view field, std::uint32_t& value) {
  std::uint64_t wide = 0;
  if (!read_field(field, wide) || wide > std::numeric_limits<std::uint32_t>::max()) return false;
  value = static_cast<std::uint32_t>(wide);
  return true;
}

}  // namespace rota::io
