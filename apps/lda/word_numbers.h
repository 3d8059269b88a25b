// apps/lda/word_numbers.h -- words of data without names: their names are their numbers in the data.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace rota::lda {

// The number of the first word, 0 or 1, if the words' names are numbers in order; `name_of` returns the name of each
// position.  Two sets of such words have the same word at the same position, with either first number.
template <typename NameOf>
std::optional<std::uint64_t> first_number(std::size_t words, NameOf name_of) {
  for (const std::uint64_t first : {0, 1}) {
    std::size_t place = 0;
    while (place < words && name_of(place) == std::to_string(place + first)) ++place;
    if (place == words) return first;
  }
  return std::nullopt;
}

}  // namespace rota::lda
