// rota/packed_app.h -- an app whose data `rota shard` can store, from two lists of fields.
//
//   struct Common {                      // what all shards know
//     std::uint64_t rows = 0, columns = 0;
//     void fields(auto& list) {
//       list(rows, columns);
//       list.check(rows > 0 && columns <= kMost);
//     }
//   };
//   struct Data {                        // one shard's
//     std::vector<float> values;
//     void fields(auto& list) { list(values); }
//     std::uint64_t items() const { return values.size(); }                     // as Push::items
//     bool fits(const Common& common, const Job& job, ShardId shard) const;     // what fields() alone cannot check
//   };
//   class MyApp final : public PackedApp<Common, Data> {
//     Loaded read(std::span<const ShardId> hosted) override;
//     std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted, Random&) override;
//   };
//
// Both structures come from the files alone, without options other than Plugin::packed_options; what depends on others
// is made in make_pushes().
#pragma once
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "rota/app.h"
#include "rota/fields.h"
#include "rota/packed.h"

namespace rota {

template <typename Common, typename Data>
class PackedApp : public App {
 public:
  struct Loaded {
    Common common;
    std::vector<Data> hosted;  // in the order asked for
  };

  explicit PackedApp(const Job& job) : job_(job) {}

  // Reads Job::input and Job::valid.  May throw what App::load may.  If it checks more than the data itself requires,
  // because of options that are not packed, not while packing().
  virtual Loaded read(std::span<const ShardId> hosted) const = 0;
  virtual std::vector<std::unique_ptr<Push>> make_pushes(Loaded loaded, std::span<const ShardId> hosted,
                                                         Random& common) = 0;

  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random& common) final {
    return make_pushes(job_.packed == nullptr ? read(hosted) : unpacked(hosted), hosted, common);
  }
  void pack(DataPacker& out) final {
    packing_ = true;
    std::vector<ShardId> all(job_.shards);
    std::iota(all.begin(), all.end(), ShardId{0});
    Loaded loaded = read(all);
    Writer common;
    write_fields(common, loaded.common);
    out.common(common.view());
    for (const ShardId shard : all) {
      const Data data = std::exchange(loaded.hosted[shard], {});
      Writer bytes;
      write_fields(bytes, data);
      out.shard(shard, data.items(), bytes.view());
    }
  }

 protected:
  bool packing() const { return packing_; }
  // For make_pushes(): the P of every hosted shard, made from its number, its data, and `with`.
  template <typename P, typename... With>
  static std::vector<std::unique_ptr<Push>> pushes_of(Loaded& loaded, std::span<const ShardId> hosted,
                                                      const With&... with) {
    std::vector<std::unique_ptr<Push>> pushes;
    for (std::size_t i = 0; i < hosted.size(); ++i)
      pushes.push_back(std::make_unique<P>(hosted[i], std::move(loaded.hosted[i]), with...));
    return pushes;
  }

  const Job& job_;

 private:
  template <typename T>
  static T read_one(Reader& in) {
    T value{};
    Archive list(in);
    list(value);
    return value;
  }
  Loaded unpacked(std::span<const ShardId> hosted) const {
    Loaded loaded{job_.packed->common([](Reader& in) { return read_one<Common>(in); }), {}};
    for (const ShardId shard : hosted)
      loaded.hosted.push_back(job_.packed->shard(shard, [&](Reader& in) {
        Data data = read_one<Data>(in);
        if (in.ok() && !data.fits(loaded.common, job_, shard)) in.fail();
        return data;
      }));
    return loaded;
  }

  bool packing_ = false;
};

}  // namespace rota
