#include "coordinator/checkpoint.h"

#include "core/rounds/placement.h"
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
  if (!files_.emplace(partition, CommittedFile{report.file, report.file_bytes, report.file_hash}).second) return false;
  for (const ObjectHash& one : report.objects)
    if (!objects_.emplace(std::pair(one.object, one.id), one.hash).second) return false;
  rows_ += report.rows;
  return true;
}

void Checkpoint::fill(CommitRecord& record) const {
  const Hash128 of_nothing = hash128(Writer().view());
  Writer model, state;
  for (const auto& [name, hash] : objects_) {  // ordered: slices by number, shards by number, ...
    Writer& out = name.first == Object::slice ? model : state;
    if (name.first == Object::cut || name.first == Object::common) continue;  // they follow from data and options
    if (name.first == Object::pull && hash == of_nothing) continue;  // so most jobs' do not depend on partitions
    out.put(name.first);
    out.put(name.second);
    out.put(hash.low);
    out.put(hash.high);
  }
  model.put(rows_.low);
  model.put(rows_.high);
  record.model_hash = hash128(model.view());
  record.state_hash = hash128(state.view());
  record.files.clear();
  for (const auto& [partition, file] : files_) record.files.push_back(file);
}

}  // namespace rota
