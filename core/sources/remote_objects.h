// core/sources/remote_objects.h -- the objects at URLs that this process reads, each in one version.
//
// The first look at an object, or at the list that names it, decides its version: its ETag, or its time of change and
// size.  Each later request asks for that version (If-Match, If-Unmodified-Since), and its reply is compared with it.
// An object of a server that tells no version, or serves no parts, is copied into an unnamed temporary file.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/file_hash.h"
#include "core/base/status.h"
#include "rota/host_files.h"

namespace rota {

// ExitCode::usage for a URL with a password or a signature in it, which the run's folder would show, or one that is
// none.  The text does not repeat it.
Status check_url(const std::string& url);

// The objects that a URL names: itself, or, of "s3://BUCKET/PREFIX/", those right below it, in the order of their
// names, without empty ones and those whose name begins with '.' or '_' (marks of other programs).  Asks each server
// once.  ExitCode::no_input if there is none; texts begin with the URL.
Result<std::vector<std::string>> remote_objects(const std::string& url);

// Of the object in the version that this process reads; later calls return the same.
Result<std::shared_ptr<const RemoteFile>> open_remote(const std::string& url);

// Of that version, without reading it: two that are equal are of the same content.
Result<FileHash> version_hash(const std::string& url);

// Throws `status`, which is none of success, as the exception with its exit code (rota/error.h).
[[noreturn]] void raise(const Status& status);

}  // namespace rota
