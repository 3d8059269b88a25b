#include "python/module/packing.h"

#include <algorithm>
#include <span>
#include <thread>
#include <variant>

#include "cli/folders/packed_output.h"
#include "core/base/file_hash.h"
#include "core/base/version.h"
#include "core/job/hosted_app.h"
#include "core/job/plugin_host.h"
#include "python/module/arrays.h"
#include "python/module/failure.h"
#include "rota/testing/serial_host.h"

namespace rota::python {
namespace {

// Of everything that a reader sees.
Hash128 hash_of(const MemoryInput& input) {
  std::string parts = std::to_string(input.rows) + " " + std::to_string(input.columns) + " " +
                      std::to_string(input.row_stride) + (input.dense ? " dense" : " sparse");
  const auto add = [&](auto numbers) { parts += " " + hash128(std::as_bytes(numbers)).hex(); };
  std::visit(add, input.values);
  std::visit(add, input.begins);
  std::visit(add, input.column);
  add(input.labels);
  for (const std::string& name : input.names) parts += "\n" + name;
  return hash128(parts);
}

Hash128 hash_of(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  std::string parts;
  for (const std::string& name : names)
    if (const auto input = memory_inputs().find(name))
      parts += hash_of(*input).hex();
    else
      files.push_back(name);
  const Hash128 of_files = must(hash_contents(files));
  return parts.empty() ? of_files : hash128(parts + of_files.hex());
}

}  // namespace

void pack_data(const Plugin& plugin, const std::map<std::string, std::string>& options,
               const std::vector<std::string>& input, const std::vector<std::string>& valid,
               const std::filesystem::path& folder) {
  Job job;
  must(call_hook(plugin.name, "check", "", [&] {
    job = serial_job(plugin, options, input, valid);
    job.threads = std::max(1U, std::thread::hardware_concurrency());
    if (plugin.check != nullptr) plugin.check(job.options);
  }));
  PackedIndex index;
  index.app = plugin.name;
  index.format = plugin.packed_format;
  index.rota = kVersion;
  for (const std::string_view name : plugin.packed_options) {
    std::string value(job.options.text(name));
    // Whatever its number is here; and a path, so that it is the same in every folder.
    if (is_memory_name(value)) value = "/" + std::string(kMemoryPrefix) + std::string(name);
    index.options[std::string(name)] = std::move(value);
  }
  index.input = hash_of(input);
  index.valid = hash_of(valid);
  index.has_valid = !valid.empty();
  PackedOutput output = must(PackedOutput::open(folder, job.shards));
  const auto hosted = host_app(plugin, job);
  const Status packed =
      !hosted.ok() ? hosted.status() : call_hook(plugin.name, "pack", "", [&] { (*hosted)->app->pack(output); });
  if (!packed.ok()) output.give_up();
  must(output.status());
  must(packed);
  must(output.end(std::move(index)));
}

}  // namespace rota::python
