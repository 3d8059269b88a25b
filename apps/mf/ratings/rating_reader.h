// apps/mf/ratings/rating_reader.h -- ratings from files of any format that io/entry_reader.h knows: a user, an item, a
// rating, and perhaps a time.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/entry_reader.h"

namespace rota::mf {

enum class RatingKind {
  ratings,
  labels,  // 1, and 0 or -1, both of which are read as 0
  counts,  // how often: 1 if it is missing; entries of 0 are skipped
  pairs,   // the rating may be missing, and is not read
};

// The form of entries that are ratings of this kind.
io::EntryForm entries_of(io::EntryForm form, RatingKind kind);
// The rating of an entry.  Throws DataError.
double rating_of(const io::EntryReader& reader, const io::Entry& entry, RatingKind kind);

// Valid until the next one is read.
struct RatingLine {
  std::string_view user, item;
  double value;
  const io::Entry& entry;  // as it was written
};
// Calls take(reader, rating) for every rating of the files.  Throws NoInput or DataError.
template <typename Take>
void for_each_rating(const std::vector<std::string>& files, const io::EntryForm& form, RatingKind kind, Take take) {
  io::for_each_entry(files, entries_of(form, kind), [&](const io::EntryReader& reader, const io::Entry& entry) {
    const double value = rating_of(reader, entry, kind);
    if (kind != RatingKind::counts || value != 0) take(reader, RatingLine{entry.first, entry.second, value, entry});
  });
}

}  // namespace rota::mf
