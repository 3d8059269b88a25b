// A host that takes over the state of another continues to the last bit.
#pragma once
#include <gtest/gtest.h>

#include "rota/testing/serial_host.h"

namespace rota::tests {

// Stopped after `before` epochs, a job makes `after` more.
inline void expect_resumed_alike(const Job& job, int before, int after, const Plugin& plugin = linked_plugin()) {
  SerialHost straight(plugin, job), stopped(plugin, job), resumed(plugin, job);
  straight.run_epochs(before + after);
  stopped.run_epochs(before);
  resumed.restore(stopped.save());
  EXPECT_EQ(resumed.save(), stopped.save());
  EXPECT_EQ(resumed.evaluate(), stopped.evaluate());
  resumed.run_epochs(after);
  EXPECT_EQ(resumed.save(), straight.save());
  EXPECT_EQ(resumed.evaluate(), straight.evaluate());
}

}  // namespace rota::tests
