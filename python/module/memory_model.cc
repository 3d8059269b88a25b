#include "python/module/memory_model.h"

#include <algorithm>
#include <stdexcept>

#include "core/base/hash.h"
#include "core/base/version.h"
#include "rota/error.h"
#include "rota/memory_input.h"

namespace rota::python {
namespace {

constexpr std::string_view kMark = "rota-model";
constexpr std::uint32_t kFormat = 1;
constexpr std::uint64_t kMostObjects = std::uint64_t{1} << 32;

// "0.1" of "0.1.3": all of these have the same models (VERSIONS.md).
std::string_view series_of(std::string_view version) {
  return version.substr(0, version.rfind('.'));
}

void list_of(Archive& list, Bytes& bytes) {
  if (list.writer() != nullptr) {
    list.writer()->put_all(bytes.view());
    return;
  }
  bytes = Bytes::from(list.reader()->get_all<std::byte>());
}

void list_of(Archive& list, std::vector<Bytes>& all) {
  std::uint64_t count = all.size();
  list(count);
  list.check(count < kMostObjects);
  if (list.reads()) all.clear();
  for (std::uint64_t i = 0; i < count && list.ok(); ++i) {
    if (list.reads()) all.emplace_back();
    list_of(list, all[i]);
  }
}

void list_of(Archive& list, Facts& facts) {
  std::vector<Fact> all = facts.all();
  std::uint64_t count = all.size();
  list(count);
  for (std::uint64_t i = 0; i < count && list.ok(); ++i) {
    if (list.reads()) all.emplace_back();
    list(all[i].name, all[i].kind, all[i].values);
    list.check(all[i].kind == Fact::Kind::sum || all[i].kind == Fact::Kind::largest);
  }
  if (!list.reads() || !list.ok()) return;
  for (std::size_t i = 1; i < all.size(); ++i) list.check(all[i - 1].name < all[i].name);
  if (list.ok()) facts = Facts(std::move(all));
}

void list_of(Archive& list, Options& options) {
  std::vector<std::pair<std::string, std::string>> all(options.all().begin(), options.all().end());
  list(all);
  if (list.reads()) options = Options({all.begin(), all.end()});
}

template <typename T>
Bytes bytes_of(const T& object, void (T::*write)(Writer&) const) {
  Writer out;
  (object.*write)(out);
  std::vector<std::byte> bytes = out.take();
  bytes.shrink_to_fit();
  return Bytes::from(std::move(bytes));
}

}  // namespace

MemoryModel::MemoryModel(SerialHost& host, bool last)
    : job_(host.job()), facts_(host.facts()), cut_(host.cut()), epoch_(host.epochs() - 1) {
  forget_data();
  for (SliceId b = 0; b < cut_.slices.size(); ++b) {
    slices_.push_back(bytes_of(host.slice(b), &Slice::encode));
    if (last) host.free_slice(b);
  }
  for (ShardId s = 0; s < job_.shards; ++s) {
    shards_.push_back(bytes_of<Stateful>(host.shard(s), &Stateful::save));
    if (last) host.free_shard(s);
  }
  common_ = bytes_of(host.app(), &App::save_common);
  host.rows().for_each([&](TableId table, Key key, std::span<const double> row) { put(table, key, row); });
}

MemoryModel::MemoryModel(const Model& model, const std::vector<Table>& tables)
    : job_(model.job()), facts_(model.facts()), cut_(model.cut()), epoch_(model.epoch()) {
  forget_data();
  for (SliceId b = 0; b < cut_.slices.size(); ++b) slices_.push_back(model.slice(b));
  for (ShardId s = 0; s < job_.shards; ++s) shards_.push_back(model.shard(s));
  common_ = model.common();
  for (TableId t = 0; t < tables.size(); ++t)
    if (tables[t].kind == Table::Kind::shared)
      model.for_each_row(t, [&](Key key, std::span<const double> row) { put(t, key, row); });
}

void MemoryModel::forget_data() {
  job_.input.clear();
  job_.valid.clear();
  job_.initial = nullptr;
  job_.packed = nullptr;
  auto values = job_.options.all();
  for (auto& [name, value] : values)
    if (is_memory_name(value)) value = std::string(kMemoryPrefix) + name;
  job_.options = Options(std::move(values));
}

void MemoryModel::put(TableId table, Key key, std::span<const double> row) {
  if (tables_.size() <= table) tables_.resize(table + std::size_t{1});
  Rows& rows = tables_[table];
  rows.width = static_cast<std::uint32_t>(row.size());
  rows.keys.push_back(key);
  rows.numbers.insert(rows.numbers.end(), row.begin(), row.end());
}

const MemoryModel::Rows& MemoryModel::rows(TableId table) const {
  static const Rows none;
  return table < tables_.size() ? tables_[table] : none;
}

std::vector<double> MemoryModel::row(TableId table, Key key) const {
  const Rows& rows = this->rows(table);
  const auto found = std::ranges::lower_bound(rows.keys, key);
  if (found == rows.keys.end() || *found != key) return std::vector<double>(rows.width);
  const auto at = rows.numbers.begin() + (found - rows.keys.begin()) * static_cast<std::ptrdiff_t>(rows.width);
  return {at, at + rows.width};
}

void MemoryModel::for_each_row(TableId table, const std::function<void(Key, std::span<const double>)>& f) const {
  const Rows& rows = this->rows(table);
  for (std::size_t i = 0; i < rows.keys.size(); ++i)
    f(rows.keys[i], std::span(rows.numbers).subspan(i * rows.width, rows.width));
}

void MemoryModel::state(Archive& list) {
  list_of(list, job_.options);
  list(job_.seed, job_.shards, job_.slices, job_.schedulers, job_.staleness, job_.pipeline, epoch_, outcome);
  list_of(list, facts_);
  list(cut_.slices, cut_.replicated, tables_);
  list_of(list, slices_);
  list_of(list, shards_);
  list_of(list, common_);
  list.check(slices_.size() == cut_.slices.size() && shards_.size() == job_.shards);
}

// Mark, format, version, checksum of what follows.
std::vector<std::byte> MemoryModel::to_bytes() const {
  Writer content;
  Archive list(content);
  const_cast<MemoryModel&>(*this).state(list);
  Writer out;
  out.reserve(content.view().size() + 64);
  out.put_text(kMark);
  out.put(kFormat);
  out.put_text(kVersion);
  const Hash128 hash = hash128(content.view());
  out.put(hash.low);
  out.put(hash.high);
  out.append(content.view().data(), content.view().size());
  return out.take();
}

MemoryModel MemoryModel::from_bytes(std::span<const std::byte> bytes) {
  const auto refuse = [](const std::string& what) { throw DataError("model", 0, what); };
  Reader in(bytes);
  if (in.get_text() != kMark || !in.ok()) refuse("these are not the bytes of a model");
  const auto format = in.get<std::uint32_t>();
  const std::string version = in.get_text();
  if (!in.ok() || format != kFormat || series_of(version) != series_of(kVersion))
    refuse("Rota " + version + " wrote it, and this is " + kVersion + ": train it again");
  Hash128 hash;
  hash.low = in.get<std::uint64_t>();
  hash.high = in.get<std::uint64_t>();
  const std::span<const std::byte> content = in.rest();
  if (!in.ok() || hash128(content) != hash) refuse("damaged");
  Reader reader(content);
  Archive list(reader);
  MemoryModel model;
  model.state(list);
  if (!reader.done()) refuse("damaged");
  return model;
}

}  // namespace rota::python
