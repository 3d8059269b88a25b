#include "cli/remote/place.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#include "core/base/files.h"
#include "core/base/start_number.h"

namespace rota {

namespace {

constexpr std::size_t kDigits = 16;
constexpr std::size_t kPlaceBytesMax = 256;

std::string new_number() {
  char text[kDigits + 1];
  std::snprintf(text, sizeof text, "%016" PRIx64, new_start_number());
  return text;
}

bool is_number(std::string_view text) {
  return text.size() == kDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

Result<Place> read_place(const RunFolder& run) {
  ROTA_ASSIGN(auto text, read_whole_file(run.place(), kPlaceBytesMax));
  if (text.ends_with('\n')) text.pop_back();
  return place_of(text);
}

}  // namespace

std::string text_of(const Place& place) {
  return place.run + " " + place.launch;
}

Result<Place> place_of(std::string_view text) {
  const std::size_t space = std::min(text.find(' '), text.size());
  const std::string_view run = text.substr(0, space), launch = text.substr(std::min(space + 1, text.size()));
  if (!is_number(run) || !is_number(launch)) return Status(ExitCode::bad_data, "no place of a run");
  return Place{std::string(run), std::string(launch)};
}

Result<Place> mark_place(const RunFolder& run) {
  const auto before = read_place(run);
  Place place{before.ok() ? before->run : new_number(), new_number()};
  ROTA_TRY(write_atomically(run.place(), text_of(place) + "\n"));
  return place;
}

bool is_marked(const RunFolder& run, const Place& place) {
  const auto here = read_place(run);
  return here.ok() && *here == place;
}

}  // namespace rota
