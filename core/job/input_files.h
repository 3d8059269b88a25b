// core/job/input_files.h -- which files --input names.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/hash.h"
#include "core/base/status.h"
#include "rota/options.h"

namespace rota {

// `input` is a file, a folder, a pattern with * ? [, or several of these separated by commas.  The order is fixed:
// that of the list, and by name within a folder or a pattern.  Of a folder, the files right inside are meant, without
// hidden ones and without folders.  A part that is a URL names an object, or with s3://BUCKET/PREFIX/ those right below
// it (core/sources/remote_objects.h); a comma in one is written %2C.  ExitCode::no_input if something is missing, empty
// or cannot be read; bad_data if it is data by shard, which is no text (packed_folder.h).
Result<std::vector<std::string>> input_files(std::string_view input);

// The same for a job, whose processes read them each, and again when it is resumed: no pipe and no device, but for
// /dev/null, which an app without data may be given.
Result<std::vector<std::string>> data_files(std::string_view input);

// ExitCode::no_input if one of the options is a path of what is there and is neither a file nor a folder, or a URL of
// what cannot be read.
Status check_paths(const Options& options, std::span<const Option> table);

// Of what is in these files, one after the other: of local ones as hash_contents(), of others the version that is read.
Result<Hash128> hash_inputs(std::span<const std::string> files);
// The same, and of the objects that options of paths name.
Result<Hash128> hash_inputs(std::vector<std::string> files, const Options& options, std::span<const Option> table);

// The objects among them, in their order, each with the hash of its version.
Result<std::vector<HashedFile>> object_versions(std::vector<std::string> files, const Options& options,
                                                std::span<const Option> table);

// Those of `input` that need no server to be named, and URLs as they are.  Empty if something is missing.
std::vector<std::string> named_inputs(std::string_view input);

// The parts of `input` between its commas, as they are.
std::vector<std::string> input_parts(std::string_view input);

// `input` with every part made absolute, so that it can be read from any folder; "-" and URLs stay.
std::string absolute_input(std::string_view input);

}  // namespace rota
