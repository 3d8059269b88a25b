#include "tests/fuzz/entry_points.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/check.h"
#include "core/base/json_text.h"
#include "core/checkpoint/cut.h"
#include "core/job/run_folder.h"
#include "core/records/json_records.h"
#include "core/wire/codec.h"
#include "tests/unit/core/wire/every_field.h"
#include "tests/unit/core/wire/frames_of.h"

namespace rota::fuzz {

namespace {

constexpr std::size_t kChecksumAt = kHeaderSize - 8, kFramesAt = kHeaderSize - 12;

template <typename T>
void place(std::vector<std::byte>& header, std::size_t at, T value) {
  std::memcpy(header.data() + at, &value, sizeof value);
}

Bytes bytes_of(std::span<const std::byte> bytes) {
  return Bytes::from({bytes.begin(), bytes.end()});
}

// The bytes after the header in equal parts: the body, and the number of blobs in the first byte.
Frames frames_of(std::span<const std::byte> input) {
  std::vector<std::byte> header(kHeaderSize);
  const std::size_t taken = std::min(input.size(), kChecksumAt);
  std::copy_n(input.begin(), taken, header.begin());
  input = input.subspan(taken);
  std::size_t blobs = 0;
  if (!input.empty()) {
    blobs = std::to_integer<std::size_t>(input[0]) % 4;
    input = input.subspan(1);
  }
  Frames frames = {bytes_of(header)};
  const std::size_t share = input.size() / (blobs + 1);
  for (std::size_t i = 0; i < blobs; ++i)
    frames.push_back(bytes_of(input.last(share))), input = input.first(input.size() - share);
  frames.insert(frames.begin() + 1, bytes_of(input));
  return frames;
}

// Seals the fields of the text with a valid checksum: otherwise all inputs would be refused.
void sealed_again(const std::string& text) {
  auto fields = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!fields.is_object()) return;
  fields.erase("format");
  fields.erase("check");
  const auto read = commit_from_text(seal(fields, kCommitFormat));
  if (read.ok()) ROTA_CHECK(commit_from_text(commit_to_text(*read)).ok());
}

}  // namespace

bool message(std::span<const std::byte> input) {
  Frames frames = frames_of(input);
  (void)decode_header(frames).ok();
  std::vector<std::byte> header = tests::copy_of(frames[0]);
  place(header, 0, kMagic);
  place(header, 4, kProtocolVersion);
  place(header, kFramesAt, static_cast<std::uint32_t>(frames.size() - 1));
  frames[0] = Bytes::from(std::move(header));
  tests::seal(frames);
  const auto decoded = decode_header(frames);
  if (!decoded.ok()) return false;
  const Frames body(frames.begin() + 1, frames.end());
  const auto in = decode_message(decoded->kind, body);
  if (!in.ok()) return false;
  ROTA_CHECK(kind_of(*in) == decoded->kind);
  const Frames again = with_header(*decoded, encode_message(*in));
  const auto header_again = decode_header(again);
  ROTA_CHECK(header_again.ok());
  ROTA_CHECK(header_again->sequence == decoded->sequence && header_again->from == decoded->from);
  const auto message_again = decode_message(decoded->kind, {again.begin() + 1, again.end()});
  ROTA_CHECK(message_again.ok());
  ROTA_CHECK(tests::same(*in, *message_again));
  return true;
}

bool commit(std::span<const std::byte> input) {
  const std::string text(reinterpret_cast<const char*>(input.data()), input.size());
  const auto read = commit_from_text(text);
  if (read.ok()) ROTA_CHECK(commit_from_text(commit_to_text(*read)).ok());
  sealed_again(text);
  Reader in(input);
  CommitRecord record;
  record.epoch = in.get<Epoch>();
  record.next_round = in.get<RoundId>() % kMostCounted;
  record.items = in.get<std::uint64_t>() % kMostCounted;
  record.job = {in.get<std::uint64_t>(), in.get<std::uint64_t>()};
  record.seconds = static_cast<double>(in.get<std::uint32_t>()) / 7;
  const auto file = RunFolder{}.checkpoint(record.epoch).filename() / RunFolder::partition_file(0, 3);
  record.files.push_back({file.string(), in.get<std::uint64_t>(), {in.get<std::uint64_t>(), 0}});
  const auto back = commit_from_text(commit_to_text(record));
  ROTA_CHECK(back.ok());
  ROTA_CHECK(back->epoch == record.epoch && back->next_round == record.next_round && back->items == record.items);
  ROTA_CHECK(back->job == record.job && back->seconds == record.seconds);
  ROTA_CHECK(back->files[0].bytes == record.files[0].bytes && back->files[0].hash == record.files[0].hash);
  return read.ok();
}

bool cut(std::span<const std::byte> input) {
  Reader in(input);
  const auto read = decode_cut(in);
  if (!read) return false;
  Writer out;
  encode_cut(*read, out);
  Reader again(out.view());
  const auto back = decode_cut(again);
  ROTA_CHECK(back.has_value());
  ROTA_CHECK(back->slices == read->slices && back->replicated == read->replicated);
  return true;
}

}  // namespace rota::fuzz
