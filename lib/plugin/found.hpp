// SPDX-License-Identifier: Apache-2.0
// The plugins there are: where they are looked for, and which of them fit.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "plugin/manifest.hpp"

namespace dlrun::plugin {

/// A shared object in one of the folders.
struct Found {
  std::filesystem::path file;
  std::optional<Manifest> manifest;  ///< absent where the note cannot be read
  std::string problem;               ///< why it cannot be used; empty: it can
  std::string hint;

  bool fits() const { return problem.empty(); }
};

/// Folders, in order: those of DLRUN_PLUGINS (separated by ':'; a file stands for itself), `plugins` of dlrun's data
/// folder ($XDG_DATA_HOME/dlrun, ~/.local/share/dlrun), and `plugins` of the installation or the build.
std::vector<std::filesystem::path> folders();

/// Every `*.so` of these folders, by folder and name, compared with this dlrun; a second one of a kind and name is
/// refused, the same file again is passed over. Runs no code of theirs. Errors: none; what is wrong with a file or
/// with a folder, its absence too, is a problem in the list.
std::vector<Found> look_into(const std::vector<std::filesystem::path>& folders);

/// look_into(folders()), once for the process; places that DLRUN_PLUGINS does not name may be missing.
const std::vector<Found>& found();

/// The one that fits; nullptr where there is none.
const Found* find(Kind kind, const std::string& name);
/// The one that fits. @param ours  names of dlrun's own that may stand where the plugin's does
/// @throws Error(usage) with the nearest name
const Found& named(Kind kind, const std::string& name, const std::vector<std::string>& ours = {});
/// Plugins of a kind that fit, by name.
std::vector<const Found*> all_of(Kind kind);

/// SHA-256 of the object's file, read once. @throws Error(usage) where it cannot be read
std::string hash_of(const Found& plugin);

}  // namespace dlrun::plugin
