#include "cli/launcher/network.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "cli/remote/slurm.h"
#include "core/base/loopback.h"
#include "core/job/framework_options.h"
#include "core/job/plugin_host.h"
#include "core/wire/address.h"
#include "core/wire/keys.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

bool on_nodes(const Options& options) {
  return options.flag("slurm") && in_allocation();
}

constexpr Needs kTcp = {"--coordinator, --hosts or a job of Slurm", [](const Options& options) {
                          return options.has("coordinator") || options.has("hosts") || on_nodes(options);
                        }};
constexpr Needs kHostsOrSlurm = {"--hosts or a job of Slurm",
                                 [](const Options& options) { return options.has("hosts") || on_nodes(options); }};
constexpr Needs kHosts = {"--hosts", [](const Options& options) { return options.has("hosts"); }};

constexpr std::array kNetworkOptions = {
    kCoordinatorOption,
    with_needs(kHostOption, kTcp),
    with_needs(kBindOption, kTcp),
    with_needs(kKeysOption, kTcp),
    kMetricsOption,
    Option{
        .name = "hosts",
        .meaning =
            "Machines to run the workers and stores on, over tcp: HOST, USER@HOST, HOST:SLOTS, with commas between "
            "them, or a file of such, one a line. ssh must reach them without a password, and the input and the plugin "
            "be there at the same paths; --out need not. Without --workers there are as many as slots."},
    Option{.name = "ssh",
           .default_value = "ssh",
           .meaning = "The program that is run as ssh, a name or a path; it gets ssh's arguments.",
           .needs = kHosts},
    Option{.name = "remote_rota",
           .meaning = "The path of `rota` on those machines; if not given, that of this one here.",
           .needs = kHostsOrSlurm},
    Option{.name = "slurm",
           .kind = Option::Kind::flag,
           .default_value = "true",
           .meaning = "In a job of Slurm, run on its nodes, without --hosts and --coordinator: as many workers as "
                      "tasks, of as many threads as each has cpus.  --noslurm keeps to this machine."},
    Option{.name = "coordinator_only", .kind = Option::Kind::flag, .default_value = "false"},  // set by `rota role`
};

// The number of this machine from which the others are reached, as the machines' names say where they are.
Result<std::string> number_for(const std::vector<Machine>& machines) {
  std::string number;
  for (const Machine& machine : machines) {
    auto way = number_towards({machine.host(), kSshPort});
    if (!way.ok())
      return Status(ExitCode::usage,
                    "at which address do the hosts reach this machine? Give --coordinator=tcp://HOST:0 (" +
                        way.status().what() + ")");
    if (number.empty() || is_loopback(number)) number = std::move(way).value();
  }
  return number;
}

void set_remote_rota(const Options& options, Network& network) {
  network.remote_rota = options.text("remote_rota");
  if (network.remote_rota.empty()) network.remote_rota = (program_folder() / "rota").string();
}

// The coordinator has the number from which this machine reaches the others, unless --coordinator is given.
Status set_coordinator(Network& network) {
  if (network.over_tcp()) return {};
  ROTA_ASSIGN(auto number, number_for(network.machines));
  network.coordinator = TcpAddress{number, 0}.text();
  return {};
}

Status take_allocation(const Options& options, Network& network) {
  if (options.has("hosts")) return {ExitCode::usage, "--slurm and --hosts exclude each other"};
  ROTA_ASSIGN(auto allocation, slurm_allocation());
  network.slots = slots_of(allocation.machines);
  network.threads = allocation.threads;
  // One node: this one.
  if (allocation.machines.size() == 1) return {};
  network.machines = std::move(allocation.machines);
  network.slurm = true;
  network.ssh = "srun";
  set_remote_rota(options, network);
  return {};
}

Status take_hosts(const CommandLine& line, Network& network) {
  const Options& options = line.options;
  const bool elsewhere = options.has("hosts") || options.has("coordinator") || options.flag("coordinator_only");
  const bool asked_for = line.given.contains("slurm") && options.flag("slurm");
  if (asked_for || (!elsewhere && on_nodes(options))) return take_allocation(options, network);
  if (!options.has("hosts")) return {};
  ROTA_ASSIGN(network.machines, read_hosts(options.text("hosts")));
  network.slots = slots_of(network.machines);
  network.ssh = options.text("ssh");
  set_remote_rota(options, network);
  return ssh_arguments(network.machines.front(), network.remote_rota, {}).status();
}

}  // namespace

std::span<const Option> network_options() {
  return kNetworkOptions;
}

bool is_network_option(std::string_view name) {
  return std::ranges::any_of(kNetworkOptions, [&](const Option& option) { return option.name == name; });
}

Result<Network> network_of(const CommandLine& line, const RunFolder& run) {
  const Options& options = line.options;
  for (const IgnoredOption& one : ignored_options(kNetworkOptions, options))
    return Status(ExitCode::usage, "--" + one.option + ": " + one.why);
  Network network;
  network.metrics = options.text("metrics");
  if (!network.metrics.empty()) ROTA_TRY(tcp_place(network.metrics).in("--metrics").status());
  network.coordinator = options.text("coordinator");
  ROTA_TRY(take_hosts(line, network));
  if (!network.machines.empty()) ROTA_TRY(set_coordinator(network));
  network.coordinator_only = options.flag("coordinator_only");
  network.host = options.text("host");
  network.bind = options.text("bind");
  network.keys = std::string(options.text("keys"));
  if (!network.over_tcp()) return network;
  ROTA_ASSIGN(auto address, tcp_address(network.coordinator).in("--coordinator"));
  // At another machine's address no process would reach this one, unless it is forwarded.
  if (network.bind.empty() && network.host.empty())
    ROTA_TRY(own_numbers(address.host).in("--coordinator, without --bind").status());
  if (!network.bind.empty()) ROTA_TRY(tcp_place(network.bind).in("--bind").status());
  if (options.flag("insecure") && network.keys.empty()) return network;
  network.keys = keys_for(network.keys, run);
  if (network.keys.empty()) {
    network.keys = run.keys();
    ROTA_TRY(make_keys(network.keys));
  }
  // All are read here, so that a fault is found before the job starts.
  for (const Role role : {Role::coordinator, Role::scheduler, Role::worker, Role::kvstore})
    if (role == Role::coordinator || !network.coordinator_only)
      ROTA_TRY(read_keys(network.keys, role).in("--keys").status());
  return network;
}

Result<Network> machines_of(const CommandLine& line) {
  Network network;
  ROTA_TRY(take_hosts(line, network));
  return network;
}

Result<std::vector<std::string>> Network::remote_arguments(std::size_t machine,
                                                           const std::vector<std::string>& words) const {
  if (slurm) return srun_arguments(machines[machine], threads, remote_rota, words);
  return ssh_arguments(machines[machine], remote_rota, words);
}

std::vector<std::string> network_flags(const Network& network, bool first) {
  std::vector<std::string> flags;
  if (first && !network.metrics.empty()) flags.push_back("--metrics=" + network.metrics);
  if (!network.over_tcp()) return flags;
  std::string bind = network.bind;
  if (!first && !bind.empty()) bind = tcp_place(bind).value().host;
  if (!network.host.empty()) flags.push_back("--host=" + network.host);
  if (!bind.empty()) flags.push_back("--bind=" + bind);
  if (!network.keys.empty()) flags.push_back("--keys=" + network.keys.string());
  return flags;
}

fs::path keys_for(const fs::path& given, const RunFolder& run) {
  std::error_code error;
  return !given.empty() || !fs::exists(run.keys(), error) ? given : run.keys();
}

}  // namespace rota
