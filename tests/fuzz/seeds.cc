#include "tests/fuzz/seeds.h"

#include "base/cut.h"
#include "coordinator/json_records.h"
#include "tests/unit/wire/every_field.h"
#include "wire/codec.h"

namespace rota::fuzz {

namespace {

Input input_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

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
  record.files = {{"epoch-00000001/partition-0.sst", 1000, {1, 2}}, {"epoch-00000001/partition-1.sst", 2000, {3, 4}}};
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

}  // namespace rota::fuzz
