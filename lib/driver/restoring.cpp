// SPDX-License-Identifier: Apache-2.0
#include "driver/restoring.hpp"

#include <fmt/format.h>

namespace dlrun::driver {

std::string store_option(const std::filesystem::path& folder) {
  const auto absolute = [](const std::filesystem::path& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  if (absolute(folder) == absolute("dlrun-store")) return {};
  return fmt::format(" --store {}", absolute(folder).string());
}

std::string restore_hint(const std::string& study, std::int64_t trial, const std::filesystem::path& folder) {
  return fmt::format("`dlrun reproduce {}/{} --restore{}` trains it again and puts it back", study, trial,
                     store_option(folder));
}

}  // namespace dlrun::driver
