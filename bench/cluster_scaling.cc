// bench/cluster_scaling.cc -- simulates the duration of an epoch on many machines (timed_cluster.h).
//
// usage: cluster_scaling APP DATA WORKERS,... GBITS LATENCY_US MESSAGE_US [OPTION=VALUE ...]
//
// DATA is a folder that `rota shard` wrote: each worker opens the files of its shards.  For each number of workers it
// prints a line: workers, seconds of the last epoch, the longest that a worker computed in it, all bytes sent in it.
// The options are the job's and the app's, as for `rota train`; --shards is that of the data.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bench/timed_cluster.h"
#include "core/job/packed_folder.h"
#include "core/job/plugin_host.h"
#include "rota/serial_host.h"

namespace {

using namespace rota;

int scale(const Plugin& plugin, const Job& job, std::istringstream workers, const TimedNetwork& network) {
  for (std::string number; std::getline(workers, number, ',');) {
    const auto records = train_on_timed_cluster(plugin, job, static_cast<std::uint32_t>(std::stoul(number)), network);
    if (!records.ok()) {
      std::fprintf(stderr, "%s\n", records.status().what().c_str());
      return EXIT_FAILURE;
    }
    const EpochRecord& last = records->back();
    double longest = 0;
    for (const WorkerTimes& times : last.workers) longest = std::max(longest, times.compute_seconds);
    const double before = records->size() < 2 ? 0 : (*records)[records->size() - 2].seconds;
    std::printf("%s %.6f %.6f %llu\n", number.c_str(), last.seconds - before, longest,
                static_cast<unsigned long long>(last.bytes_sent));
    std::fflush(stdout);
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fprintf(stderr, "usage: %s APP DATA WORKERS,... GBITS LATENCY_US MESSAGE_US [OPTION=VALUE ...]\n", argv[0]);
    return EXIT_FAILURE;
  }
  try {
    const auto plugin = find_plugin(argv[1]);
    if (!plugin.ok()) throw std::runtime_error(plugin.status().what());
    std::map<std::string, std::string> options;
    for (int i = 7; i < argc; ++i) {
      const std::string given = argv[i];
      const std::size_t equals = std::min(given.find('='), given.size());
      options[given.substr(0, equals)] = given.substr(std::min(equals + 1, given.size()));
    }
    const Job job = serial_job(**plugin, options, {(std::filesystem::path(argv[2]) / kPackedIndex).string()}, {});
    const double microsecond = 1000;
    return scale(**plugin, job, std::istringstream(argv[3]),
                 {static_cast<Nanoseconds>(std::atof(argv[5]) * microsecond), std::atof(argv[4]) * 1e9 / 8,
                  static_cast<Nanoseconds>(std::atof(argv[6]) * microsecond)});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return EXIT_FAILURE;
  }
}
