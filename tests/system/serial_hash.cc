// tests/system/serial_hash.cc -- a job over the serial host: prints its epochs, its terms and its model's hash, for
// serial_host_test.py.
//
// usage: serial_hash PLUGIN.so INPUT [--restore] [name=value ...]
//
// --restore: every epoch continues from the saved state of the one before.
#include <dlfcn.h>

#include <iomanip>
#include <iostream>
#include <string>

#include "rota/testing/serial_host.h"

int main(int count, char** words) {
  if (count < 3) return 2;
  void* const library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, "rota_plugin_v1");
  if (symbol == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  const rota::Plugin& plugin = *reinterpret_cast<const rota::Plugin* (*)()>(symbol)();
  bool restores = false;
  std::map<std::string, std::string> given;
  for (int i = 3; i < count; ++i) {
    const std::string word = words[i];
    const auto equals = word.find('=');
    if (word == "--restore")
      restores = true;
    else
      given[word.substr(0, equals)] = word.substr(equals + 1);
  }
  rota::SerialHost host(plugin, rota::serial_job(plugin, given, {words[2]}));
  if (!restores) host.run();
  const auto asked = static_cast<rota::Epoch>(host.job().options.integer("epochs"));
  const rota::Epoch last = asked > 0 ? asked : plugin.epochs;
  while (!host.done() && (last == 0 || host.epochs() <= last)) {
    host.run_epoch();
    host.restore(host.save());
  }
  std::cout << std::setprecision(17) << "{\"epochs\": " << host.epochs() - 1 << ", \"model_hash\": \""
            << host.model_hash() << "\", \"terms\": {";
  const std::vector<double> sums = host.evaluate();
  for (std::size_t i = 0; i < sums.size(); ++i)
    std::cout << (i > 0 ? ", " : "") << '"' << host.app().terms()[i].name << "\": " << sums[i];
  for (const rota::Score& score : host.app().scores())
    if (const auto value = host.score(score.name)) std::cout << ", \"" << score.name << "\": " << *value;
  std::cout << "}}\n";
}
