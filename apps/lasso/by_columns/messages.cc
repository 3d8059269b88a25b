#include "apps/lasso/by_columns/messages.h"

#include <cstdint>
#include <stdexcept>

namespace rota::lasso {

namespace {

void write_candidates(Writer& out, const std::vector<Candidate>& candidates) {
  out.put_varint(candidates.size());
  for (const Candidate& one : candidates) {
    out.put_varint(one.column);
    out.put(one.distance);
  }
}

std::vector<Candidate> read_candidates(Reader& in) {
  std::vector<Candidate> candidates(in.get_count(1 + sizeof(double)));
  for (Candidate& one : candidates) {
    one.column = in.get_varint();
    one.distance = in.get<double>();
  }
  return candidates;
}

}  // namespace

void write(Writer& out, const DataNote& data) {
  out.put(data.columns);
  out.put_all(std::span<const double>(data.response));
  out.put_all(std::span<const double>(data.weights));
}

DataNote read_data(Reader& in) {
  DataNote data;
  data.columns = in.get<std::uint64_t>();
  data.response = in.get_all<double>();
  data.weights = in.get_all<double>();
  if (data.weights.size() != data.response.size()) in.fail();
  return data;
}

void write(Writer& out, const Screening& screening) {
  out.put(screening.steepest);
  write_candidates(out, screening.candidates);
}

Screening read_screening(Reader& in) {
  const auto steepest = in.get<double>();
  return {steepest, read_candidates(in)};
}

void write(Writer& out, const Certificate& certificate) {
  out.put(certificate.objective);
  out.put(certificate.gap);
  out.put(certificate.null_objective);
  out.put(certificate.steepest);
  write_candidates(out, certificate.candidates);
}

Certificate read_certificate(Reader& in) {
  Certificate certificate;
  certificate.objective = in.get<double>();
  certificate.gap = in.get<double>();
  certificate.null_objective = in.get<double>();
  certificate.steepest = in.get<double>();
  certificate.candidates = read_candidates(in);
  return certificate;
}

void write(Writer& out, Key column, double scale, std::span<const std::uint32_t> rows, std::span<const double> values) {
  out.put_varint(column);
  out.put(scale);
  out.put_all(rows);
  out.put_all(values);
}

ColumnNote read_column(Reader& in) {
  ColumnNote note;
  note.column = in.get_varint();
  note.scale = in.get<double>();
  note.rows = in.get_all<std::uint32_t>();
  note.values = in.get_all<double>();
  if (note.rows.size() != note.values.size()) in.fail();
  return note;
}

void write_numbers(Writer& out, std::span<const double> numbers) {
  out.append(numbers.data(), numbers.size_bytes());
}

Bytes aligned(const Bytes& bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.view().data()) % alignof(double) == 0) return bytes;
  Writer copy;
  copy.append(bytes.view().data(), bytes.size());
  return Bytes::from(copy.take());
}

std::span<const double> numbers_in(const Bytes& bytes) {
  if (bytes.size() % sizeof(double) != 0) throw std::runtime_error("a gradient came damaged");
  return {reinterpret_cast<const double*>(bytes.view().data()), bytes.size() / sizeof(double)};
}

}  // namespace rota::lasso
