// SPDX-License-Identifier: Apache-2.0
#include "executor/plugin/handles.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::executor {

Handles HandleFile::read() const {
  std::error_code none;
  if (!std::filesystem::exists(path_, none)) return {};
  try {
    const Json json = Json::parse(read_file(path_));
    return json.at("plugin") == plugin_ ? json.at("handles").get<Handles>() : Handles();
  } catch (const Json::exception&) {
    throw Error(ErrorKind::outside, fmt::format("'{}' is damaged", path_.string()),
                "remove it: workers that it names end by themselves");
  }
}

void HandleFile::write(const Handles& handles) const {
  write_file(path_, to_text({{"plugin", plugin_}, {"handles", handles}}) + "\n", {.durable = false});
}

}  // namespace dlrun::executor
