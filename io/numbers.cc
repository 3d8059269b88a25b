// io/numbers.cc
#include "rota/io/numbers.h"

#include <cstddef>

#include "rota/utf8.h"

namespace rota::io {
namespace {

constexpr std::size_t kMostShown = 40;  // bytes of the user's text in a message
// Some words without documents, and documents without words, are usual.
constexpr std::uint64_t kForNothing = std::uint64_t{1} << 20, kForEach = 64;

}  // namespace

std::string_view next_field(std::string_view& line) {
  const char* const end = line.data() + line.size();
  const char* const begin = skip_blanks(line.data(), end);
  const char* at = begin;
  while (at != end && !is_blank(*at)) ++at;
  line = {at, static_cast<std::size_t>(end - at)};
  return {begin, static_cast<std::size_t>(at - begin)};
}

std::string out_of_proportion(std::uint64_t count, const std::string& things, std::uint64_t entries) {
  const std::uint64_t most = kForNothing + kForEach * entries;
  if (count <= most) return {};
  return std::to_string(count) + " " + things + " are out of proportion to the entries that they have, " +
         std::to_string(entries) + ": expected at most " + std::to_string(most) + " (" + std::to_string(kForEach) +
         " for each entry, and " + std::to_string(kForNothing) + ")";
}

std::string quoted(std::string_view text) {
  std::string shown = "'";
  std::string_view rest = text;
  while (!rest.empty()) {
    const CodePoint next = next_code_point(rest);
    if (text.size() - rest.size() + next.bytes > kMostShown) break;
    if (next.valid && next.value >= 0x20 && next.value != 0x7f)
      shown += rest.substr(0, next.bytes);
    else
      append_hex(rest.front(), shown);
    rest.remove_prefix(next.bytes);
  }
  if (!rest.empty()) shown += "...";
  return shown + "'";
}

}  // namespace rota::io
