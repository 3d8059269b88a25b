// core/rounds/model_hash.h -- the one hash of a model: its slices in order, and the set of its shared rows.
#pragma once
#include <span>

#include "core/base/hash.h"
#include "rota/bytes.h"
#include "rota/types.h"

namespace rota {

inline Hash128 row_hash(TableId table, Key key, std::span<const double> values) {
  Writer row;
  row.put(table);
  row.put(key);
  row.put_all(values);
  return hash128(row.view());
}

class ModelHash {
 public:
  // By ascending number.  `bytes_hash` is that of what Slice::encode wrote.
  void add_slice(std::uint64_t slice, const Hash128& bytes_hash) {
    constexpr std::uint8_t kSlice = 2;  // never change it
    slices_.put(kSlice);
    slices_.put(slice);
    slices_.put(bytes_hash.low);
    slices_.put(bytes_hash.high);
  }
  // The sum of row_hash() over all rows, or over some.
  void add_rows(const Hash128& sum) { rows_ += sum; }

  Hash128 get() const {
    Writer all;
    all.append(slices_.view().data(), slices_.view().size());
    all.put(rows_.low);
    all.put(rows_.high);
    return hash128(all.view());
  }

 private:
  Writer slices_;
  Hash128 rows_;
};

}  // namespace rota
