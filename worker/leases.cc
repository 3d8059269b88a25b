#include "worker/leases.h"

#include "core/base/check.h"
#include "core/job/plugin_host.h"

namespace rota {

Status HeldSlice::decode(const HostedApp& app, const Cut& cut, SliceId id) {
  if (rows != nullptr) return {};
  Reader in(bytes.view());
  ROTA_TRY(call_hook(app.plugin.name, "Slice::decode", "slice " + std::to_string(id), [&] {
    rows = app.app->slice(cut.slices[id]);
    rows->decode(in);
  }));
  if (!in.done()) return {ExitCode::bug, "slice " + std::to_string(id) + " failed to decode"};
  bytes = {};
  return {};
}

Result<Bytes> HeldSlice::to_bytes(std::string_view plugin, SliceId id) const {
  if (encoded()) return bytes;
  Writer out;
  ROTA_TRY(call_hook(plugin, "Slice::encode", "slice " + std::to_string(id), [&] { rows->encode(out); }));
  return Bytes::from(out.take());
}

bool Leases::arrive(SliceId slice, RoundId to, Bytes bytes) {
  const auto [held, is_new] = held_.try_emplace(slice);
  if (!is_new) return false;
  held->second.bytes = std::move(bytes);
  held->second.due = to;
  return true;
}

HeldSlice& Leases::use(SliceId slice) {
  HeldSlice& held = held_.at(slice);
  ROTA_CHECK(held.due.has_value());
  held.in_use = true;
  held.last = *held.due;
  held.due.reset();
  return held;
}

}  // namespace rota
