// SPDX-License-Identifier: Apache-2.0
#include "plugin_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "options/form.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

void set(Json& section, const std::string& setting, const plugin::Manifest& manifest) {
  const std::size_t at = setting.find('=');
  const options::Key* key = options::find(manifest.keys, setting.substr(0, at));
  if (at == std::string::npos || key == nullptr)
    throw Error(ErrorKind::usage, fmt::format("'{}' sets no key of '{}'", setting, manifest.name),
                manifest.keys.empty()
                    ? "it has no keys"
                    : fmt::format("write key=value; its keys are {}", fmt::join(options::names(manifest.keys), ", ")));
  const Json value = setting_value(setting.substr(at + 1));
  if (!options::has_form(value, *key)) throw Error(ErrorKind::usage, options::describe_misfit(*key, value));
  section[key->name] = value;
}

}  // namespace

Json setting_value(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json plugin_section(const plugin::Manifest& manifest, const std::vector<std::string>& settings,
                    const std::string& form) {
  Json section{{"op", manifest.name}};
  for (const options::Key& key : manifest.keys) section[key.name] = key.fallback;
  for (const std::string& setting : settings) set(section, setting, manifest);
  for (const options::Key& key : manifest.keys) {
    if (key.required && section[key.name].is_null())
      throw Error(ErrorKind::usage, fmt::format("'{}' needs the key '{}'", manifest.name, key.name),
                  fmt::format("write {}{}=VALUE", form, key.name));
  }
  return section;
}

}  // namespace dlrun::cli
