// SPDX-License-Identifier: Apache-2.0
// Data files for tests: real files in a folder of their own, which also holds the cache.
#pragma once
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// A folder that goes with its scope; XDG_CACHE_HOME points into it.
class DataFolder {
 public:
  DataFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "dlrun-data-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
    ::setenv("XDG_CACHE_HOME", (path_ / "cache").c_str(), 1);
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  void write(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  std::filesystem::path path() const { return path_; }
  Locations where() const { return {{path_}}; }

 private:
  std::filesystem::path path_;
};

inline std::string gzipped(const std::string& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, bytes.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// Big-endian header (magic and sizes) and the values.
inline std::string idx_bytes(std::uint32_t magic, const std::vector<std::uint32_t>& sizes, const std::string& values) {
  std::string bytes;
  const auto word = [&](std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  };
  word(magic);
  for (const std::uint32_t size : sizes) word(size);
  return bytes + values;
}

inline Json section(const char* text) { return parse_json(text, "section"); }

}  // namespace dlrun::dataset
