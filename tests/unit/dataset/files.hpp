// SPDX-License-Identifier: Apache-2.0
// Data files for tests: real files in a folder of their own, which also holds the cache.
#pragma once
#include <stdlib.h>
#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "dataset/fresh.hpp"

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

/// A file of numpy: float64, row-major. @param shape  as numpy writes it, "(3, 2)"
inline std::string npy_bytes(const std::string& shape, const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': " + shape + ", }";
  header += std::string(63 - (header.size() + 10) % 64, ' ') + '\n';
  std::string bytes = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header;
  return bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

/// A tar archive (ustar), as `tar` writes it.
inline std::string tar_bytes(const std::vector<std::pair<std::string, std::string>>& files) {
  std::string out;
  const auto add = [&](const std::string& name, char type, const std::string& bytes) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, const std::string& text) { header.replace(at, text.size(), text); };
    char size[16];
    std::snprintf(size, sizeof size, "%011o", unsigned(bytes.size()));
    put(0, name);
    put(124, size);
    put(148, "        ");
    header[156] = type;
    put(257, std::string("ustar\0"
                         "00",
                         8));
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(size, sizeof size, "%06o", sum);
    put(148, std::string(size) + '\0' + ' ');
    out += header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
  };
  add("folder/", '5', "");
  for (const auto& [name, bytes] : files) add("folder/" + name, '0', bytes);
  return out + std::string(1024, '\0');
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

/// New examples that fit into one part.
inline Fresh load_fresh(const Json& data, const FreshOptions& options, std::uint64_t seed) {
  const std::unique_ptr<FreshStream> stream = open_fresh(data, options, seed);
  Fresh fresh = stream->next().value();
  if (stream->next()) throw std::logic_error("there is another part");
  return fresh;
}

inline Json section(const char* text) { return parse_json(text, "section"); }

}  // namespace dlrun::dataset
