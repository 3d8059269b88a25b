#include "core/rounds/rows.h"

#include "core/base/check.h"
#include "core/rounds/placement.h"

namespace rota {

// Bytes of a page, about: a row that is added in its middle moves half of them.
constexpr std::size_t kPageBytes = 8192;
// What std::map keeps beside a value, about.
constexpr std::size_t kMapNodeBytes = 48;

RowStore::RowStore(std::uint32_t width) : width_(width) {
  const std::size_t rows = kPageBytes / (std::max<std::size_t>(width, 1) * sizeof(double));
  shift_ = static_cast<unsigned>(std::bit_width(std::clamp<std::size_t>(rows, 16, kWords * 64)) - 1);
}

RowStore::RowStore(std::uint32_t width, const KeyRange& range) : RowStore(width) {
  const auto rows = static_cast<std::size_t>(range.end - range.first);
  dense_.emplace(Dense{range, Zeroed<double>(rows * width), Zeroed<std::uint64_t>((rows + 63) / 64)});
}

std::size_t RowStore::place_of(const Page& page, std::size_t key) {
  std::size_t place = 0;
  for (std::size_t word = 0; word < key / 64; ++word)
    place += static_cast<std::size_t>(std::popcount(page.present[word]));
  const std::uint64_t before = page.present[key / 64] & ((std::uint64_t{1} << key % 64) - 1);
  return place + static_cast<std::size_t>(std::popcount(before));
}

std::optional<std::span<const double>> RowStore::find(Key key) const {
  if (dense_) {
    const auto place = static_cast<std::size_t>(key - dense_->range.first);
    if (key < dense_->range.first || key >= dense_->range.end || (dense_->present[place / 64] >> place % 64 & 1) == 0)
      return std::nullopt;
    return std::span(dense_->values.data() + place * width_, width_);
  }
  const auto page = pages_.find(key >> shift_);
  if (page == pages_.end()) return std::nullopt;
  const auto in_page = static_cast<std::size_t>(key & ((Key{1} << shift_) - 1));
  if ((page->second.present[in_page / 64] >> in_page % 64 & 1) == 0) return std::nullopt;
  return std::span(page->second.values).subspan(place_of(page->second, in_page) * width_, width_);
}

std::span<double> RowStore::at(Key key) {
  if (dense_) return at_run({key, 1});
  Page& page = pages_[key >> shift_];
  const auto in_page = static_cast<std::size_t>(key & ((Key{1} << shift_) - 1));
  const std::size_t at = place_of(page, in_page) * width_;
  std::uint64_t& word = page.present[in_page / 64];
  const std::uint64_t bit = std::uint64_t{1} << in_page % 64;
  if ((word & bit) == 0) {
    word |= bit;
    ++rows_;
    // Room by little steps: a page is small, so that copying it costs little, and half of it empty would cost much.
    const std::size_t size = page.values.size() + width_;
    const std::size_t page_size = (std::size_t{1} << shift_) * width_;
    if (size > page.values.capacity()) page.values.reserve(std::min(size + size / 16, page_size));
    page.values.insert(page.values.begin() + static_cast<std::ptrdiff_t>(at), width_, 0.0);
  }
  return std::span(page.values).subspan(at, width_);
}

std::span<double> RowStore::at_run(const KeyRun& run) {
  ROTA_CHECK(dense_.has_value());
  const KeyRange& range = dense_->range;
  ROTA_CHECK(run.first >= range.first && run.first <= range.end && run.count <= range.end - run.first);
  const auto first = static_cast<std::size_t>(run.first - range.first),
             end = first + static_cast<std::size_t>(run.count);
  for (std::size_t at = first; at < end;) {
    const std::size_t bits = std::min(end - at, 64 - at % 64);
    const std::uint64_t mask = (bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1) << at % 64;
    std::uint64_t& word = dense_->present[at / 64];
    rows_ += static_cast<std::uint64_t>(std::popcount(mask & ~word));
    word |= mask;
    at += bits;
  }
  return {dense_->values.data() + first * width_, (end - first) * width_};
}

std::size_t RowStore::memory() const {
  std::size_t bytes = sizeof *this;
  if (dense_) bytes += dense_->values.size() * sizeof(double) + dense_->present.size() * sizeof(std::uint64_t);
  for (const auto& [number, page] : pages_)
    bytes += kMapNodeBytes + sizeof page + page.values.capacity() * sizeof(double);
  return bytes;
}

Rows::Rows(std::vector<Table> tables, std::uint32_t partition, std::uint32_t partitions) : tables_(std::move(tables)) {
  for (const Table& table : tables_) {
    ranges_.push_back(table.dense ? range_of(table, partition, partitions) : KeyRange{0, table.keys});
    rows_.push_back(table.dense ? RowStore(table.row_width, ranges_.back()) : RowStore(table.row_width));
  }
}

}  // namespace rota
