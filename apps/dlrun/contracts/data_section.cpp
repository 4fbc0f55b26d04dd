// SPDX-License-Identifier: Apache-2.0
#include "contracts/data_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/dataset.hpp"
#include "document/load.hpp"
#include "document/reader.hpp"
#include "plugin_section.hpp"
#include "study_source.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

namespace fs = std::filesystem;

/// trial.data of the file; values of parameters are not put into it.
Json section_of_study(const std::string& study, const std::string& name) {
  document::Faults faults;
  const document::Loaded loaded =
      document::load({.file = study, .sets = {}, .pieces = {}, .environment = {}}, faults.list);
  document::require_sound(faults.list);
  const document::Node* trial = loaded.root->find("trial");
  const document::Node* data = trial == nullptr ? nullptr : trial->find("data");
  if (data == nullptr) throw Error(ErrorKind::usage, fmt::format("'{}' has no section trial.data", study));
  Json section = document::read_any(*data, "trial.data", faults);
  document::require_sound(faults.list);
  if (!section.is_object() || section.value("op", Json()) != name)
    throw Error(ErrorKind::usage, fmt::format("trial.data of '{}' is not of op: {}", study, name));
  return section;
}

std::vector<std::string> keys_of_section(const std::string& name) {
  const std::vector<options::Variant>& kinds = dataset::data_kinds();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.name == name; });
  return kind == kinds.end() ? std::vector<std::string>() : options::names(kind->table);
}

void set(Json& section, const std::string& setting, const std::string& name) {
  const std::size_t at = setting.find('=');
  const std::vector<std::string> keys = keys_of_section(name);
  if (at == std::string::npos || std::count(keys.begin(), keys.end(), setting.substr(0, at)) == 0)
    throw Error(ErrorKind::usage, fmt::format("'{}' sets no key of a section 'data' of '{}'", setting, name),
                fmt::format("write key=value; its keys are {}", fmt::join(keys, ", ")));
  section[setting.substr(0, at)] = setting_value(setting.substr(at + 1));
}

}  // namespace

Json data_section(const plugin::Manifest& manifest, const std::vector<std::string>& settings,
                  const std::string& study) {
  Json section = study.empty() ? Json{{"op", manifest.name}} : section_of_study(study, manifest.name);
  for (const std::string& setting : settings) set(section, setting, manifest.name);
  if (!section.contains("path"))
    throw Error(
        ErrorKind::usage, fmt::format("a test of the format '{}' needs a file", manifest.name),
        fmt::format("dlrun plugins test {} --study study.yaml, or path=FILE inputs=NAME targets=NAME", manifest.name));
  section["cache"] = false;  // readings are made now
  std::vector<fs::path> folders{study.empty() ? fs::current_path() : fs::absolute(study).parent_path()};
  for (fs::path& folder : usual_data_folders()) folders.push_back(std::move(folder));
  return dataset::located(dataset::normalised(section), {folders});
}

}  // namespace dlrun::cli
