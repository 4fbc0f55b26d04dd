// SPDX-License-Identifier: Apache-2.0
#include "dataset/locate.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace dlrun::dataset {

namespace {

/// Every place, in the order they are tried, each once.
std::vector<std::filesystem::path> places(const Wanted& wanted, const Locations& where) {
  const std::filesystem::path written(wanted.written);
  std::vector<std::filesystem::path> result;
  const auto add = [&](const std::filesystem::path& place) {
    for (const std::string& ending : wanted.endings) {
      const std::filesystem::path full = std::filesystem::absolute(place.string() + ending).lexically_normal();
      if (std::find(result.begin(), result.end(), full) == result.end()) result.push_back(full);
    }
  };
  if (written.is_absolute() || where.folders.empty()) add(written);
  for (const std::filesystem::path& folder : where.folders) {
    if (!written.is_absolute()) add(folder / written);
  }
  // The user's own folder may hold the file directly.
  for (std::size_t i = 1; i < where.folders.size(); ++i) add(where.folders[i] / written.filename());
  return result;
}

}  // namespace

std::filesystem::path find_file(const Wanted& wanted, const Locations& where) {
  const std::vector<std::filesystem::path> tried = places(wanted, where);
  std::error_code ignored;
  for (const std::filesystem::path& place : tried) {
    if (std::filesystem::exists(place, ignored)) return place;
  }
  throw DataError::missing(
      wanted.key, fmt::format("there is no data file '{}'; looked for", wanted.written), {tried.begin(), tried.end()},
      "put it there, or name the folder that has it: `--data DIR`, or DLRUN_DATA=DIR in the environment");
}

}  // namespace dlrun::dataset
