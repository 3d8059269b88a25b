#include "core/rounds/rows.h"

#include "rota/bytes.h"

namespace rota {

Hash128 Rows::hash() const {
  Hash128 sum;
  for_each([&](TableId table, Key key, std::span<const double> values) {
    Writer row;
    row.put(table);
    row.put(key);
    row.put_all(values);
    sum += hash128(row.view());
  });
  return sum;
}

}  // namespace rota
