#include "cli/launcher/network.h"

#include <algorithm>
#include <array>
#include <system_error>

#include "cli/remote/ssh_command.h"
#include "core/job/plugin_host.h"
#include "core/wire/address.h"
#include "core/wire/keys.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::uint16_t kSshPort = 22;

constexpr std::array kNetworkOptions = {
    Option{.name = "coordinator",
           .meaning =
               "Let the processes talk over tcp, with the coordinator at tcp://HOST:PORT; port 0: any that is free "
               "(it is in OUT/address). Without it they use private sockets of this machine."},
    Option{.name = "host",
           .meaning =
               "For tcp: name or number by which the processes reach each other; if not given, that of --coordinator."},
    Option{.name = "bind",
           .meaning =
               "For tcp: where to listen, as HOST, HOST:PORT or * for all interfaces; if not given, the loopback "
               "address if that is the host, else *."},
    Option{.name = "keys",
           .kind = Option::Kind::path,
           .meaning =
               "For tcp: folder of the keys, which `rota keys` made; if not given, keys of the run's own are made in "
               "OUT/keys, unless --insecure."},
    Option{
        .name = "hosts",
        .meaning =
            "Machines to run the workers and stores on, over tcp: HOST, USER@HOST, HOST:SLOTS, with commas between "
            "them, or a file of such, one a line. ssh must reach them without a password, and the input and the plugin "
            "be there at the same paths; --out need not. Without --workers there are as many as slots."},
    Option{.name = "ssh",
           .default_value = "ssh",
           .meaning = "For --hosts: the program that is run as ssh, a name or a path; it gets ssh's arguments."},
    Option{.name = "remote_rota",
           .meaning = "For --hosts: the path of `rota` on those machines; if not given, that of this one here."},
};

// The number of this machine from which the others are reached, as the machines' names say where they are.
Result<std::string> number_for(const std::vector<Machine>& machines) {
  std::string number;
  for (const Machine& machine : machines) {
    auto way = number_towards({machine.name, kSshPort});
    if (!way.ok())
      return Status(ExitCode::usage, "where do the hosts reach this machine? Say --coordinator=tcp://HOST:0 (" +
                                         way.status().what() + ")");
    if (number.empty() || is_loopback(number)) number = std::move(way).value();
  }
  return number;
}

Status take_hosts(const Options& options, Network& network) {
  if (!options.has("hosts")) {
    if (options.has("remote_rota")) return {ExitCode::usage, "--remote_rota is for --hosts"};
    return {};
  }
  auto machines = read_hosts(options.text("hosts"));
  if (!machines.ok()) return std::move(machines).status();
  network.machines = std::move(machines).value();
  network.ssh = options.text("ssh");
  network.remote_rota = options.text("remote_rota");
  if (network.remote_rota.empty()) network.remote_rota = (program_folder() / "rota").string();
  if (auto words = ssh_arguments(network.machines.front(), network.remote_rota); !words.ok())
    return std::move(words).status();
  if (network.over_tcp()) return {};
  auto number = number_for(network.machines);
  if (!number.ok()) return std::move(number).status();
  network.coordinator = TcpAddress{*number, 0}.text();
  return {};
}

}  // namespace

std::span<const Option> network_options() {
  return kNetworkOptions;
}

bool is_network_option(std::string_view name) {
  return std::any_of(kNetworkOptions.begin(), kNetworkOptions.end(),
                     [&](const Option& option) { return option.name == name; });
}

Result<Network> network_of(const Options& options, const RunFolder& run) {
  Network network;
  network.coordinator = options.text("coordinator");
  ROTA_TRY(take_hosts(options, network));
  network.host = options.text("host");
  network.bind = options.text("bind");
  network.keys = std::string(options.text("keys"));
  if (!network.over_tcp()) {
    for (const char* name : {"host", "bind", "keys"})
      if (options.has(name))
        return Status(ExitCode::usage, "--" + std::string(name) + " is for tcp: say --coordinator=tcp://HOST:PORT too");
    return network;
  }
  auto address = tcp_address(network.coordinator);
  if (!address.ok()) return std::move(address).status().in("--coordinator");
  // Behind another machine's address the others would be waited for in vain, unless somebody hands on to this one.
  if (network.bind.empty() && network.host.empty())
    if (auto own = own_numbers(address->host); !own.ok())
      return std::move(own).status().in("--coordinator, without --bind");
  if (!network.bind.empty())
    if (auto place = tcp_place(network.bind); !place.ok()) return std::move(place).status().in("--bind");
  if (options.flag("insecure") && network.keys.empty()) return network;
  network.keys = keys_for(network.keys, run);
  if (network.keys.empty()) {
    network.keys = run.keys();
    ROTA_TRY(make_keys(network.keys));
  }
  // All of them are wanted here; whoever starts a job can mend what is wrong before it has begun.
  for (const Role role : {Role::coordinator, Role::scheduler, Role::worker, Role::kvstore})
    if (auto keys = read_keys(network.keys, role); !keys.ok()) return std::move(keys).status().in("--keys");
  return network;
}

std::vector<std::string> network_flags(const Network& network, bool first) {
  std::vector<std::string> flags;
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
