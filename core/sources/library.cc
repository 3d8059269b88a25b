#include "core/sources/library.h"

#include <dlfcn.h>

#include "core/base/trust.h"

namespace rota {

Result<Library> Library::open(const std::string& name_or_path) {
  if (name_or_path.find('/') != name_or_path.npos) ROTA_TRY(check_trusted(name_or_path).in("library refused"));
  void* const handle = ::dlopen(name_or_path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return Library(handle);
  const char* const reason = ::dlerror();
  return Status(ExitCode::no_input, reason != nullptr ? reason : name_or_path + " cannot be opened");
}

void* Library::symbol(const char* name) const {
  return ::dlsym(handle_, name);
}

}  // namespace rota
