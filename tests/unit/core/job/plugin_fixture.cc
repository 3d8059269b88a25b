// Plugins for plugin_host_test.cc: one source, built once for each variant.
#include <rota/plugin.h>

namespace {

using namespace rota;

constexpr Option kOptions[] = {
    {.name = "topics", .kind = Option::Kind::integer, .default_value = "5", .meaning = "K.", .least = 1}};

[[maybe_unused]] Plugin make() {
  Plugin plugin;
  plugin.name = "good";
  plugin.options = kOptions;
  plugin.check = [](const Options& options) {
    const auto topics = options.integer("topics");
    if (topics == 1) throw DataError("words.txt", 3, "not a number");
    if (topics == 2) throw UsageError("2 topics do not go");
    if (topics == 3) throw NoInput("words.txt: none");
    if (topics == 4) throw std::bad_alloc();
    if (topics == 6) throw std::runtime_error("six");
    if (topics == 7) throw 7;
  };
#ifndef FIXTURE_INCOMPLETE
  plugin.app = [](const Job&) -> std::unique_ptr<App> { return nullptr; };
#endif
#ifdef FIXTURE_OLD
  plugin.abi = "rota-abi-0";
#endif
  return plugin;
}

}  // namespace

#ifndef FIXTURE_NONE
ROTA_PLUGIN(make);
#endif
