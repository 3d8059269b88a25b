// tests/unit/io/compressed.h -- texts as compressed files have them.
#pragma once
#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
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
inline std::string bzip2_compressed(const std::string& text) {
  return compressed_by<boost::iostreams::bzip2_compressor>(text);
}
inline std::string xz_compressed(const std::string& text) {
  return compressed_by<boost::iostreams::lzma_compressor>(text);
}
inline std::string zstd_compressed(const std::string& text) {
  return compressed_by<boost::iostreams::zstd_compressor>(text);
}

struct Compression {
  std::string name, ending;
  std::string (*compress)(const std::string&);
};
inline const Compression kCompressions[] = {{"gzip", ".gz", gzipped},
                                            {"bzip2", ".bz2", bzip2_compressed},
                                            {"xz", ".xz", xz_compressed},
                                            {"zstd", ".zst", zstd_compressed}};

}  // namespace rota::tests
