// SPDX-License-Identifier: Apache-2.0
#include "spec/plugins_used.hpp"

#include <fmt/format.h>

#include <set>

#include "plugin/found.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::spec {

namespace {

bool names_kind(const std::string& key) {
  return key == "op" || key == "sampler" || key == "metrics" || (key.size() > 3 && key.ends_with(".op"));
}

/// Adds every text that may be a plugin's name. `is_name`: texts here are names of kinds.
void gather(const Json& value, bool is_name, std::set<std::string>& names) {
  if (value.is_string() && is_name) names.insert(value.get<std::string>());
  if (value.is_array()) {
    for (const Json& item : value) gather(item, is_name, names);
  }
  if (!value.is_object()) return;
  const std::string at = value.value("at", Json()).is_string() ? value["at"].get<std::string>() : "";
  for (const auto& [key, inner] : value.items()) {
    gather(inner, names_kind(key) || (key == "choices" && names_kind(at)), names);
    if (key != "metrics" || !inner.is_object()) continue;
    for (const Json& of_output : inner) gather(of_output, true, names);
  }
}

Json facts_of(const plugin::Found& found) {
  return {{"kind", plugin::name_of(found.manifest->kind)},
          {"version", found.manifest->version},
          {"sha256", plugin::hash_of(found)}};
}

std::string described(const Json& facts) {
  return fmt::format("{} ({})", facts.at("version").get<std::string>(), short_hash(facts.at("sha256")));
}

}  // namespace

Json plugins_used(const Json& normal) {
  Json used = Json::object();
  if (plugin::found().empty()) return used;
  std::set<std::string> names;
  for (const char* section : {"search", "trial", "space", "ablation", "derived"}) {
    if (normal.contains(section)) gather(normal[section], false, names);
  }
  for (const plugin::Found& found : plugin::found()) {
    const plugin::Kind kind = found.fits() ? found.manifest->kind : plugin::Kind::exporter;
    const bool decides = kind != plugin::Kind::exporter && kind != plugin::Kind::executor;
    if (decides && names.contains(found.manifest->name)) used[found.manifest->name] = facts_of(found);
  }
  return used;
}

Json plugins_of_workers(const Json& normal) {
  Json those;
  const Json all = normal.value("derived", Json::object()).value("plugins", Json::object());
  for (const auto& [name, facts] : all.items()) {
    for (const plugin::Kind kind : plugin::kKinds) {
      if (facts.at("kind") == plugin::name_of(kind) && !plugin::is_of_driver(kind)) those[name] = facts;
    }
  }
  return those;
}

void require_plugins(const Json& normal) {
  const Json all = normal.value("derived", Json::object()).value("plugins", Json::object());
  for (const auto& [name, facts] : all.items()) {
    const plugin::Found* here = nullptr;
    for (const plugin::Found& found : plugin::found()) {
      if (found.fits() && found.manifest->name == name && facts.at("kind") == plugin::name_of(found.manifest->kind))
        here = &found;
    }
    const std::string who = fmt::format("plugin '{}' {}", name, described(facts));
    if (here == nullptr)
      throw Error(ErrorKind::usage, fmt::format("the study needs {}, which is not here", who),
                  "`dlrun plugins` says what is found and where it is looked for");
    if (facts_of(*here) != facts)
      throw Error(ErrorKind::usage,
                  fmt::format("the study was run with {}, but '{}' is {}", who, here->file.string(),
                              described(facts_of(*here))),
                  "install that one again, or run the study under another name");
  }
}

}  // namespace dlrun::spec
