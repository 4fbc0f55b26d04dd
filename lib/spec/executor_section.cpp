// SPDX-License-Identifier: Apache-2.0
#include "spec/executor_section.hpp"

#include <fmt/format.h>

#include <vector>

#include "plugin/found.hpp"
#include "spec/study_fields.hpp"

namespace dlrun::spec {

namespace {

constexpr const char* kUnwritten = "";  ///< stands for an executor that the section does not name

std::vector<const plugin::Found*> executor_plugins() { return plugin::all_of(plugin::Kind::executor); }

options::Table table_of(const plugin::Found& found) {
  return options::joined<options::Key>({options::keys_of(plugin_job_fields()), found.manifest->keys});
}

/// A mere name gives a plugin no value for a key that it requires.
void check_word(const std::string& name, Faults& faults) {
  const plugin::Found* found = plugin::find(plugin::Kind::executor, name);
  if (found == nullptr) return;
  for (const options::Key& key : found->manifest->keys) {
    if (key.required)
      faults.at("executor", fmt::format("'{}' needs the key '{}'", name, key.name),
                fmt::format("write executor: {{{}: {{{}: …}}}}", name, key.name));
  }
}

}  // namespace

options::Key executor_key() {
  const auto plugins = executor_plugins();
  options::Key slurm = options::table("slurm", "workers are jobs of a Slurm cluster", options::keys_of(slurm_fields()));
  slurm.required = plugins.empty();
  if (!slurm.required) slurm.fallback = kUnwritten;
  options::Table tables{std::move(slurm)};
  for (const plugin::Found* found : plugins)
    tables.push_back(options::table(found->manifest->name, found->manifest->about, table_of(*found)).with(kUnwritten));
  options::Key key = options::table("executor", "where workers run: local, or slurm with its options", tables)
                         .or_word("local")
                         .or_word("slurm")
                         .with("local");
  if (!plugins.empty()) key.text = "where workers run: local, slurm or a plugin, with its options";
  for (const plugin::Found* found : plugins) key.or_word(found->manifest->name);
  return key;
}

void settle_executor(Json& study, Faults& faults) {
  Json& section = study["executor"];
  if (section.is_string()) check_word(section.get<std::string>(), faults);
  if (!section.is_object() || executor_plugins().empty()) return;
  Json named = Json::object();
  for (const auto& [name, keys] : section.items()) {
    if (keys != kUnwritten) named[name] = keys;
  }
  section = named;
  if (section.size() == 1) return;
  if (section.empty() && faults.list.has_errors()) return;  // a name that is not known, which was said
  faults.at("executor",
            section.empty() ? "'executor' names none" : "workers run in one place, but 'executor' names several",
            "write executor: local, or one name with its keys");
}

void take_executor(const Json& study, StudySpec& spec) {
  const Json section = study.value("executor", Json("local"));
  if (section == "local" || (section.is_object() && section.empty())) return;
  const std::string name = section.is_object() ? section.begin().key() : section.get<std::string>();
  const Json keys = section.is_object() ? section.begin().value() : Json::object();
  const std::string place = "executor." + name;
  if (name == "slurm") return options::read_fields(keys, slurm_fields(), place, spec.slurm.emplace());
  spec.plugin_jobs = PluginJobs{.plugin = name, .options = keys};
  options::read_fields(keys, plugin_job_fields(), place, *spec.plugin_jobs);
}

}  // namespace dlrun::spec
