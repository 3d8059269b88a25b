#include "worker/input_reading.h"

#include <string>
#include <tuple>

#include "core/base/file_hash.h"
#include "core/base/seed.h"
#include "core/job/plugin_host.h"

namespace rota {

void InputReading::begin(std::vector<ShardId> hosted, Outbox& out, Done done) {
  done_ = std::move(done);
  out.start([this, hosted = std::move(hosted)]() -> Continuation {
    auto shards = std::make_shared<Shards>();
    const Status status = load(hosted, *shards);
    return [this, status, shards](Outbox& later) -> Status {
      ROTA_TRY(status);
      shards_ = std::move(*shards);
      return end_if_done(later);
    };
  });
  out.start_io([this]() -> Continuation {
    const auto input = hash_contents(app_.job.input), valid = hash_contents(app_.job.valid);
    return [this, input, valid](Outbox& later) -> Status {
      ROTA_TRY(input.status());
      ROTA_TRY(valid.status());
      contents_ = std::pair(*input, *valid);
      return end_if_done(later);
    };
  });
}

Status InputReading::load(const std::vector<ShardId>& hosted, Shards& shards) const {
  const Plugin& plugin = app_.plugin;
  Loaded& message = shards.message;
  message.app = plugin.name;
  message.items_unit = plugin.items;
  message.starting_pass = plugin.starting_pass;
  message.epochs = plugin.epochs;
  ROTA_TRY(call_hook(plugin.name, "terms", name_, [&] {
    message.terms = app_.app->terms();
    message.scores = app_.app->scores();
    message.evaluating_pass = app_.app->evaluating_pass();
  }));
  ROTA_TRY(call_hook(plugin.name, "load", name_, [&] {
    Random common = random_for(app_.job.seed, Stream::load, 0, 0, 0);
    shards.pushes = app_.app->load(hosted, common);
    for (const auto& push : shards.pushes) {
      Facts facts;
      push->facts(facts);
      message.items.push_back(push->items());
      message.facts.push_back(facts.all());
      push->census(message.census);
    }
  }));
  if (shards.pushes.size() == hosted.size()) return {};
  return {ExitCode::failed, "plugin: load made " + std::to_string(shards.pushes.size()) + " shards, wanted were " +
                                std::to_string(hosted.size())};
}

Status InputReading::end_if_done(Outbox& out) {
  if (!shards_ || !contents_) return {};
  std::tie(shards_->message.input, shards_->message.valid) = *contents_;
  return done_(*std::exchange(shards_, std::nullopt), out);
}

}  // namespace rota
