// core/rounds/push_kinds.h -- a shard as one of the kinds of Push that its class derives from.
#pragma once
#include <span>
#include <stdexcept>
#include <string>

#include "rota/app.h"
#include "rota/exchange/exchange_push.h"
#include "rota/push.h"

namespace rota {

constexpr const char* name_of_kind(const SharedPush*) {
  return "SharedPush";
}
constexpr const char* name_of_kind(const AnySlicePush*) {
  return "SlicePush";
}
constexpr const char* name_of_kind(const ExchangePush*) {
  return "ExchangePush";
}

// Throws std::logic_error if the schedule chose a round of a kind that the shards do not take part in.
template <typename Kind>
Kind& as(Push& push) {
  if (auto* const kind = dynamic_cast<Kind*>(&push)) return *kind;
  throw std::logic_error(
      "the schedule chose a round for rota::" + std::string(name_of_kind(static_cast<Kind*>(nullptr))) +
      ", from which the class of the app's shards does not derive");
}

// What the shard reports of its data; the first one also reports what the app knows of all data.
inline Facts facts_of(const App& app, ShardId id, const Push& push) {
  Facts facts;
  if (id == 0) app.facts(facts);
  push.facts(facts);
  return facts;
}

// What the shard costs by row of the sliced table; nothing if it has no part in rounds of slices.
inline void add_census(const Push& push, Census& census) {
  if (const auto* const slices = dynamic_cast<const AnySlicePush*>(&push)) slices->census(census);
}

// The share of a slice in an evaluation; none if it has no part in them.
inline void add_slice_terms(const Push& push, SliceId id, const Slice& slice, Terms terms) {
  if (const auto* const slices = dynamic_cast<const AnySlicePush*>(&push)) slices->evaluate_any(id, slice, terms);
}

}  // namespace rota
