// SPDX-License-Identifier: Apache-2.0
// Shared objects that the build made of objects/sample.cpp, and edited copies of them.
#pragma once
#include <elf.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "util/files.hpp"

namespace plugin_test {

inline std::filesystem::path sample(const std::string& name) {
  return std::filesystem::path(DLRUN_SAMPLES) / (name + ".so");
}

inline std::string bytes_of(const std::string& name) { return dlrun::read_file(sample(name)); }

inline void put(const std::filesystem::path& file, const std::string& bytes) {
  dlrun::write_file(file, bytes, {.durable = false});
}

/// The ELF header at the front of an object.
inline Elf64_Ehdr head_of(const std::string& bytes) {
  Elf64_Ehdr head;
  std::memcpy(&head, bytes.data(), sizeof head);
  return head;
}

inline std::string with_head(std::string bytes, const Elf64_Ehdr& head) {
  std::memcpy(bytes.data(), &head, sizeof head);
  return bytes;
}

}  // namespace plugin_test
