// core/sources/library.h -- opens a library of the system's, or of the user's, at run time.
//
// Linking libcurl would load it and the 30 libraries that it needs into each process of each job (4 ms and 4 MB each),
// also of those that read local files, which are almost all; DuckDB is no package of Debian's.
#pragma once
#include <string>

#include "core/base/status.h"

namespace rota {

// Never closed: code of it may be in use until the process ends.
class Library {
 public:
  // By its name, as the system finds it; or by its path, then refused where other users could change it (trust.h).
  // ExitCode::no_input if there is none, with the system's reason.
  static Result<Library> open(const std::string& name_or_path);

  // Sets a pointer to a function of this name; false if there is none.
  template <typename F>
  bool find(const char* name, F*& function) const {
    function = reinterpret_cast<F*>(symbol(name));
    return function != nullptr;
  }

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* symbol(const char* name) const;
  void* handle_;
};

}  // namespace rota
