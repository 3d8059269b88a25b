// apps/io/numbers.cc
#include "apps/io/numbers.h"

#include <cstddef>

namespace rota::io {
namespace {

constexpr std::size_t kMostShown = 40;  // bytes of the user's text in a message

}  // namespace

std::string_view next_field(std::string_view& line) {
  const char* const end = line.data() + line.size();
  const char* const begin = skip_blanks(line.data(), end);
  const char* at = begin;
  while (at != end && !is_blank(*at)) ++at;
  line = {at, static_cast<std::size_t>(end - at)};
  return {begin, static_cast<std::size_t>(at - begin)};
}

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string shown = "'";
  for (const char c : text.substr(0, kMostShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else {
      shown += "\\x";
      shown += kHex[byte >> 4];
      shown += kHex[byte & 15];
    }
  }
  if (text.size() > kMostShown) shown += "...";
  return shown + "'";
}

}  // namespace rota::io
