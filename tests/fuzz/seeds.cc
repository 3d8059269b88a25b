#include "tests/fuzz/seeds.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/cut.h"
#include "core/records/json_records.h"
#include "core/wire/codec.h"
#include "tests/unit/core/wire/every_field.h"

namespace rota::fuzz {

namespace {

Input input_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// One for every kind.
std::vector<Input> message_seeds() {
  std::vector<Input> seeds;
  for (std::size_t index = 0; index < tests::kKinds; ++index) {
    tests::Counting numbers;
    const Message message = tests::filled(index, numbers);
    Header header;
    header.kind = kind_of(message);
    header.process = {Role::worker, 1};
    const Frames frames = with_header(header, encode_message(message));
    Writer out;
    out.append(frames[0].view().data(), kHeaderSize - 8);
    out.put(static_cast<std::uint8_t>(frames.size() - 2));
    // Body and blobs must share the bytes evenly, as entry_points.cc cuts them again: a blob as long as the body.
    out.append(frames[1].view().data(), frames[1].size());
    for (std::size_t blob = 2; blob < frames.size(); ++blob) out.append(frames[1].view().data(), frames[1].size());
    seeds.push_back(out.take());
  }
  return seeds;
}

std::vector<Input> commit_seeds() {
  CommitRecord record;
  record.epoch = 1;
  record.files = {{"epoch-00000001/partition-0.era-3.sst", 1000, {1, 2}},
                  {"epoch-00000001/partition-1.era-3.sst", 2000, {3, 4}}};
  return {input_of(commit_to_text(CommitRecord{})), input_of(commit_to_text(record))};
}

std::vector<Input> cut_seeds() {
  Cut cut;
  cut.slices = {{1, 2, 3}, {}, {1000}};
  cut.replicated = {7};
  Writer empty, small;
  encode_cut({}, empty);
  encode_cut(cut, small);
  return {empty.take(), small.take()};
}

}  // namespace

std::vector<Input> checkpoint_seeds() {
  static const Input file = [] {
    const auto folder = make_private_folder(std::filesystem::temp_directory_path(), "rota-fuzz-");
    ROTA_CHECK(folder.ok());
    Rows rows({{"one", Table::Kind::shared, 4, 2, 1}});
    for (const Key key : {Key{0}, Key{1}, Key{3}}) rows.set(0, key, std::vector<double>{static_cast<double>(key), -1});
    const std::vector<Put> objects = {{1, Object::cut, 0, {}, Bytes::from(cut_seeds().back())}};
    ROTA_CHECK(write_checkpoint(*folder / "file", {objects, rows}).ok());
    const auto text = read_whole_file(*folder / "file", std::size_t{1} << 20);
    ROTA_CHECK(text.ok());
    std::filesystem::remove_all(*folder);
    return input_of(*text);
  }();
  return {file};
}

namespace {

std::vector<Input> manifest_seeds() {
  const Input file = checkpoint_seeds().front();
  nlohmann::ordered_json manifest = {{"app", "counting"}, {"epoch", 6},  {"seed", 3},
                                     {"shards", 1},       {"slices", 3}, {"partitions", 1}};
  manifest["options"] = {{"topics", "5"}, {"schedulers", "1"}, {"input", "data"}};
  manifest["facts"] = {{"columns", 7.0}};
  manifest["files"] = nlohmann::ordered_json::array();
  manifest["files"].push_back({{"file", "partition-0.sst"}, {"bytes", file.size()}, {"xxh3", hash128(file).hex()}});
  return {input_of(seal(manifest, kCommitFormat))};
}

std::vector<Input> flags_seeds() {
  return {input_of("--topics=5\n--alpha=0.25\n--heavy\n"),
          input_of("# a comment\n--noheavy\n\n--name=a b \n-topics=7\n")};
}

std::vector<Input> address_seeds() {
  return {input_of("tcp://127.0.0.1:80"), input_of("tcp://[::1]:*"), input_of("name.example"), input_of("::1"),
          input_of("host:65535"),         input_of("tcp://*:0")};
}

std::vector<Input> libsvm_seeds() {
  const std::string cuts("\x02\0\x06\0", 4);
  return {input_of(cuts + "1 1:0.5 2:-1 3:.25 5:1e-3 7:2\n-1 2:1 4:3 6:1000000\n"),
          input_of(cuts + "# a comment\r\n\r\n+1 qid:3 1:0 9:0.123456789012345678\t12:-7. # 1:1\r\n0.5"),
          input_of(cuts + "3 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1 10:1 11:1 12:1 13:1 14:1 15:1 16:1 17:1 18:1 19:1\n")};
}

std::vector<Input> matrix_market_seeds() {
  return {input_of("%%MatrixMarket matrix coordinate real general\n% x\n3 4 3\n1 1 0.5\n3 4 -1e3\n2 2 0\n"),
          input_of("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"),
          input_of("%%MatrixMarket matrix array integer general\n2 2\n1\n-2\n\n3\n4\n")};
}

std::vector<Input> number_seeds() {
  return {input_of("0"),           input_of("-0.5"),
          input_of("+123.456e-7"), input_of("0.12345678901234567"),
          input_of("1."),          input_of(".9007199254740993"),
          input_of("4.9e-324"),    input_of("123456789012345678901234567890")};
}

}  // namespace

const std::array<Seeds, 10> kSeeds = {{{"message", &message_seeds},
                                       {"commit", &commit_seeds},
                                       {"cut", &cut_seeds},
                                       {"libsvm", &libsvm_seeds},
                                       {"matrix_market", &matrix_market_seeds},
                                       {"number", &number_seeds},
                                       {"manifest", &manifest_seeds},
                                       {"checkpoint", &checkpoint_seeds},
                                       {"flags", &flags_seeds},
                                       {"address", &address_seeds}}};

}  // namespace rota::fuzz
