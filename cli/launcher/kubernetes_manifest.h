// cli/launcher/kubernetes_manifest.h -- what Kubernetes is given to run a job: the manifest of `rota manifest
// kubernetes`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace rota {

// A PersistentVolumeClaim, and the folder at which pods have it.
struct MountedClaim {
  std::string claim;
  std::string folder;

  bool operator==(const MountedClaim&) const = default;
};
// "CLAIM:/FOLDER,CLAIM:/FOLDER".  ExitCode::usage if it is not, or if Rota's own volumes are at such a folder.
Result<std::vector<MountedClaim>> mounted_claims(std::string_view text);

// Whether Kubernetes takes it as a name, with room for what is appended.
bool is_object_name(std::string_view name);
// An amount of memory with its unit: "8Gi".  A number alone would be bytes.
bool is_memory_amount(std::string_view text);

struct KubernetesJob {
  std::string name;                  // of the objects
  std::string app;                   // of the command line
  std::string image;                 // whose entry point is `rota`
  std::vector<std::string> options;  // of the run, without --out: "--topics=20"
  std::vector<std::string> log_options;
  std::string input, out;
  std::vector<MountedClaim> claims;
  std::string memory;  // of a pod that holds data or the model; "": not limited
  std::int64_t workers = 1, threads = 1, schedulers = 1, stores = 0;
  std::int64_t grace_seconds = 300;
  bool pods = false;      // one for each process; else one that is a whole `rota train`
  bool insecure = false;  // pods without keys
};

// YAML.  ExitCode::usage if --out is not within a claim, or a text cannot be written as YAML.
Result<std::string> kubernetes_manifest(const KubernetesJob& job);

}  // namespace rota
