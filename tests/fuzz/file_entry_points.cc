#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "core/base/loopback.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/model_reader.h"
#include "core/job/option_declarations.h"
#include "core/records/json_records.h"
#include "core/wire/address.h"
#include "rota/error.h"
#include "tests/fuzz/entry_points.h"
#include "tests/fuzz/seeds.h"

namespace rota::fuzz {

namespace {

namespace fs = std::filesystem;

// A folder of this program, removed at its end.
const fs::path& folder() {
  struct Folder {
    Folder() {
      auto made = make_private_folder(fs::temp_directory_path(), "rota-fuzz-");
      ROTA_CHECK(made.ok());
      path = *made;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  };
  static const Folder made;
  return made.path;
}

fs::path write(const char* name, std::string_view text) {
  const fs::path file = folder() / name;
  std::ofstream(file, std::ios::binary) << text;
  return file;
}

// Whether there is a model; it may be as wrong as it likes, but only in words.
bool opens(const std::string& text) {
  write("manifest.json", text);
  const auto model = open_model(folder());
  (void)app_of_model(folder()).ok();
  (void)hash_of_model(folder()).ok();
  if (!model.ok()) return false;
  try {
    (*model)->for_each_row(0, [](Key, std::span<const double>) {});
    (void)(*model)->row(0, 1);
  } catch (const DataError&) {
  }
  return true;
}

}  // namespace

bool manifest(std::span<const std::byte> input) {
  static const fs::path file = write("partition-0.sst", text_of(checkpoint_seeds().front()));
  const std::string text = text_of(input);
  const bool as_it_is = opens(text);
  auto fields = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!fields.is_object()) return as_it_is;
  fields.erase("format");
  fields.erase("check");
  return opens(seal(fields, kCommitFormat));
}

bool checkpoint(std::span<const std::byte> input) {
  const fs::path file = write("fuzzed.sst", text_of(input));
  const auto read = [&](std::vector<double>& all) {
    auto opened = CheckpointFile::open(file);
    if (!opened.ok()) return false;
    const Status rows = (*opened)->for_each_row([&](TableId table, Key key, std::span<const double> row) {
      all.push_back(static_cast<double>(table));
      all.push_back(static_cast<double>(key));
      all.push_back(static_cast<double>(row.size()));
    });
    const auto cut = (*opened)->get(Object::cut, 0);
    const auto row = (*opened)->row(0, 1);
    return rows.ok() && cut.ok() && row.ok();
  };
  std::vector<double> once, again;
  const bool taken = read(once);
  ROTA_CHECK(read(again) == taken && once == again);
  return taken;
}

bool flags(std::span<const std::byte> input) {
  static const std::array table = {integer_option("topics", "10", "topics", 1, 1000, "How many."),
                                   real_option("alpha", "0.1", "", 0, 10, "How much."),
                                   Option{.name = "heavy", .kind = Option::Kind::flag, .default_value = "false"},
                                   Option{.name = "name"}};
  const std::string text = text_of(input);
  // Files in files, and settings of the whole program, are not for here.
  for (const char* other :
       {"flagfile", "log", "v=", "v ", "vmodule", "stderr", "minlog", "help", "version", "max_", "stop_"})
    if (text.find(other) != text.npos) return false;
  const auto parse = [](const fs::path& file) {
    const std::string flag = "--flagfile=" + file.string();
    const std::array<const char*, 2> words = {"program", flag.c_str()};
    return parse_flags(static_cast<int>(words.size()), words.data(), FlagTables{table, {}, {}, false});
  };
  const auto line = parse(write("flags.txt", text));
  if (!line.ok()) return false;
  ROTA_CHECK(write_flagfile(folder() / "again.txt", line->given).ok());
  const auto again = parse(folder() / "again.txt");
  ROTA_CHECK(again.ok());
  ROTA_CHECK(again->options.integer("topics") == line->options.integer("topics"));
  ROTA_CHECK(again->options.text("name") == line->options.text("name"));
  return true;
}

bool address(std::span<const std::byte> input) {
  const std::string text = text_of(input);
  const auto place = tcp_place(text);
  const auto whole = tcp_address(text);
  for (const auto* read : {&place, &whole}) {
    if (!read->ok()) continue;
    const auto again = tcp_address((*read)->text());
    ROTA_CHECK(again.ok());
    ROTA_CHECK(again->host == (*read)->host && again->port == (*read)->port);
  }
  (void)is_loopback(text);
  return place.ok() || whole.ok();
}

}  // namespace rota::fuzz
