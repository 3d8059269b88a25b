#include "apps/mf/seen_ratings.h"

#include <cmath>

#include "apps/mf/ratings.h"
#include "rota/io/vocabulary.h"

namespace rota::mf {

std::shared_ptr<const SeenRatings> SeenRatings::of(const std::vector<std::string>& input, RatingKind kind) {
  if (input.size() != 1 || !is_memory_name(input[0]) || (kind != RatingKind::ratings && kind != RatingKind::counts))
    return nullptr;
  const std::shared_ptr<SeenRatings> seen(new SeenRatings(input[0]));
  return !seen->matrix_.input().dense && seen->number(kind) ? seen : nullptr;
}

bool SeenRatings::number(RatingKind kind) {
  if (std::max(matrix_.rows(), matrix_.columns()) > io::kMostWords) return false;
  item_of_column_.assign(matrix_.columns(), kNone);
  bool near = kind == RatingKind::ratings;  // all up to here
  for (std::uint32_t r = 0; r < matrix_.rows(); ++r) {
    matrix_.read(r, false);
    if (matrix_.row_values().empty()) continue;
    for (std::size_t e = 0; e < matrix_.row_values().size(); ++e) {
      const double value = matrix_.row_values()[e];
      if (!is_rating(value) || (kind == RatingKind::counts && value <= 0)) return false;
      std::uint32_t& item = item_of_column_[matrix_.row_columns()[e]];
      if (item == kNone) {
        item = static_cast<std::uint32_t>(column_of_item_.size());
        column_of_item_.push_back(matrix_.row_columns()[e]);
      }
      if (near && users() == 0 && e == 0) first_ = value;
      if (!near || is_near(value, first_)) continue;
      near = false;
      first_users_ = users();
      first_of_next_ = e;
    }
    row_of_user_.push_back(r);
  }
  if (near) origin_ = first_;
  return users() > 0;
}

std::array<std::vector<std::string>, 2> SeenRatings::names() const {
  std::array<std::vector<std::string>, 2> names;
  for (const std::uint32_t row : row_of_user_) names[kUserSide].push_back(std::to_string(row));
  for (const std::uint32_t column : column_of_item_) names[kItemSide].push_back(std::to_string(column));
  return names;
}

std::span<const Partner> SeenRatings::row(std::size_t user, float scale) const {
  matrix_.read(row_of_user_[user], false);
  const std::span<const std::uint32_t> columns = matrix_.row_columns();
  const std::span<const double> values = matrix_.row_values();
  row_.resize(values.size());
  for (std::size_t e = 0; e < values.size(); ++e)
    row_[e] = {item_of_column_[columns[e]], static_cast<float>(values[e] - origin_) * scale};
  if (user <= first_users_ && first_ != origin_)
    for (std::size_t e = 0; e < (user < first_users_ ? values.size() : first_of_next_); ++e)
      row_[e].value = static_cast<float>(first_ + static_cast<double>(static_cast<float>(values[e] - first_))) * scale;
  return row_;
}

std::span<const std::uint32_t> SeenRatings::numbers(std::size_t user) const {
  matrix_.read(row_of_user_[user], false);
  const std::span<const std::uint32_t> columns = matrix_.row_columns();
  numbers_.resize(columns.size());
  for (std::size_t e = 0; e < columns.size(); ++e) numbers_[e] = item_of_column_[columns[e]];
  return numbers_;
}

}  // namespace rota::mf
