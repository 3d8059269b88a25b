// python/module/memory_model.h -- a trained model that is held in memory, and can be turned into bytes and back.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rota/fields.h"
#include "rota/model.h"
#include "rota/testing/serial_host.h"

namespace rota::python {

// An evaluation after an epoch: what a line of metrics.jsonl has of it.
struct Evaluation {
  using Named = std::vector<std::pair<std::string, double>>;

  Epoch epoch = 0;
  double seconds = 0;  // of training so far
  std::uint64_t items = 0;
  double objective = 0;
  std::optional<double> per_item, valid;
  Named terms;    // and scores
  Named figures;  // of the schedule
  std::optional<bool> converged;

  void fields(auto& list) { list(epoch, seconds, items, objective, per_item, valid, terms, figures, converged); }
};

// What a training is remembered by, beside its model.
struct Outcome {
  std::string model_hash;
  Epoch epochs = 0;  // that were trained
  std::vector<Evaluation> history;
  std::optional<bool> converged;

  void fields(auto& list) { list(model_hash, epochs, history, converged); }
};

// It has nothing of the input's data, but what the app itself saves of it.
class MemoryModel final : public Model {
 public:
  // Of a host at the end of an epoch.  `last`: it is not used afterwards, and its shards and slices are freed one after
  // the other, so that they and their copies are not in memory together.
  MemoryModel(SerialHost& host, bool last);
  // A copy of a stored model, whose app has these tables.
  MemoryModel(const Model& model, const std::vector<Table>& tables);
  // What to_bytes() made.  Throws DataError if it is anything else, and if another version of Rota wrote it, whose
  // models are not the same.
  static MemoryModel from_bytes(std::span<const std::byte> bytes);
  std::vector<std::byte> to_bytes() const;

  const Job& job() const override { return job_; }
  const Facts& facts() const override { return facts_; }
  const Cut& cut() const override { return cut_; }
  Epoch epoch() const override { return epoch_; }
  std::vector<double> row(TableId table, Key key) const override;
  void for_each_row(TableId table, const std::function<void(Key, std::span<const double>)>& f) const override;
  Bytes slice(SliceId b) const override { return slices_.at(b); }
  Bytes shard(ShardId s) const override { return shards_.at(s); }
  Bytes common() const override { return common_; }

  // The committed rows of a table, by ascending key.
  struct Rows {
    std::uint32_t width = 0;
    std::vector<Key> keys;
    std::vector<double> numbers;

    void fields(auto& list) {
      list(width, keys, numbers);
      list.check(numbers.size() == keys.size() * width &&
                 std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end());
    }
  };
  // None if nothing was committed.
  const Rows& rows(TableId table) const;

  Outcome outcome;

 private:
  MemoryModel() = default;
  void state(Archive& list);
  // Without what is only of the process that trained it.
  void forget_data();
  void put(TableId table, Key key, std::span<const double> row);

  Job job_;
  Facts facts_;
  Cut cut_;
  Epoch epoch_ = 0;
  std::vector<Rows> tables_;
  std::vector<Bytes> slices_, shards_;
  Bytes common_;
};

}  // namespace rota::python
