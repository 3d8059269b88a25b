// rota/io/deal_lines.h -- the lines of text files as items, dealt to the shards one by one.
//
//   struct Point { double x, y; };
//   auto points = io::deal_lines<Point>(job.input, job.shards, hosted, "X Y",
//       [](std::string_view line, Point& point) { return io::read_line(line, point.x, point.y); });
//   return make_pushes<PointPush>(points);
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rota/error.h"
#include "rota/io/line_fields.h"
#include "rota/io/lines.h"
#include "rota/shards.h"
#include "rota/types.h"

namespace rota::io {

// Line i of all files, from 0, is an item of shard i mod S.  read(line, item) fills a new Item and returns false if the
// line is not one: then DataError says "expected `expected`, found ...".  Every line is read, hosted here or not, so
// that all processes find the same errors; each(item), if given, sees all items too.  Throws DataError if there is
// none.
template <typename Item, typename Read, typename Each>
HostedShards<std::vector<Item>> deal_lines(const std::vector<std::string>& files, std::uint32_t shards,
                                           std::span<const ShardId> hosted, std::string_view expected, Read read,
                                           Each each) {
  HostedShards<std::vector<Item>> dealt(shards, hosted);
  std::uint64_t count = 0;
  for (const std::string& file : files) {
    Lines lines(file);
    for (std::string_view line; lines.next(line); ++count) {
      Item item{};
      if (!read(line, item)) lines.fail("expected " + std::string(expected) + ", found " + quoted(line));
      each(std::as_const(item));
      if (auto* const its = dealt.of_item(count)) its->push_back(std::move(item));
    }
  }
  require_dealt(count, shards);
  return dealt;
}
template <typename Item, typename Read>
HostedShards<std::vector<Item>> deal_lines(const std::vector<std::string>& files, std::uint32_t shards,
                                           std::span<const ShardId> hosted, std::string_view expected, Read read) {
  return deal_lines<Item>(files, shards, hosted, expected, read, [](const Item&) {});
}

}  // namespace rota::io
