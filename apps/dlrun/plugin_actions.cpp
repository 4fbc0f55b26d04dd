// SPDX-License-Identifier: Apache-2.0
#include "plugin_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "arguments.hpp"
#include "dataset/plugin_formats.hpp"
#include "libtorch/load.hpp"
#include "model/plugin_layer.hpp"
#include "output/console.hpp"
#include "plugin/found.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::cli {

plugin::Found judged(plugin::Found found) {
  if (!found.fits() || found.manifest->kind != plugin::Kind::data) return found;
  found.problem = dataset::refusal(found);
  return found;
}

namespace {

/// @throws Error(usage) for the first place that cannot be read
void require_places() {
  const std::vector<std::filesystem::path> places = plugin::folders();
  for (const plugin::Found& found : plugin::found()) {
    const bool is_place = std::find(places.begin(), places.end(), found.file) != places.end();
    std::error_code none;
    if (is_place && !found.manifest && !std::filesystem::is_regular_file(found.file, none))
      throw Error(ErrorKind::usage, found.problem, "make it, or take it out of DLRUN_PLUGINS");
  }
}

}  // namespace

int list_plugins(Console& console) {
  report::Table table{.columns = {"plugin", "kind", "version", "about", "file", "sha256", "problem"}};
  for (const plugin::Found& one : plugin::found()) {
    const plugin::Found found = judged(one);
    const Json problem =
        found.fits() ? Json() : Json(found.hint.empty() ? found.problem : found.problem + "; " + found.hint);
    const bool is_known = found.manifest.has_value();
    table.rows.push_back({is_known ? Json(found.manifest->name) : Json(),
                          is_known ? Json(plugin::name_of(found.manifest->kind)) : Json(),
                          is_known ? Json(found.manifest->version) : Json(),
                          is_known ? Json(found.manifest->about) : Json(), found.file.string(),
                          found.fits() ? Json(short_hash(plugin::hash_of(found))) : Json(), problem});
  }
  if (table.rows.empty()) {
    console.note("no plugins in these folders:");
    for (const auto& folder : plugin::folders()) console.note(fmt::format("  {}", folder.string()));
  }
  console.print(table);
  require_places();
  return 0;
}

int check_plugin(const std::string& file, Console& console) {
  const plugin::Found found = judged(plugin::look_into({file}).at(0));
  if (!found.fits()) throw Error(ErrorKind::usage, fmt::format("'{}': {}", file, found.problem), found.hint);
  console.note(fmt::format("'{}' is the {} '{}'", file, plugin::name_of(found.manifest->kind), found.manifest->name));
  return 0;
}

int write_note(const std::string& manifest, const Arguments& arguments, Console& console) {
  const std::string source = plugin::note_source(plugin::read_manifest(manifest, model::check_declaration));
  write_or_print(arguments.text("output", "-"), source, console);
  return 0;
}

int print_torch(Console& console) {
  const auto candidates = libtorch::candidates(libtorch::surroundings());
  libtorch::require(candidates);
  const auto first = std::find_if(candidates.begin(), candidates.end(), [](const auto& one) { return one.fits(); });
  console.data(first->folder.string() + "\n");
  return 0;
}

}  // namespace dlrun::cli
