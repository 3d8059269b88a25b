// apps/linear/packed_rows.h -- the rows of LIBSVM files as data by shard.  Labels are stored unchanged, so that one
// packing serves every loss.
//
//   common:     rows, keys, held-out rows: varints
//               weight, mean and sum of squares about it, of labels that are numbers: f64 each
//               labels: a count, then f64 each, ascending; none if there are more than kMostClasses
//               features: a count, then for each that a row has: key, rows: varints; squares, least, most: f64
//   columns far from 0: Origins::write(); with an intercept they are subtracted from all values, also from those above
//   of a shard: its rows, then its held-out rows, each as
// numbers of rows and of entries: varints each row: twice its entries, plus 1 if all values are 1: varint; for each
// entry the difference of its key from the previous one, initially 0: zigzag varint; values: f32 each, unless all are 1
//     labels, weights (or none): a count, then f64 each
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "apps/linear/shard_rows.h"
#include "rota/packed.h"

namespace rota::linear {

// Uses the format, bits, intercept, weights and class weights of the options.  Throws as load_data().
void pack_data(const std::vector<std::string>& files, const std::vector<std::string>& valid, RowOptions settings,
               std::uint32_t shards, DataPacker& out);

// The result of load_data() for the same input.  Throws DataError, also for labels that do not fit the loss.
LoadedData unpack_data(const PackedData& packed, const RowOptions& settings, std::uint32_t shards,
                       std::span<const ShardId> hosted);

}  // namespace rota::linear
