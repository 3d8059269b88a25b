// tests/apps/packed_data.h -- data by shard in memory, for apps over the serial host.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/rounds/push_kinds.h"
#include "rota/error.h"
#include "rota/plugin.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/make_job.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {

class MemoryData final : public DataPacker, public PackedData {
 public:
  using PackedData::common;
  using PackedData::shard;
  void common(std::span<const std::byte> bytes) override { common_.assign(bytes.begin(), bytes.end()); }
  void shard(ShardId shard, std::uint64_t count, std::span<const std::byte> bytes) override {
    shards_[shard].assign(bytes.begin(), bytes.end());
    items += count;
  }
  std::string name() const override { return "index"; }
  // All files, the common one first.
  std::vector<std::vector<std::byte>*> files() {
    std::vector<std::vector<std::byte>*> all{&common_};
    for (auto& [shard, bytes] : shards_) all.push_back(&bytes);
    return all;
  }

  std::uint64_t items = 0;

 protected:
  File common_file() const override { return {"common", Bytes::from(common_)}; }
  File shard_file(ShardId shard) const override { return {"shard", Bytes::from(shards_.at(shard))}; }

 private:
  std::vector<std::byte> common_;
  std::map<ShardId, std::vector<std::byte>> shards_;
};

inline std::shared_ptr<MemoryData> pack(const Job& job) {
  auto data = std::make_shared<MemoryData>();
  linked_plugin().app(job)->pack(*data);
  return data;
}

// The job on data by shard made from its own input, which is no longer readable.
inline Job packed_job(Job job) {
  job.packed = pack(job);
  for (auto* const files : {&job.input, &job.valid})
    for (std::string& file : *files) file = "/no/such/file";
  return job;
}

// Text and shards give the same model, also when shards are read one by one.
inline void expect_one_model(const Job& job) {
  const Job packed = packed_job(job);
  SerialHost of_text(linked_plugin(), job), of_shards(linked_plugin(), packed);
  EXPECT_EQ(of_shards.facts(), of_text.facts());
  EXPECT_EQ(of_shards.items(), of_text.items());
  EXPECT_EQ(of_shards.items(), dynamic_cast<const MemoryData&>(*packed.packed).items);
  of_text.run_epochs(3);
  of_shards.run_epochs(3);
  EXPECT_EQ(of_shards.model_hash(), of_text.model_hash());
  EXPECT_EQ(of_shards.evaluate(), of_text.evaluate());
  EXPECT_TRUE(std::ranges::equal(SerialModel(of_shards).common().view(), SerialModel(of_text).common().view()));
  for (ShardId s = 0; s < job.shards; ++s) {
    Random common({1, 0, 0, 0});
    const ShardId only[] = {s};
    const auto app = linked_plugin().app(packed);
    const auto shards = app->load(only, common);
    ASSERT_EQ(shards.size(), 1U);
    EXPECT_EQ(shards[0]->items(), of_shards.shard(s).items());
    Facts alone, together;
    shards[0]->facts(alone);
    of_shards.shard(s).facts(together);
    EXPECT_EQ(alone, together);
  }
}

// Any changed byte is detected, or gives other data that can be loaded without harm.
inline void expect_flips_are_borne(const Job& job) {
  Job packed = packed_job(job);
  auto data = std::make_shared<MemoryData>(dynamic_cast<const MemoryData&>(*packed.packed));
  packed.packed = data;
  std::vector<ShardId> all(job.shards);
  std::iota(all.begin(), all.end(), ShardId{0});
  std::size_t refused = 0, tried = 0;
  const auto load = [&] {
    ++tried;
    Random common({1, 0, 0, 0});
    try {
      const auto app = linked_plugin().app(packed);
      for (const auto& shard : app->load(all, common)) {
        Facts facts;
        Census census;
        shard->facts(facts);
        add_census(*shard, census);
      }
    } catch (const DataError&) {
      ++refused;
    } catch (const UsageError&) {
      ++refused;
    }
  };
  for (auto* const file : data->files())
    for (std::size_t at = 0; at < file->size(); ++at)
      for (const unsigned flip : {0x01U, 0x80U, 0xffU}) {
        (*file)[at] ^= static_cast<std::byte>(flip);
        load();
        (*file)[at] ^= static_cast<std::byte>(flip);
      }
  EXPECT_GT(refused, tried / 10);
  // A file that is truncated, or too long, is always detected.
  for (auto* const file : data->files()) {
    const std::vector<std::byte> whole = *file;
    refused = tried = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      file->assign(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      load();
    }
    *file = whole;
    file->push_back(std::byte{0});
    load();
    EXPECT_EQ(refused, tried);
    *file = whole;
  }
}

// The message of the E with which the job is refused.
template <typename E>
std::string refusal(const Job& job) {
  return message_of<E>([&] { SerialHost(linked_plugin(), job); });
}

inline Given with(Given given, const Given& more) {
  given.insert(more.begin(), more.end());
  return given;
}

// Jobs on files that a test writes.
class Packed : public testing::Test {
 protected:
  static Job job(const Given& given, const std::string& input, std::vector<std::string> valid = {}) {
    return serial_job(linked_plugin(), given, {input}, std::move(valid));
  }
  const ScratchFiles files;
};

}  // namespace rota::tests
