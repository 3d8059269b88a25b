#include "worker/evaluating.h"

#include <string>

#include "core/job/plugin_host.h"

namespace rota {

Evaluating::Evaluating(const Plugin& plugin, Epoch epoch, ShardId first, std::size_t shards, std::size_t visits,
                       std::size_t terms)
    : plugin_(plugin),
      epoch_(epoch),
      first_(first),
      visits_left_(shards * visits),
      shards_left_(shards),
      terms_(terms),
      shares_(shards, Share{std::vector<double>(terms, 0.0), {}}) {}

Status Evaluating::visit(ShardId shard, const Push& push, SliceId slice, const Slice& rows) {
  std::vector<double> terms(terms_, 0.0);
  ROTA_TRY(call_hook(plugin_.name, "Push::evaluate_visit",
                     "shard " + std::to_string(shard) + ", slice " + std::to_string(slice),
                     [&] { push.evaluate_visit(slice, rows, terms); }));
  std::vector<double>& sum = shares_[shard - first_].terms;
  for (std::size_t i = 0; i < terms_; ++i) sum[i] += terms[i];
  return {};
}

Status Evaluating::evaluate(ShardId shard, const Push& push, const Slices& slices) {
  Share& share = shares_[shard - first_];
  return call_hook(plugin_.name, "Push::evaluate", "shard " + std::to_string(shard), [&] {
    std::vector<double> terms(terms_, 0.0);
    push.evaluate(terms);
    for (std::size_t i = 0; i < terms_; ++i) share.terms[i] += terms[i];
    for (const auto& [slice, rows] : slices) {
      share.slices.push_back({slice, std::vector<double>(terms_, 0.0)});
      push.evaluate(slice, *rows, std::span(share.slices.back().terms));
    }
  });
}

Evaluated Evaluating::take() {
  Evaluated all;
  all.epoch = epoch_;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    all.shards.push_back({first_ + i, std::move(shares_[i].terms)});
    for (TermsOf& one : shares_[i].slices) all.slices.push_back(std::move(one));
  }
  return all;
}

}  // namespace rota
