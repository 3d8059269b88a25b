// tests/unit/apps/io/compressed.h -- texts as .gz and .zst files have them.
#pragma once
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/zstd.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <sstream>
#include <string>

namespace rota::tests {

template <typename Compressor>
std::string compressed_by(const std::string& text) {
  std::ostringstream out;
  {
    boost::iostreams::filtering_ostream filter;
    filter.push(Compressor());
    filter.push(out);
    filter << text;
  }
  return out.str();
}
inline std::string gzipped(const std::string& text) {
  return compressed_by<boost::iostreams::gzip_compressor>(text);
}
inline std::string zstd_compressed(const std::string& text) {
  return compressed_by<boost::iostreams::zstd_compressor>(text);
}

}  // namespace rota::tests
