// rota/packed.h -- data by shard: `rota shard` divides an input, so that a worker opens only the files of its shards.
//
// App::pack writes a file for each data shard, and one with what is common to all; in a job on them App::load reads
// these (Job::packed) in place of Job::input and Job::valid.  PackedApp (packed_app.h) does both from lists of fields.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "rota/bytes.h"
#include "rota/error.h"
#include "rota/types.h"

namespace rota {

// Where App::pack puts the data.  Each call writes a file; common() is called once, shard() once for every shard of the
// job, in any order.
class DataPacker {
 public:
  virtual ~DataPacker() = default;
  virtual void common(std::span<const std::byte> bytes) = 0;
  // `items` are counted as Push::items does.
  virtual void shard(ShardId shard, std::uint64_t items, std::span<const std::byte> bytes) = 0;
};

// What App::pack wrote.  The files come from outside: they match their index, but a reader must not trust a number in
// them further than Reader does.
class PackedData {
 public:
  virtual ~PackedData() = default;

  // Calls read(Reader&), which reads a file to its end or calls Reader::fail, and returns its result.  Throws
  // DataError, with the file's name, if the file is missing or damaged, if read() failed, or if it did not read to the
  // end.
  template <typename Read>
  auto common(Read&& read) const {
    return checked(common_file(), std::forward<Read>(read));
  }
  template <typename Read>
  auto shard(ShardId shard, Read&& read) const {
    return checked(shard_file(shard), std::forward<Read>(read));
  }
  // The name of a file, for messages about the data as a whole.
  virtual std::string name() const = 0;

 protected:
  struct File {
    std::string name;
    Bytes bytes;
  };
  // Throw DataError.
  virtual File common_file() const = 0;
  virtual File shard_file(ShardId shard) const = 0;

 private:
  template <typename Read>
  static auto checked(const File& file, Read&& read) {
    Reader in(file.bytes.view());
    auto data = std::forward<Read>(read)(in);
    if (!in.done()) throw DataError(file.name, 0, "damaged: not data by shard of this app");
    return data;
  }
};

}  // namespace rota
