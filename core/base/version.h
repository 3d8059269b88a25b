// core/base/version.h -- the version that processes of a job must share.
#pragma once

namespace rota {

inline constexpr char kVersion[] = ROTA_VERSION;

}  // namespace rota
