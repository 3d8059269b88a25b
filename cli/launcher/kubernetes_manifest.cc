#include "cli/launcher/kubernetes_manifest.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <utility>

#include "rota/utf8.h"

namespace rota {
namespace {

constexpr std::size_t kNameMost = 40;  // of 63, for "-coordinator", the index of a pod, and its random letters
constexpr int kPort = 7700;            // of the coordinator in a pod of its own, where no other process listens
constexpr const char* kOwn[] = {"/tmp", "/own", "/keys"};
// With which trying again ends in the same way, or which a person has to look at: docs/run-folder.md.
constexpr ExitCode kFinal[] = {
    ExitCode::failed,       ExitCode::usage, ExitCode::bad_data,       ExitCode::no_input,      ExitCode::bug,
    ExitCode::cannot_write, ExitCode::disk,  ExitCode::not_authorised, ExitCode::wrong_version, ExitCode::interrupted};

// The fields of the pods of one role.
struct PodGroup {
  std::string component;  // of the app, in its labels
  std::string suffix;     // of the object's name
  std::vector<std::string> arguments;
  std::vector<std::string> probe;  // a command that succeeds while the run is active; empty: there is none
  std::vector<MountedClaim> claims;
  std::string writable;  // the claim that is
  std::string secrets;   // role whose secret key it has; "": no keys
  std::int64_t cpus = 1;
  bool has_memory = false, has_own_disk = false;
  std::int64_t count = 0;  // of pods with an index; 0: one without
};

// A JSON string is a string of YAML too.  An option needs quotes only for characters that mean something to YAML.
std::string yaml_string(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-=./,+@%").find(static_cast<char>(c)) != std::string_view::npos;
  };
  return text.starts_with("--") && std::ranges::all_of(text, plain) ? text : nlohmann::json(text).dump();
}

// Of arguments, but of nothing else, Kubernetes replaces $(NAME), and reads $$ as $.
std::string without_references(const std::string& argument) {
  std::string text;
  for (const char c : argument) text += c == '$' ? std::string("$$") : std::string(1, c);
  return text;
}

class Lines {
 public:
  explicit Lines(std::string& text) : text_(text) {}
  void operator()(std::size_t indent, const std::string& line) { text_ += std::string(indent, ' ') + line + "\n"; }

 private:
  std::string& text_;
};

bool is_within(std::string_view path, const std::string& folder) {
  return path.starts_with(folder + "/") && path.size() > folder.size() + 1;
}

// Whether an option names something in the folder, also as one of several: --input=/a/x,/b/y.
bool names(const std::string& option, const std::string& folder) {
  std::size_t at = option.find('=');
  for (; at != option.npos; at = option.find(',', at + 1))
    if (std::string_view(option).substr(at + 1).starts_with(folder)) return true;
  return false;
}

void add_labels(Lines& yaml, std::size_t indent, const KubernetesJob& job, const std::string& component) {
  yaml(indent, "app.kubernetes.io/name: rota");
  yaml(indent, "app.kubernetes.io/instance: \"" + job.name + "\"");
  yaml(indent, "app.kubernetes.io/component: " + component);
}

void add_failure_policy(Lines& yaml, bool indexed) {
  std::string codes;
  for (const ExitCode code : kFinal) codes += (codes.empty() ? "" : ", ") + std::to_string(static_cast<int>(code));
  yaml(2, "podFailurePolicy:");
  yaml(4, "rules:");
  yaml(6, "# Trying again would end in the same way.");
  yaml(6, std::string("- action: ") + (indexed ? "FailIndex" : "FailJob"));
  yaml(8, "onExitCodes:");
  yaml(10, "operator: In");
  yaml(10, "values: [" + codes + "]");
  yaml(6, "# An eviction, a drained node, a preemption: not the run's fault.");
  yaml(6, "- action: Ignore");
  yaml(8, "onPodConditions:");
  yaml(10, "- type: DisruptionTarget");
  yaml(12, "status: \"True\"");
}

void add_container(Lines& yaml, const KubernetesJob& job, const PodGroup& pod) {
  yaml(8, "- name: rota");
  yaml(10, "image: " + nlohmann::json(job.image).dump());
  yaml(10, "args:");
  for (const std::string& one : pod.arguments) yaml(12, "- " + yaml_string(without_references(one)));
  yaml(10, "resources:");
  yaml(12, "requests:");
  yaml(14, "cpu: " + std::to_string(pod.cpus));
  if (pod.has_memory && !job.memory.empty()) {
    yaml(14, "memory: " + job.memory);
    yaml(12, "limits:");
    yaml(14, "memory: " + job.memory);
  }
  if (!pod.probe.empty()) {
    yaml(10, "readinessProbe:");
    yaml(12, "exec:");
    yaml(14, "command:");
    for (const std::string& one : pod.probe) yaml(16, "- " + yaml_string(one));
    yaml(12, "periodSeconds: 15");
    yaml(12, "timeoutSeconds: 10");
  }
  yaml(10, "securityContext:");
  yaml(12, "allowPrivilegeEscalation: false");
  yaml(12, "readOnlyRootFilesystem: true");
  yaml(12, "capabilities:");
  yaml(14, "drop: [ALL]");
  yaml(10, "volumeMounts:");
  yaml(12, "- name: tmp");
  yaml(14, "mountPath: /tmp");
  if (pod.has_own_disk) {
    yaml(12, "- name: own");
    yaml(14, "mountPath: /own");
  }
  if (!pod.secrets.empty()) {
    yaml(12, "- name: keys");
    yaml(14, "mountPath: /keys");
    yaml(14, "readOnly: true");
  }
  for (std::size_t i = 0; i < pod.claims.size(); ++i) {
    yaml(12, "- name: claim-" + std::to_string(i));
    yaml(14, "mountPath: " + nlohmann::json(pod.claims[i].folder).dump());
  }
}

void add_volumes(Lines& yaml, const KubernetesJob& job, const PodGroup& pod) {
  yaml(6, "volumes:");
  yaml(8, "- name: tmp");
  yaml(10, "emptyDir: {}");
  if (pod.has_own_disk) {
    yaml(8, "- name: own");
    yaml(10, "emptyDir: {}");
  }
  if (!pod.secrets.empty()) {
    yaml(8, "- name: keys");
    yaml(10, "projected:");
    yaml(12, "defaultMode: 0440");
    yaml(12, "sources:");
    for (const std::string& secret : {pod.secrets, std::string("observer")}) {
      yaml(14, "- secret:");
      yaml(18, "name: \"" + job.name + "-" + secret + "\"");
    }
  }
  for (std::size_t i = 0; i < pod.claims.size(); ++i) {
    yaml(8, "- name: claim-" + std::to_string(i));
    yaml(10, "persistentVolumeClaim:");
    yaml(12, "claimName: \"" + pod.claims[i].claim + "\"");
    // Of the volume and not of its mount: else its files would be given to fsGroup.
    if (pod.claims[i].folder != pod.writable) yaml(12, "readOnly: true");
  }
}

void add_job(std::string& text, const KubernetesJob& job, const PodGroup& pod) {
  Lines yaml(text);
  const bool indexed = pod.count > 0;
  const std::string count = std::to_string(pod.count);
  yaml(0, "---");
  yaml(0, "apiVersion: batch/v1");
  yaml(0, "kind: Job");
  yaml(0, "metadata:");
  yaml(2, "name: \"" + job.name + pod.suffix + "\"");
  yaml(2, "labels:");
  add_labels(yaml, 4, job, pod.component);
  yaml(0, "spec:");
  if (indexed) {
    yaml(2, "completionMode: Indexed");
    yaml(2, "completions: " + count);
    yaml(2, "parallelism: " + count);
    yaml(2, "backoffLimitPerIndex: 20");
  } else {
    yaml(2, "backoffLimit: 20");
  }
  add_failure_policy(yaml, indexed);
  yaml(2, "template:");
  yaml(4, "metadata:");
  yaml(6, "labels:");
  add_labels(yaml, 8, job, pod.component);
  yaml(4, "spec:");
  yaml(6, "restartPolicy: Never");
  yaml(6, "# After SIGTERM: the rest of an epoch, and a checkpoint.");
  yaml(6, "terminationGracePeriodSeconds: " + std::to_string(job.grace_seconds));
  yaml(6, "automountServiceAccountToken: false");
  yaml(6, "enableServiceLinks: false");
  yaml(6, "securityContext:");
  yaml(8, "runAsNonRoot: true");
  yaml(8, "# The three have the same number: the group is the user's alone, so it may read the keys.");
  for (const char* who : {"runAsUser", "runAsGroup", "fsGroup"}) yaml(8, std::string(who) + ": 65532");
  yaml(8, "fsGroupChangePolicy: OnRootMismatch");
  yaml(8, "seccompProfile:");
  yaml(10, "type: RuntimeDefault");
  yaml(6, "containers:");
  add_container(yaml, job, pod);
  add_volumes(yaml, job, pod);
}

// Under its name the others find the coordinator, wherever its pod is and before it is ready.
void add_service(std::string& text, const KubernetesJob& job) {
  Lines yaml(text);
  yaml(0, "---");
  yaml(0, "apiVersion: v1");
  yaml(0, "kind: Service");
  yaml(0, "metadata:");
  yaml(2, "name: \"" + job.name + "\"");
  yaml(2, "labels:");
  add_labels(yaml, 4, job, "coordinator");
  yaml(0, "spec:");
  yaml(2, "clusterIP: None");
  yaml(2, "publishNotReadyAddresses: true");
  yaml(2, "selector:");
  add_labels(yaml, 4, job, "coordinator");
  yaml(2, "ports:");
  yaml(4, "- name: rota");
  yaml(6, "port: " + std::to_string(kPort));
}

void add_key_commands(std::string& text, const KubernetesJob& job) {
  Lines yaml(text);
  yaml(0, "# Before it, once, the keys, a secret for each role:");
  yaml(0, "#   rota keys keys");
  yaml(0, "#   kubectl create secret generic " + job.name +
              "-observer --from-file=keys/observer.secret $(printf -- ' --from-file=%s' keys/*.public)");
  yaml(0, "#   for role in coordinator scheduler kvstore worker; do");
  yaml(0, "#     kubectl create secret generic " + job.name + "-$role --from-file=keys/$role.secret");
  yaml(0, "#   done");
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

void add_one_pod(std::string& text, const KubernetesJob& job, const std::string& writable) {
  PodGroup pod{
      .component = "train",
      .suffix = "",
      .arguments = joined({"train", job.app, "--continue", "--out=" + job.out}, joined(job.options, job.log_options)),
      .probe = {"rota", "status", "--check", job.out},
      .claims = job.claims,
      .writable = writable,
      .secrets = "",
      .cpus = job.workers * job.threads,
      .has_memory = true};
  add_job(text, job, pod);
}

void add_pods(std::string& text, const KubernetesJob& job, const std::string& writable) {
  const std::string at = "tcp://" + job.name + ":" + std::to_string(kPort);
  const std::vector<std::string> keys(job.insecure ? 0 : 1, "--keys=/keys");
  add_service(text, job);
  add_job(text, job,
          {.component = "coordinator",
           .suffix = "-coordinator",
           .arguments = joined(joined({"role", job.app, "--role=coordinator", "--coordinator=" + at, "--bind=*"}, keys),
                               joined({"--continue", "--out=" + job.out}, joined(job.options, job.log_options))),
           .probe = joined({"rota", "status", "--check", job.out}, keys),
           .claims = job.claims,
           .writable = writable,
           .secrets = job.insecure ? "" : "coordinator"});
  // The others get the run's options from the coordinator, but for those that they need before.
  std::vector<MountedClaim> of_others = job.claims;
  std::erase_if(of_others, [&](const MountedClaim& claim) {
    return claim.folder == writable && std::ranges::none_of(job.options, [&](const std::string& option) {
             return names(option, claim.folder + "/");
           });
  });
  for (const auto& [role, count] :
       {std::pair{"scheduler", job.schedulers}, std::pair{"kvstore", job.stores}, std::pair{"worker", job.workers}}) {
    const std::string name = role;
    const bool stores = name != "scheduler";
    if (count == 0) continue;
    std::vector<std::string> arguments =
        joined({"role", job.app, "--role=" + name, "--coordinator=" + at, "--own_disk=/own/run"}, keys);
    for (const std::string& option : job.options)
      for (const char* before : {"--insecure=", "--plugin_dir=", "--start_timeout_seconds="})
        if (option.starts_with(before)) arguments.push_back(option);
    add_job(text, job,
            {.component = name,
             .suffix = "-" + name,
             .arguments = joined(joined(std::move(arguments), {"--input=" + job.input, "--out=" + job.out}),
                                 // Their own disks, and the logs there, go with the pods.
                                 joined({"--alsologtostderr"}, job.log_options)),
             .probe = {},
             .claims = of_others,
             .writable = "",
             .secrets = job.insecure ? "" : name,
             .cpus = name == "worker" ? job.threads : 1,
             .has_memory = stores,
             .has_own_disk = true,
             .count = count});
  }
}

}  // namespace

bool is_object_name(std::string_view name) {
  const auto alphanumeric = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0; };
  return !name.empty() && name.size() <= kNameMost && std::islower(static_cast<unsigned char>(name.front())) != 0 &&
         alphanumeric(static_cast<unsigned char>(name.back())) &&
         std::ranges::all_of(name, [&](unsigned char c) { return alphanumeric(c) || c == '-'; });
}

bool is_memory_amount(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view unit = text.substr(digits);
  constexpr std::string_view kUnits[] = {"M", "G", "T", "Mi", "Gi", "Ti"};
  return digits > 0 && digits < 16 && std::ranges::count(kUnits, unit) > 0;
}

Result<std::vector<MountedClaim>> mounted_claims(std::string_view text) {
  std::vector<MountedClaim> claims;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const std::size_t colon = std::min(word.find(':'), word.size());
    MountedClaim claim{std::string(word.substr(0, colon)), std::string(word.substr(std::min(colon + 1, word.size())))};
    while (claim.folder.size() > 1 && claim.folder.ends_with('/')) claim.folder.pop_back();
    const auto plain = [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '.';
    };
    if (claim.claim.empty() || !std::ranges::all_of(claim.claim, plain) || !claim.folder.starts_with('/') ||
        claim.folder.size() < 2)
      return Status(ExitCode::usage, "--claims: '" + std::string(word) +
                                         "' is no claim and its folder: CLAIM:/FOLDER, with commas between several");
    for (const char* own : kOwn)
      if (claim.folder == own || is_within(claim.folder, own))
        return Status(ExitCode::usage, "--claims: Rota has a volume of its own at " + std::string(own));
    for (const MountedClaim& other : claims)
      if (other.claim == claim.claim || other.folder == claim.folder)
        return Status(ExitCode::usage, "--claims: '" + std::string(word) + "' repeats a claim or a folder");
    claims.push_back(std::move(claim));
  }
  return claims;
}

Result<std::string> kubernetes_manifest(const KubernetesJob& job) {
  std::string writable;
  for (const auto& [claim, folder] : job.claims) {
    if (job.out == folder)
      return Status(ExitCode::usage, "--out: name a folder within the claim, such as " + folder +
                                         "/run: that of the claim itself belongs to root");
    if (is_within(job.out, folder) && folder.size() > writable.size()) writable = folder;
  }
  if (writable.empty())
    return Status(ExitCode::usage, "--out=" + job.out + " is in no claim, and would be lost with the pod: give " +
                                       "--claims=CLAIM:/FOLDER with a folder above it");
  for (const std::string& text : joined(job.options, {job.app, job.image, job.out}))
    if (!is_utf8(text)) return Status(ExitCode::usage, "not UTF-8, as YAML is: '" + visible_text(text) + "'");
  std::string text = "# Written by `rota manifest kubernetes`, for Kubernetes 1.29 and later.\n";
  if (job.pods && !job.insecure) add_key_commands(text, job);
  job.pods ? add_pods(text, job, writable) : add_one_pod(text, job, writable);
  return text;
}

}  // namespace rota
