// SPDX-License-Identifier: Apache-2.0
#include "spec/pruner_section.hpp"

#include <algorithm>

#include "plugin/found.hpp"
#include "pruners/keys.hpp"

namespace dlrun::spec {

namespace {

std::vector<const plugin::Found*> pruner_plugins() { return plugin::all_of(plugin::Kind::pruner); }

}  // namespace

options::Key pruner_key() {
  options::Key key = pruners::pruner_key();
  for (const plugin::Found* found : pruner_plugins()) {
    const plugin::Manifest& manifest = *found->manifest;
    key.variants.push_back(
        {manifest.name, manifest.about, options::joined<options::Key>({pruners::even_rung_keys(), manifest.keys})});
  }
  return key;
}

bool is_foreign(const Json& pruner) {
  if (!pruner.is_object() || !pruner.value("op", Json()).is_string()) return false;
  const auto names = pruners::pruner_names();
  return std::find(names.begin(), names.end(), pruner["op"].get<std::string>()) == names.end();
}

pruners::PrunerKind read_pruner(const Json& section) {
  if (is_foreign(section)) return pruners::read_foreign(section);
  return pruners::read_pruner(section);
}

std::vector<std::string> pruners_for_bounds() {
  auto names = pruners::pruner_names_for_bounds();
  for (const plugin::Found* found : pruner_plugins()) {
    if (found->manifest->whole.value("bounds", false)) names.push_back(found->manifest->name);
  }
  return names;
}

}  // namespace dlrun::spec
