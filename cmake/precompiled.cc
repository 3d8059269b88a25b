// cmake/precompiled.cc -- carries the precompiled headers of the libraries; it has no code.
