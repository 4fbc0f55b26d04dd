// SPDX-License-Identifier: Apache-2.0
// Texts that stand in files of the checkout. DLRUN_APPROVE=1 writes them anew.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "util/files.hpp"

namespace dlrun::support {

/// The file's text, which is this one where it is approved.
inline std::string golden(const std::filesystem::path& file, const std::string& text) {
  if (std::getenv("DLRUN_APPROVE") != nullptr) write_file(file, text, {.durable = false, .mode = 0644});
  return read_file(file);
}

/// The first line that two texts do not share, as each has it; empty: they are equal.
inline std::string first_difference(const std::string& one, const std::string& other) {
  if (one == other) return "";
  std::istringstream a(one), b(other);
  std::string of_one, of_other;
  do {
    std::getline(a, of_one);
    std::getline(b, of_other);
  } while (a && b && of_one == of_other);
  return of_one + "\n" + of_other;
}

inline void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

}  // namespace dlrun::support
