#include "coordinator/checkpoints.h"

#include <string>

#include "core/job/run_folder.h"
#include "core/rounds/rows.h"
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

Checkpoints::Checkpoints(const RunPlan& plan, std::shared_ptr<Recorder> recorder, const ShardHosts& hosts,
                         Progress progress)
    : plan_(plan),
      recorder_(std::move(recorder)),
      hosts_(hosts),
      progress_(std::move(progress)),
      copies_(plan.checkpoints, plan.copies, [this](const Status& status, Outbox& out) {
        if (!set_aside_) status.ok() ? commit_if_whole(out) : progress_(status, {}, out);
        return Status();
      }) {}

void Checkpoints::begin(CommitRecord record, Outbox& out) {
  record_ = std::move(record);
  began_ = out.now();
  current_.emplace(plan_, hosts_.size(), record_.epoch);
  for (const NodeId partition : plan_.partition_nodes())
    out.send(partition, Save{record_.epoch, current_->objects_of(partition.index)});
  out.send(hosts_.nodes(), Save{record_.epoch, 0});
  out.send(plan_.scheduler_nodes(), Save{record_.epoch, 0});
}

Status Checkpoints::on(const Saved& saved, NodeId from, Outbox& out) {
  const bool saves = from.role == Role::worker || from.role == Role::scheduler;
  if (!current_ || saved.epoch != current_->epoch() || !saves || !current_->saved(from))
    return unexpected(saved.kind, from);
  if (!current_->all_saved()) return {};
  commit_if_whole(out);
  progress_(Status(), {}, out);
  return {};
}

Status Checkpoints::on(const Written& written, NodeId from, Outbox& out) {
  const Status wrong(ExitCode::bug, "an unexpected WRITTEN of " + written.file + " from " + from.name());
  if (!current_ || written.epoch != current_->epoch() || from.role != Role::partition ||
      !RunFolder::is_partition_of(written.file, written.epoch, from.index) || !current_->written(from.index, written))
    return wrong;
  if (written.apart) {
    const std::string due =
        (RunFolder{}.checkpoint(written.epoch).filename() / RunFolder::partition_file(from.index, plan_.era)).string();
    if (!copies_.possible() || written.file != due) return wrong;
    copies_.begin(from, {written.file, written.file_bytes, written.file_hash}, out);
  }
  commit_if_whole(out);
  return {};
}

Status Checkpoints::on(const Chunk& chunk, NodeId from, Outbox& out) {
  const bool due = from.role == Role::partition && copies_.add(from, chunk, out);
  return due ? Status() : unexpected(chunk.kind, from);
}

// Of its own file in the commit that the run resumes from, and of no other.
Status Checkpoints::on(const AskChunk& ask, NodeId from, Outbox& out) {
  const bool its_own = from.role == Role::partition && copies_.possible() && plan_.resume &&
                       from.index < plan_.resume->files.size() && is_chunk_of(ask, plan_.resume->files[from.index]);
  if (!its_own) return unexpected(ask.kind, from);
  copies_.give(from, ask, out);
  return {};
}

void Checkpoints::commit_if_whole(Outbox& out) {
  if (!current_ || !current_->all_saved() || !current_->all_written() || !copies_.complete()) return;
  current_->fill(record_);
  committing_ = true;
  out.start_io([this, recorder = recorder_, record = record_]() -> Continuation {
    return after_commit(record, recorder->commit(record));
  });
}

// On the thread for files; what it returns runs on the coordinator's.
Continuation Checkpoints::after_commit(CommitRecord record, Status status) {
  return [this, record = std::move(record), status = std::move(status)](Outbox& out) -> Status {
    committing_ = false;
    if (status.ok()) {
      recorder_->event("checkpoint", {{"epoch", record.epoch}, {"hash", record.model_hash.hex()}});
      current_.reset();
      last_ = record;
      if (record.record.best && record.record.best->epoch == record.epoch) best_ = record;
      took_ = out.now() - began_;
    }
    if (!set_aside_) progress_(status, record.epoch, out);
    return {};
  };
}

}  // namespace rota
