// apps/mf/seen_ratings.h -- ratings that the process holds as a sparse matrix: seen where they are, without a copy.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "apps/mf/settings.h"
#include "rota/io/memory_matrix.h"

namespace rota::mf {

// A rating in a row: of which item, or by which user.
struct Partner {
  std::uint32_t number;
  float value;
  void fields(auto& list) { list(number, value); }
};

// Users and items have the numbers that the same entries in a file would give them.  Not for use by several threads.
class SeenRatings {
 public:
  // Null if the input is anything else than one sparse matrix in memory, or has an entry that is no rating of this
  // kind.
  static std::shared_ptr<const SeenRatings> of(const std::vector<std::string>& input, RatingKind kind);

  std::size_t users() const { return row_of_user_.size(); }
  std::size_t items() const { return column_of_item_.size(); }
  // The rows of users, the columns of items.
  std::array<std::vector<std::string>, 2> names() const;
  double origin() const { return origin_; }  // see Common
  // The ratings of a user, valid until the next call, multiplied by `scale`.
  std::span<const Partner> row(std::size_t user, float scale = 1) const;
  // The numbers of its items alone.
  std::span<const std::uint32_t> numbers(std::size_t user) const;

 private:
  explicit SeenRatings(const std::string& name) : matrix_(name) {}

  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Whether all entries are ratings.
  bool number(RatingKind kind);

  mutable io::MemoryMatrix matrix_;
  mutable std::vector<Partner> row_;
  mutable std::vector<std::uint32_t> numbers_;
  std::vector<std::uint32_t> row_of_user_, column_of_item_, item_of_column_;
  double origin_ = 0;
  // A file is read with its first rating as the origin, up to one that is far from it: all ratings of the users below
  // first_users_, and the first ones of the next user, have floats that were rounded twice.
  double first_ = 0;
  std::size_t first_users_ = 0, first_of_next_ = 0;
};

}  // namespace rota::mf
