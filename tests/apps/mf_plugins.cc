#include "tests/apps/mf_plugins.h"

#include "apps/mf/app.h"

namespace rota::tests {
namespace {

const Plugin kKnown[] = {mf::sgd_plugin(), mf::als_plugin(), mf::ccd_plugin()};
const Plugin* chosen = kKnown;

}  // namespace

void choose(std::string_view app) {
  for (const Plugin& one : kKnown)
    if (one.name == app) chosen = &one;
}

mf::TrainedModel model_of(const SerialHost& host) {
  return mf::read_model(SerialModel(host));
}

}  // namespace rota::tests

extern "C" const rota::Plugin* rota_plugin_v1() {
  return rota::tests::chosen;
}
