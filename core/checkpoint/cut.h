// core/checkpoint/cut.h -- a cut as bytes, in checkpoints and models.
#pragma once
#include <optional>

#include "rota/bytes.h"
#include "rota/slices.h"

namespace rota {

inline void encode_cut(const Cut& cut, Writer& out) {
  out.put_varint(cut.slices.size());
  for (const auto& keys : cut.slices) out.put_all(std::span<const Key>(keys));
  out.put_all(std::span<const Key>(cut.replicated));
}

// Nothing if the bytes are wrong.
inline std::optional<Cut> decode_cut(Reader& in) {
  Cut cut;
  cut.slices.resize(in.get_count(1));
  for (auto& keys : cut.slices) keys = in.get_all<Key>();
  cut.replicated = in.get_all<Key>();
  if (!in.done()) return std::nullopt;
  return cut;
}

}  // namespace rota
