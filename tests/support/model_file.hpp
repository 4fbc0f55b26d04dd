// SPDX-License-Identifier: Apache-2.0
// A network of configs/models as a study that extends it sees it. For targets that link document and spec.
#pragma once
#include <filesystem>
#include <string>

#include "document/load.hpp"
#include "document/reader.hpp"
#include "util/json.hpp"

namespace dlrun {

/// @param models  the folder configs/models
/// @param let     laid over the file's own
inline Json model_file(const std::filesystem::path& models, const std::string& name, const Json& let) {
  document::LoadOptions options;
  options.file = models / (name + ".yaml");
  document::Faults faults;
  const document::Loaded loaded = document::load(options, faults.list);
  if (!loaded.root) throw Error(ErrorKind::usage, "no model '" + name + "'");
  Json json = document::read_any(*loaded.root, "", faults);
  if (faults.list.has_errors()) throw Error(ErrorKind::usage, faults.list.render_errors());
  for (const auto& [key, value] : let.items()) json["let"][key] = value;
  return json;
}

}  // namespace dlrun
