// python/module/training.h -- a job in this process, as `rota train` runs it in several: epochs, evaluations, the best
// epoch.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "python/module/memory_model.h"
#include "rota/plugin.h"

namespace rota::python {

// Sees a training.  What a function throws ends it.
class Watcher {
 public:
  virtual ~Watcher() = default;
  // Often: before each hook.
  virtual void breathe() = 0;
  virtual void evaluated(const Evaluation& evaluation) = 0;
  // Of an option that was given and changes nothing.
  virtual void warned(const std::string& text) = 0;
};

struct Request {
  const Plugin& plugin;
  std::map<std::string, std::string> options;  // of `rota train`, without the dashes
  std::vector<std::string> input, valid;       // files, or names of data in memory
  std::shared_ptr<const Model> initial = nullptr;
};

// Throws Failure, or what the Watcher throws.
MemoryModel train(const Request& request, Watcher& watcher);

// Of the app's options, or those of a command: those given, checked, above the defaults of the others.  Throws Failure.
Options checked_options(std::span<const Option> table, const std::map<std::string, std::string>& given);

}  // namespace rota::python
