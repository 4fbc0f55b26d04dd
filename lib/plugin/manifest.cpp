// SPDX-License-Identifier: Apache-2.0
#include "plugin/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "document/reader.hpp"
#include "plugin/manifest_keys.hpp"
#include "util/error.hpp"

namespace dlrun::plugin {

namespace {

bool is_among(const std::string& key, std::initializer_list<const char*> names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

/// Names of keys that dlrun itself adds to a section.
bool is_reserved(const std::string& kind, const std::string& key) {
  return key == "op" || (kind == "pruner" && is_among(key, {"min_budget", "max_budget", "interval"})) ||
         (kind == "executor" && is_among(key, {"jobs", "idle", "poll", "listen", "scratch"}));
}

/// Reads the keys one by one, so that each fault can be told at its place.
options::Table keys_of(const Json& whole, document::Faults* faults) {
  options::Table keys;
  for (std::size_t i = 0; i < whole.at("keys").size(); ++i) {
    try {
      const options::Key key = key_from_json(whole["keys"][i]);
      if (!is_name(key.name) || is_reserved(whole.at("kind"), key.name))
        throw Error(
            ErrorKind::usage, fmt::format("a key cannot be named '{}'", key.name),
            is_name(key.name) && key.name != "op"
                ? fmt::format("dlrun has this key itself: see dlrun/plugin/{}.hpp", whole.at("kind").get<std::string>())
                : "small letters, digits, '_'");
      if (options::find(keys, key.name) != nullptr)
        throw Error(ErrorKind::usage, fmt::format("there are two keys '{}'", key.name));
      keys.push_back(key);
    } catch (const Error& fault) {
      if (faults == nullptr) throw;
      faults->at(fmt::format("keys.{}", i), fault.what(), fault.hint());
    }
  }
  return keys;
}

Manifest manifest_of(const Json& whole, document::Faults* faults) {
  return {.name = whole.at("plugin"),
          .kind = kind_named(whole.at("kind")),
          .version = whole.at("version"),
          .about = whole.at("about"),
          .keys = keys_of(whole, faults),
          .whole = whole};
}

}  // namespace

bool is_name(const std::string& name) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  return !name.empty() && name.size() <= 60 && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of(kAllowed) == std::string::npos;
}

Kind kind_named(const std::string& name) {
  const auto* found = std::find_if(kKinds.begin(), kKinds.end(), [&](Kind kind) { return name == name_of(kind); });
  if (found == kKinds.end()) throw Error(ErrorKind::usage, fmt::format("'{}' is no kind of plugin", name));
  return *found;
}

const char* name_of(Kind kind) {
  constexpr std::array kNames = {"sampler", "pruner",    "executor", "exporter", "layer",
                                 "loss",    "optimizer", "metric",   "data"};
  return kNames.at(static_cast<std::size_t>(kind));
}

Manifest read_manifest(const std::string& file, const ManifestCheck& check) {
  document::Faults faults;
  const document::Node root = document::load_file(file, faults);
  const Json whole = document::read(&root, manifest_key(), "", faults);
  if (whole.is_object() && whole.value("plugin", Json()).is_string() && !is_name(whole["plugin"]))
    faults.at("plugin", "a plugin's name has small letters, digits and '_', and begins with a letter");
  document::require_sound(faults.list);
  Manifest manifest = manifest_of(whole, &faults);
  document::require_sound(faults.list);
  if (check == nullptr) return manifest;
  for (const ManifestFault& fault : check(manifest)) faults.at(fault.place, fault.message, fault.hint);
  document::require_sound(faults.list);
  return manifest;
}

Manifest manifest_from_json(const Json& whole) {
  try {
    Manifest manifest = manifest_of(whole, nullptr);
    if (!is_name(manifest.name)) throw Error(ErrorKind::usage, "its manifest has no right name");
    return manifest;
  } catch (const Json::exception&) {
    throw Error(ErrorKind::usage, "its manifest is damaged");
  } catch (const std::out_of_range&) {
    throw Error(ErrorKind::usage, "its manifest is damaged");
  }
}

namespace {

/// Text of a raw literal: nothing in it may look like the literal's end.
std::string literal_of(std::string text) {
  const std::string end = ")dlrun\"";
  for (std::size_t at = 0; (at = text.find(end, at)) != std::string::npos;) text.replace(at, 1, "\\u0029");
  return text;
}

}  // namespace

std::string note_source(const Manifest& manifest) {
  const std::string torch = has_torch(manifest.kind) ? "#define DLRUN_PLUGIN_WITH_TORCH\n" : "";
  return fmt::format(
      "// Made from plugin.yaml by `dlrun plugins note`.\n{}#include <dlrun/plugin/note.hpp>\n\n"
      "DLRUN_PLUGIN_NOTE(R\"dlrun({})dlrun\")\n",
      torch, literal_of(to_text(manifest.whole)));
}

}  // namespace dlrun::plugin
