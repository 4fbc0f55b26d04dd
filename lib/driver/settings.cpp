// SPDX-License-Identifier: Apache-2.0
#include "driver/settings.hpp"

#include "driver/spec_diff.hpp"
#include "spec/concise.hpp"

namespace dlrun::driver {

namespace {

/// Differences of two normal forms. A section that only one of them has is shown without its defaults.
std::vector<std::string> differences(Json before, Json now) {
  for (const char* name : {"final", "winner"}) {
    const bool was_there = before.value(name, Json()).is_object(), is_there = now.value(name, Json()).is_object();
    if (was_there == is_there) continue;
    Json& section = was_there ? before[name] : now[name];
    section = spec::concise_section(name, section);
  }
  return whole_diff(before, now);
}

}  // namespace

std::optional<NewSettings> new_settings(const storage::StudyRow& before, const spec::StudySpec& now) {
  NewSettings out{before, differences(before.spec, now.json)};
  if (out.changes.empty()) return std::nullopt;
  out.row.spec = now.json;
  if (!before.origin.empty()) out.row.spec["study"] = before.origin;  // the stored hash is of that name
  out.row.spec_text = now.text;
  return out;
}

void record(const NewSettings& settings, storage::Store& store, Display& display) {
  display.line("settings of '" + settings.row.name + "' from now on:");
  for (const std::string& change : settings.changes) display.line("  " + change);
  store.renew_settings(settings.row);
}

void record_alone(const NewSettings& settings, storage::Store& store, Display& display) {
  store.begin();
  record(settings, store, display);
  store.commit(storage::Durability::full);
}

}  // namespace dlrun::driver
