#include "tests/apps/linear_plugins.h"

// Names of rota_plugin_v1 in this program.
extern "C" const rota::Plugin* rota_plugin_sgd();
extern "C" const rota::Plugin* rota_plugin_linear();

namespace rota::tests {
namespace {

const Plugin* chosen = rota_plugin_sgd();

}  // namespace

const Plugin& chosen_plugin(const Given& options) {
  return *(chosen = options.contains("solver") ? rota_plugin_linear() : rota_plugin_sgd());
}

}  // namespace rota::tests

extern "C" const rota::Plugin* rota_plugin_v1() {
  return rota::tests::chosen;
}
