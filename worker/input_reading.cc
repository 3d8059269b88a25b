#include "worker/input_reading.h"

#include "core/base/seed.h"
#include "core/job/input_files.h"
#include "core/job/plugin_host.h"
#include "core/rounds/push_kinds.h"

namespace rota {

namespace {

// Most keys have little work in one shard, if any.
Bytes encoded(const Census& census) {
  Writer out;
  for (const std::uint64_t work : census) out.put_varint(work);
  return Bytes::from(out.take());
}

void add_encoded(const Bytes& census, Census& sum) {
  Reader in(census.view());
  for (std::size_t key = 0; !in.done() && in.ok(); ++key) {
    if (key == sum.size()) sum.push_back(0);
    sum[key] += in.get_varint();
  }
}

ReadShard read_shard(const std::shared_ptr<const HostedApp>& app, ShardId id, std::unique_ptr<Push> push) {
  ReadShard shard{app, std::move(push)};
  Census census;
  add_census(*shard.push, census);
  shard.items = shard.push->items();
  shard.facts = facts_of(*app->app, id, *shard.push).all();
  shard.census = encoded(census);
  return shard;
}

Result<std::map<ShardId, ReadShard>> load(const std::string& worker, const std::shared_ptr<const HostedApp>& app,
                                          const std::vector<ShardId>& wanted) {
  std::map<ShardId, ReadShard> shards;
  std::size_t made = 0;
  ROTA_TRY(call_hook(app->plugin.name, "load", worker, [&] {
    Random common = random_for(app->job.seed, Stream::load, 0, 0, 0);
    auto pushes = app->app->load(wanted, common);
    made = pushes.size();
    if (made != wanted.size()) return;
    for (std::size_t i = 0; i < made; ++i) shards.emplace(wanted[i], read_shard(app, wanted[i], std::move(pushes[i])));
  }));
  if (made == wanted.size()) return shards;
  return Status(ExitCode::failed,
                "plugin: load made " + std::to_string(made) + " shards, wanted were " + std::to_string(wanted.size()));
}

Result<Contents> contents_of(const HostedApp& app) {
  // Of data by shard, the files' own contents are checked as they are opened; what was read of the user's data, its
  // index says.
  if (app.packed != nullptr) return Contents{app.packed->index().input, app.packed->index().valid};
  ROTA_ASSIGN(const Hash128 input, hash_inputs(app.job.input, app.job.options, app.plugin.options));
  ROTA_ASSIGN(const Hash128 valid, hash_inputs(app.job.valid));
  std::vector<std::string> files = app.job.input;
  files.insert(files.end(), app.job.valid.begin(), app.job.valid.end());
  ROTA_ASSIGN(auto objects, object_versions(std::move(files), app.job.options, app.plugin.options));
  return Contents{input, valid, std::move(objects)};
}

}  // namespace

void InputReading::begin(std::shared_ptr<const HostedApp> app, std::vector<ShardId> wanted, Outbox& out, Done done) {
  done_ = std::move(done);
  out.start(followed_by([this, app, wanted = std::move(wanted)] { return load(name_, app, wanted); },
                        [this](std::map<ShardId, ReadShard>& shards, Outbox& later) {
                          shards_ = std::move(shards);
                          return end_if_done(later);
                        }));
  if (contents_) return;
  out.start_io(followed_by([app] { return contents_of(*app); },
                           [this](const Contents& contents, Outbox& later) {
                             contents_ = contents;
                             return end_if_done(later);
                           }));
}

Status InputReading::end_if_done(Outbox& out) {
  if (!shards_ || !contents_) return {};
  auto shards = *std::exchange(shards_, std::nullopt);
  return std::exchange(done_, nullptr)(std::move(shards), out);
}

Result<Loaded> loaded_message(const std::string& worker, const HostedApp& app, const Contents& contents,
                              std::span<const ReadShard> shards) {
  const Plugin& plugin = app.plugin;
  Loaded message;
  message.app = plugin.name;
  message.items_unit = plugin.items;
  message.starting_pass = plugin.starting_pass;
  message.epochs = plugin.epochs;
  message.input = contents.input;
  message.valid = contents.valid;
  message.objects = contents.objects;
  ROTA_TRY(call_hook(plugin.name, "terms", worker, [&] {
    message.terms = app.app->terms();
    message.scores = app.app->scores();
    message.evaluating_pass = app.app->evaluating_pass();
  }));
  for (const ReadShard& shard : shards) {
    message.items.push_back(shard.items);
    message.facts.push_back(shard.facts);
    add_encoded(shard.census, message.census);
  }
  return message;
}

}  // namespace rota
