// SPDX-License-Identifier: Apache-2.0
#include "plugin/found.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "plugin/note.hpp"
#include "plugin/taken.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/sha256.hpp"

namespace dlrun::plugin {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

fs::path data_home() {
  if (const std::string xdg = variable("XDG_DATA_HOME"); !xdg.empty()) return xdg;
  const std::string home = variable("HOME");
  return home.empty() ? fs::path() : fs::path(home) / ".local/share";
}

Found unusable(const fs::path& file, std::string problem, std::string hint = {}) {
  return {.file = file, .manifest = {}, .problem = std::move(problem), .hint = std::move(hint)};
}

/// The shared objects that a place names. @throws Error(outside) for a folder that cannot be read
std::vector<fs::path> objects_in(const fs::path& place) {
  std::error_code none;
  if (!fs::is_directory(place, none)) return {place};
  std::vector<fs::path> files = entries_of(place);
  std::erase_if(files, [](const fs::path& file) { return file.extension() != ".so"; });
  return files;
}

Found look_at(const fs::path& file, const Build& own) {
  Found plugin = unusable(file, {});
  try {
    const Note note = read_note(file);
    plugin.problem = misfit(note.build, own);
    if (!plugin.problem.empty()) plugin.hint = "build it again with this dlrun's headers";
    plugin.manifest = manifest_from_json(note.manifest);
  } catch (const Error& fault) {
    if (plugin.problem.empty()) {
      plugin.problem = fault.what();
      plugin.hint = fault.hint();
    }
  }
  return plugin;
}

/// A name that dlrun or one of the earlier ones has.
void refuse_taken(Found& plugin, const std::vector<Found>& earlier) {
  if (!plugin.fits()) return;
  if (is_built_in(plugin.manifest->kind, plugin.manifest->name)) {
    plugin.problem = fmt::format("the name '{}' is taken: dlrun has such a {} itself", plugin.manifest->name,
                                 name_of(plugin.manifest->kind));
    plugin.hint = "build it under another name";
    return;
  }
  for (const Found& other : earlier) {
    if (!other.fits() || other.manifest->kind != plugin.manifest->kind || other.manifest->name != plugin.manifest->name)
      continue;
    plugin.problem = fmt::format("the name '{}' is taken by '{}'", plugin.manifest->name, other.file.string());
    plugin.hint = "remove one of them, or build it under another name";
  }
}

bool is_known(const fs::path& file, const std::vector<Found>& all) {
  std::error_code none;
  return std::any_of(all.begin(), all.end(),
                     [&](const Found& other) { return fs::equivalent(file, other.file, none); });
}

void add_place(const fs::path& place, const Build& own, std::vector<Found>& all) {
  try {
    for (const fs::path& file : objects_in(place)) {
      if (is_known(file, all)) continue;
      Found plugin = look_at(file, own);
      refuse_taken(plugin, all);
      all.push_back(std::move(plugin));
    }
  } catch (const Error& fault) {
    all.push_back(unusable(place, fault.what(), fault.hint()));
  }
}

/// Places in DLRUN_PLUGINS, absolute because workers run in other folders.
std::vector<fs::path> named_folders() {
  std::vector<fs::path> all;
  const std::string named = variable("DLRUN_PLUGINS");
  for (std::size_t at = 0; at < named.size();) {
    const std::size_t end = std::min(named.find(':', at), named.size());
    if (end > at) all.push_back(fs::absolute(named.substr(at, end - at)).lexically_normal());
    at = end + 1;
  }
  return all;
}

/// Places that need not be there.
std::vector<fs::path> usual_folders() {
  std::vector<fs::path> all;
  if (const fs::path home = data_home(); !home.empty()) all.push_back(home / "dlrun/plugins");
  std::error_code none;
  const fs::path programs = fs::read_symlink("/proc/self/exe", none).parent_path();
  all.push_back(own_library(programs, "plugins"));
  return all;
}

std::vector<Found> look_everywhere() {
  std::vector<fs::path> usual = usual_folders(), all = named_folders();
  std::error_code none;
  std::erase_if(usual, [&](const fs::path& folder) { return !fs::exists(folder, none); });
  all.insert(all.end(), usual.begin(), usual.end());
  return look_into(all);
}

}  // namespace

std::vector<fs::path> folders() {
  std::vector<fs::path> all = named_folders();
  for (fs::path& folder : usual_folders()) all.push_back(std::move(folder));
  return all;
}

std::vector<Found> look_into(const std::vector<fs::path>& folders) {
  const Build own = own_build();
  std::vector<Found> all;
  for (const fs::path& folder : folders) add_place(folder, own, all);
  return all;
}

const std::vector<Found>& found() {
  static const std::vector<Found> all = look_everywhere();
  return all;
}

const Found* find(Kind kind, const std::string& name) {
  for (const Found* plugin : all_of(kind)) {
    if (plugin->manifest->name == name) return plugin;
  }
  return nullptr;
}

const Found& named(Kind kind, const std::string& name, const std::vector<std::string>& ours) {
  if (const Found* found = find(kind, name)) return *found;
  std::vector<std::string> known = ours;
  for (const Found* found : all_of(kind)) known.push_back(found->manifest->name);
  const std::string nearest = nearest_name(name, known);
  std::string help = "`dlrun plugins` says what is found and where it is looked for";
  if (!ours.empty())
    help = fmt::format("{} are; `dlrun plugins` says which plugins are found", fmt::join(ours, " and "));
  if (!nearest.empty()) help = fmt::format("did you mean '{}'?", nearest);
  throw Error(ErrorKind::usage, fmt::format("there is no {} '{}'", name_of(kind), name), help);
}

std::vector<const Found*> all_of(Kind kind) {
  std::vector<const Found*> those;
  for (const Found& plugin : found()) {
    if (plugin.fits() && plugin.manifest->kind == kind) those.push_back(&plugin);
  }
  std::sort(those.begin(), those.end(),
            [](const Found* a, const Found* b) { return a->manifest->name < b->manifest->name; });
  return those;
}

std::string hash_of(const Found& plugin) {
  static std::mutex mutex;
  static std::map<fs::path, std::string> known;
  const std::lock_guard lock(mutex);
  std::string& hash = known[plugin.file];
  if (hash.empty()) hash = Sha256::hex_of(read_file(plugin.file));
  return hash;
}

}  // namespace dlrun::plugin
