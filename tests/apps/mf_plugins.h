// tests/apps/mf_plugins.h -- the apps mf, als and ccd in one program: linked_plugin() is the one that was chosen last.
#pragma once
#include <string_view>

#include "apps/mf/commands/trained_model.h"
#include "rota/testing/serial_host.h"

namespace rota::tests {

void choose(std::string_view app);

// Of the app that was chosen last.
struct MfHost : SerialHost {
  explicit MfHost(const Job& job) : SerialHost(linked_plugin(), job) {}
};
mf::TrainedModel model_of(const SerialHost& host);

}  // namespace rota::tests
