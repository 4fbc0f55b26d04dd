// SPDX-License-Identifier: Apache-2.0
#include "plugin_template.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "plugin/manifest.hpp"
#include "plugin/taken.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "util/shipped.hpp"

namespace dlrun::cli {

namespace fs = std::filesystem;

namespace {

/// @return an empty path where there is none
fs::path own_folder(const std::string& installed, const std::string& in_checkout) {
  std::error_code none;
  return shipped(fs::read_symlink("/proc/self/exe", none).parent_path(), installed, in_checkout);
}

/// Names of the kinds that have a template.
std::vector<std::string> kinds_in(const fs::path& templates) {
  std::vector<std::string> kinds;
  for (const fs::path& entry : entries_of(templates)) {
    if (fs::is_directory(entry)) kinds.push_back(entry.filename().string());
  }
  return kinds;
}

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

void require_kind(const std::string& kind) {
  std::vector<std::string> known;
  for (const plugin::Kind one : plugin::kKinds) known.emplace_back(plugin::name_of(one));
  if (std::find(known.begin(), known.end(), kind) != known.end()) return;
  const std::string nearest = nearest_name(kind, known);
  throw Error(ErrorKind::usage, fmt::format("'{}' is no kind of plugin", kind),
              nearest.empty() ? "kinds are " + listed(known) : fmt::format("did you mean '{}'?", nearest));
}

/// Targets that CMake makes by itself, and those of dlrun's package.
bool is_target(const std::string& name) {
  static constexpr std::string_view kTargets[] = {"all",
                                                  "clean",
                                                  "depend",
                                                  "dlrun_plugin_headers",
                                                  "dlrun_plugin_torch",
                                                  "edit_cache",
                                                  "help",
                                                  "install",
                                                  "list_install_components",
                                                  "package",
                                                  "package_source",
                                                  "preinstall",
                                                  "rebuild_cache",
                                                  "test"};
  return std::find(std::begin(kTargets), std::end(kTargets), name) != std::end(kTargets);
}

/// @throws Error(usage) for a name that dlrun or CMake has itself: a build under it would fail, maybe at its end
void require_free(const std::string& kind, const std::string& name) {
  if (is_target(name))
    throw Error(ErrorKind::usage, fmt::format("the name '{}' is taken: CMake has such a target itself", name),
                "give the plugin another name");
  for (const plugin::Kind one : plugin::kKinds) {
    if (plugin::name_of(one) == kind && plugin::is_built_in(one, name))
      throw Error(ErrorKind::usage, fmt::format("the name '{}' is taken: dlrun has such a {} itself", name, kind),
                  "give the plugin another name");
  }
}

/// The template's folder. @throws Error(usage) where there is none
fs::path template_of(const std::string& kind) {
  const fs::path templates = own_folder("share/dlrun/templates/plugins", "templates/plugins");
  if (templates.empty())
    throw Error(ErrorKind::usage, "this dlrun was installed without share/dlrun/templates", "install it again");
  require_kind(kind);
  if (!fs::is_directory(templates / kind))
    throw Error(ErrorKind::usage, fmt::format("there is no template of kind '{}'", kind),
                "there are templates of " + listed(kinds_in(templates)));
  return templates / kind;
}

/// "my_sampler" -> "MySampler"
std::string class_name(const std::string& name) {
  std::string out;
  bool is_first = true;
  for (const char c : name) {
    if (c != '_') out += is_first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    is_first = c == '_';
  }
  return out;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The text under the plugin's name. The first line of a template names the licence of dlrun, and the plugin is
/// its author's.
std::string filled(std::string text, const std::string& name) {
  const std::size_t licence = text.find("SPDX-License-Identifier"), end = text.find('\n');
  if (licence < end) text.erase(0, end + 1);
  replace_all(text, "template_name", name);
  replace_all(text, "TemplateName", class_name(name));
  return text;
}

/// Copies the files of a folder, without its folders.
void copy_files(const fs::path& from, const fs::path& to, const std::string& name) {
  for (const fs::path& file : entries_of(from)) {
    if (fs::is_directory(file)) continue;
    std::string target = file.filename().string();
    replace_all(target, "template_name", name);
    write_file(to / target, filled(read_file(file), name), {.durable = false, .mode = 0644});
  }
}

/// Writes into a folder beside the final one, which takes its name at the end: files of all kinds, then those of one.
void write_as_a_whole(const fs::path& from, const fs::path& folder, const std::string& name) {
  const fs::path part = folder.string() + ".part";
  try {
    if (!fs::create_directory(part))
      throw Error(ErrorKind::usage, fmt::format("'{}' is there already", part.string()), "remove it");
    copy_files(from.parent_path(), part, name);
    copy_files(from, part, name);
    fs::rename(part, folder);
  } catch (const fs::filesystem_error& fault) {
    throw Error(ErrorKind::usage, fmt::format("cannot write '{}': {}", folder.string(), fault.code().message()),
                "name another folder with -o");
  }
}

/// The folder without a slash at its end.
fs::path asked_folder(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  return normal.has_filename() ? normal : normal.parent_path();
}

}  // namespace

std::string kinds_with_template() {
  const fs::path templates = own_folder("share/dlrun/templates/plugins", "templates/plugins");
  return templates.empty() ? "unknown without share/dlrun/templates" : listed(kinds_in(templates));
}

int write_plugin(const std::string& kind, const std::string& name, const Arguments& arguments, Console& console) {
  const fs::path source = template_of(kind);
  if (!plugin::is_name(name) || name == "op")
    throw Error(ErrorKind::usage, fmt::format("'{}' cannot be a plugin's name", name),
                "a name has small letters, digits and '_', and begins with a letter");
  require_free(kind, name);
  const fs::path folder = asked_folder(arguments.text("output", name));
  std::error_code none;
  if (fs::exists(folder, none))
    throw Error(ErrorKind::usage, fmt::format("'{}' is there already", folder.string()), "name another folder with -o");
  write_as_a_whole(source, folder, name);
  console.note(fmt::format("wrote a plugin of kind {} into '{}'; next: its README.md", kind, folder.string()));
  return 0;
}

int print_package(Console& console) {
  const fs::path folder = own_folder("lib/cmake/dlrun", "cmake/package");
  if (folder.empty())
    throw Error(ErrorKind::usage, "this dlrun was installed without lib/cmake/dlrun", "install it again");
  console.data(folder.string() + "\n");
  return 0;
}

}  // namespace dlrun::cli
