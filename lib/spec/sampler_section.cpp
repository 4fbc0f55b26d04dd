// SPDX-License-Identifier: Apache-2.0
#include "spec/sampler_section.hpp"

#include <algorithm>

#include "plugin/found.hpp"
#include "samplers/sampler.hpp"

namespace dlrun::spec {

namespace {

constexpr const char* kText = "which values next";

std::vector<const plugin::Found*> sampler_plugins() { return plugin::all_of(plugin::Kind::sampler); }

/// Adds the plugins whose manifest says yes under the key.
std::vector<std::string> with_plugins(std::vector<std::string> names, const char* key) {
  for (const plugin::Found* found : sampler_plugins()) {
    if (found->manifest->whole.value(key, false)) names.push_back(found->manifest->name);
  }
  return names;
}

bool is_built_in(const std::string& name) {
  const auto names = samplers::sampler_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

options::Key sampler_key() {
  const auto plugins = sampler_plugins();
  if (plugins.empty()) return options::choice("sampler", kText, samplers::sampler_names()).with("auto");
  std::vector<options::Variant> kinds;
  for (const std::string& name : samplers::sampler_names()) kinds.push_back({name, "built in", {}});
  for (const plugin::Found* found : plugins)
    kinds.push_back({found->manifest->name, found->manifest->about, found->manifest->keys});
  return options::variant("sampler", kText, std::move(kinds)).with("auto");
}

void settle_sampler(Json& search) {
  if (!search.is_object() || !search["sampler"].is_object()) return;
  const std::string name = search["sampler"].at("op");
  if (is_built_in(name)) search["sampler"] = name;
}

std::string sampler_name(const Json& search) {
  const Json sampler = search.value("sampler", Json());
  if (sampler.is_object()) return sampler.at("op");
  return sampler.is_string() ? sampler.get<std::string>() : "auto";
}

std::vector<std::string> samplers_for_several() {
  return with_plugins(samplers::sampler_names_for_several(), "several");
}

std::vector<std::string> samplers_that_learn() { return with_plugins(samplers::sampler_names_that_learn(), "learns"); }

}  // namespace dlrun::spec
