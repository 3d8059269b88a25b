// rota/plugin.h -- the one header that an app includes.
//
// An app has three steps.  Each runs in its own process, so each is its own class; they share no memory, only the job,
// the facts of its data, and their arguments.  An App (rota/app.h) makes their objects.
//
//   Schedule   in rota-scheduler        chooses what may change at once
//   Push       in rota-worker           computes one data shard's part of the update, or updates a slice in place
//   Pull       in the store             folds the summed parts into the stored rows and commits them
//
// Failure: a hook that cannot continue throws (rota/error.h); the job stops, naming plugin, hook and round.
// Replay:  randomness comes only from the Random passed in; equal seeds give equal models.
// Memory:  references in arguments are valid until the call returns.
//
// A library exports one symbol, rota_plugin_v1.  ROTA_PLUGIN(make) defines it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rota/app.h"
#include "rota/bytes.h"
#include "rota/error.h"
#include "rota/facts.h"
#include "rota/fields.h"
#include "rota/host_files.h"
#include "rota/job.h"
#include "rota/memory_input.h"
#include "rota/model.h"
#include "rota/options.h"
#include "rota/packed.h"
#include "rota/pull.h"
#include "rota/push.h"
#include "rota/random.h"
#include "rota/round.h"
#include "rota/schedule.h"
#include "rota/settings.h"
#include "rota/slices.h"
#include "rota/types.h"
#include "rota/view.h"

namespace rota {

#define ROTA_TEXT_OF_(x) #x
#define ROTA_TEXT_OF(x) ROTA_TEXT_OF_(x)
// What must agree between a plugin and its host: the version of these headers, the compiler's C++ ABI, and the standard
// library.  C++ classes are passed between them, so a plugin of another build is refused with exit code 78.
inline constexpr char kAbiStamp[] =
    "rota-abi-14"
    " cxxabi-" ROTA_TEXT_OF(__GXX_ABI_VERSION)
#ifdef _GLIBCXX_USE_CXX11_ABI
        " libstdc++-" ROTA_TEXT_OF(_GLIBCXX_RELEASE) "-cxx11-" ROTA_TEXT_OF(_GLIBCXX_USE_CXX11_ABI)
#endif
    ;

// A call of a plugin's command.
struct Call {
  const Model* model;  // null if the command needs none
  const Options& options;
  const std::vector<std::string>& input;  // the files that --input names, if the command takes it
};

// `rota NAME APP`: what a plugin offers beside training, mostly with a committed model.
struct Command {
  std::string_view name;
  std::string_view summary;
  std::span<const Option> options = {};
  void (*run)(const Call&, std::ostream& out);
  bool needs_model = true;   // --model
  bool takes_input = false;  // --input
};

// The number of shards if neither the user nor the plugin chooses.
inline constexpr std::uint32_t kUsualShards = 8;
inline constexpr std::uint32_t kUsualSlices = 2;  // of the model, for each data shard

struct ChosenShards {
  std::uint32_t shards = kUsualShards;
  std::string from;  // the property of the data that it follows from: "20707068 bytes of text"
};

// Of one option of the framework: {"staleness", {"--exchange=none", has_no_exchange}}.
struct FrameworkNeeds {
  std::string_view option;
  Needs needs;
};
inline bool never(const Options&) {  // for Needs::met
  return false;
}

// For an app whose rounds must have seen all commits before them.
inline constexpr Needs kNeverLags = {"apps whose rounds may lag behind commits", never};
inline constexpr FrameworkNeeds kSynchronous[] = {{"staleness", kNeverLags}, {"asynchronous", kNeverLags}};

struct Plugin {
  const char* abi = kAbiStamp;           // the first field, because it is read before all others
  std::string_view name = {};            // the APP of the command line
  std::string_view summary = {};         // one line
  std::string_view items = {};           // what Push::items counts: "tokens"
  std::span<const Option> options = {};  // beyond the framework's
  bool starting_pass = false;            // epoch 0: every shard visits every slice once to put its starting values in
  std::uint32_t epochs = 20;             // the default of --epochs; 0: the schedule ends the job
  bool several_schedulers = false;       // its schedules keep to their Share of the keys, so a job may have several
  bool sliced = false;                   // one of its tables is sliced (Table::Kind)
  std::uint32_t slices_per_shard = kUsualSlices;  // the default of --slices_per_shard
  bool takes_model = false;       // a job may begin with a model of the app (--init_model, Job::initial)
  std::string_view akin_to = {};  // another app, whose models and data by shard it takes like its own

  // Data by shard (`rota shard`, App::pack): the version of what pack() writes, increased with every change; 0: the app
  // does not support it.
  std::uint32_t packed_format = 0;
  // The plugin's options that pack() depends on.  A job on such data uses the values with which it was packed.
  std::span<const std::string_view> packed_options = {};

  // Throws UsageError if the options contradict each other.  Null: they never do.
  void (*check)(const Options&) = nullptr;
  // Conditions for options of the framework, which otherwise always have an effect.
  std::span<const FrameworkNeeds> framework_needs = {};
  // Chooses the number of data shards if the user does not (Job::shards has no meaning yet).  May depend on the job's
  // input and options only, or the model would depend on the machine.  May throw what load() may.  Null: kUsualShards.
  ChosenShards (*choose_shards)(const Job&) = nullptr;
  // The app's object in one process; the Job outlives it.  May throw what check() may.
  std::unique_ptr<App> (*app)(const Job&) = nullptr;

  // Writes the model as text files into an empty folder.  Null: each shared table becomes NAME.csv.
  void (*export_text)(const Model&, const std::filesystem::path& folder) = nullptr;
  std::span<const Command> commands = {};

  // Where the plugin's library looks for data in memory; a host that has some sets it (rota/memory_input.h).
  MemorySlot* memory = &memory_slot();
  // Where it finds what the host reads for it; every host sets it (rota/host_files.h).
  HostFilesSlot* host_files = &host_files_slot();

  bool takes_those_of(std::string_view other) const { return other == name || (!akin_to.empty() && other == akin_to); }
};

}  // namespace rota

#if defined(_WIN32)
#error "Rota runs on Linux"
#endif
// Defines the one symbol that a plugin library exports.  `make` names a function that returns the Plugin.
#define ROTA_PLUGIN(make)                                                                  \
  extern "C" __attribute__((visibility("default"))) const rota::Plugin* rota_plugin_v1() { \
    static const rota::Plugin plugin = make();                                             \
    return &plugin;                                                                        \
  }                                                                                        \
  static_assert(true)

namespace rota {
// The plugin of an app whose class is made from the Job.  Its options are those of A::Settings, if there is one, and it
// is sliced if A makes slices.
template <typename A>
Plugin plugin_of(Plugin plugin) {
  if constexpr (requires { typename A::Settings; }) plugin.options = declared_options<typename A::Settings>();
  plugin.app = [](const Job& job) -> std::unique_ptr<App> { return std::make_unique<A>(job); };
  plugin.sliced = !std::is_same_v<decltype(&A::slice), decltype(&App::slice)>;
  return plugin;
}
}  // namespace rota
// The same in one line: ROTA_APP(LineFit, .name = "line_fit", .summary = "A line through points.", .items = "points");
#define ROTA_APP(Class, ...)                      \
  static rota::Plugin make_rota_plugin() {        \
    return rota::plugin_of<Class>({__VA_ARGS__}); \
  }                                               \
  ROTA_PLUGIN(make_rota_plugin)
