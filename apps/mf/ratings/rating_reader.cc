#include "apps/mf/ratings/rating_reader.h"

#include <cmath>

#include "rota/io/decimal.h"
#include "rota/io/numbers.h"

namespace rota::mf {

io::EntryForm entries_of(io::EntryForm form, RatingKind kind) {
  const bool rated = kind == RatingKind::ratings || kind == RatingKind::labels;
  form.fewest = rated ? 3 : 2;
  form.expected = rated ? "a user, an item and a rating" : "a user and an item";
  return form;
}

double rating_of(const io::EntryReader& reader, const io::Entry& entry, RatingKind kind) {
  // Factors and stored ratings are floats, which values derived from larger or smaller ratings might exceed.
  constexpr double kLargest = 1e15, kSmallest = 1e-30;
  if (kind == RatingKind::pairs) return 0;
  if (kind == RatingKind::counts && entry.value.empty()) return 1;
  double value = 0;
  if (!io::parse_number(entry.value, value) || !(std::abs(value) <= kLargest) ||
      (value != 0 && std::abs(value) < kSmallest))
    reader.fail("expected a rating, 0 or a number from 1e-30 to 1e15 in size, found " + io::quoted(entry.value));
  if (kind == RatingKind::counts && value < 0)
    reader.fail("an implicit rating must not be negative: " + io::quoted(entry.value));
  if (kind != RatingKind::labels) return value;
  if (value != 1 && value != 0 && value != -1)
    reader.fail("expected a label, 1 and 0 or -1, found " + io::quoted(entry.value));
  return value > 0 ? 1 : 0;
}

}  // namespace rota::mf
