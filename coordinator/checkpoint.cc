#include "coordinator/checkpoint.h"

#include "core/rounds/model_hash.h"
#include "rota/bytes.h"

namespace rota {

std::uint64_t Checkpoint::objects_of(std::uint32_t partition) const {
  const auto share = [&](std::uint64_t count) {
    return count / plan_.partitions + (partition < count % plan_.partitions ? 1 : 0);
  };
  return share(plan_.shards) + share(plan_.slices) + share(plan_.schedulers) + (partition == 0 ? 2 : 0) + 1;
}

bool Checkpoint::written(std::uint32_t partition, const Written& report) {
  if (partition >= plan_.partitions || report.objects.size() != objects_of(partition)) return false;
  if (!files_.emplace(partition, HashedFile{report.file, report.file_bytes, report.file_hash}).second) return false;
  for (const ObjectHash& one : report.objects)
    if (!objects_.emplace(std::pair(one.object, one.id), one.hash).second) return false;
  rows_ += report.rows;
  return true;
}

void Checkpoint::fill(CommitRecord& record) const {
  const Hash128 of_nothing = hash128(Writer().view());
  ModelHash model;
  Writer state;
  for (const auto& [name, hash] : objects_) {  // ordered: slices by number, shards by number, ...
    if (name.first == Object::cut || name.first == Object::common) continue;  // they follow from data and options
    if (name.first == Object::pull && hash == of_nothing) continue;  // so most jobs' do not depend on partitions
    if (name.first == Object::slice) {
      model.add_slice(name.second, hash);
      continue;
    }
    state.put(name.first);
    state.put(name.second);
    state.put(hash.low);
    state.put(hash.high);
  }
  model.add_rows(rows_);
  record.model_hash = model.get();
  record.state_hash = hash128(state.view());
  record.files.clear();
  for (const auto& [partition, file] : files_) record.files.push_back(file);
}

}  // namespace rota
