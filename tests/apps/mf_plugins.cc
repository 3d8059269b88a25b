#include "tests/apps/mf_plugins.h"

#include "apps/mf/app.h"

namespace rota::tests {
namespace {

struct Known {
  Plugin plugin;
  mf::TrainedModel (*read)(const Model&);
};
const Known kKnown[] = {{mf::sgd_plugin(), mf::read_sgd_model},
                        {mf::als_plugin(), mf::read_als_model},
                        {mf::ccd_plugin(), mf::read_ccd_model}};
const Known* chosen = kKnown;

}  // namespace

void choose(std::string_view app) {
  for (const Known& one : kKnown)
    if (one.plugin.name == app) chosen = &one;
}

mf::TrainedModel model_of(const SerialHost& host) {
  return chosen->read(SerialModel(host));
}

}  // namespace rota::tests

extern "C" const rota::Plugin* rota_plugin_v1() {
  return &rota::tests::chosen->plugin;
}
