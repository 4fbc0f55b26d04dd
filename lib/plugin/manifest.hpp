// SPDX-License-Identifier: Apache-2.0
// Facts that a plugin states about itself: its name, its kind, the keys of its section in a study.
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "options/key.hpp"

namespace dlrun::plugin {

enum class Kind { sampler, pruner, executor, exporter, layer, loss, optimizer, metric, data };

inline constexpr std::array kKinds = {Kind::sampler, Kind::pruner,    Kind::executor, Kind::exporter, Kind::layer,
                                      Kind::loss,    Kind::optimizer, Kind::metric,   Kind::data};

/// "sampler"
const char* name_of(Kind kind);
/// @throws Error(usage) where no kind has the name
Kind kind_named(const std::string& name);

/// Whether a plugin, or a key of its section, may have the name: small letters, digits and '_', a letter first.
bool is_name(const std::string& name);

/// Whether plugins of the kind are used by the driver, in a helper process of it; the others by workers.
constexpr bool is_of_driver(Kind kind) { return kind <= Kind::exporter; }
/// Whether plugins of the kind are compiled with libtorch.
constexpr bool has_torch(Kind kind) { return kind >= Kind::layer && kind <= Kind::metric; }

/// The content of `plugin.yaml`.
struct Manifest {
  std::string name;  ///< as studies write it: `sampler: {op: NAME}`
  Kind kind = Kind::sampler;
  std::string version;
  std::string about;    ///< a line
  options::Table keys;  ///< keys of its section in a study, without `op`
  Json whole;           ///< every key of plugin.yaml in its normal form, those of its kind too
};

/// A fault with its place in plugin.yaml: "tensors.0.shape".
struct ManifestFault {
  std::string place, message, hint;
};
using ManifestCheck = std::function<std::vector<ManifestFault>(const Manifest&)>;

/// Reads plugin.yaml. Faults have their places in the file.
/// @param check  of what the keys alone do not show; may be null
/// @throws document::DocumentError with all faults; Error(usage) where the file cannot be read
Manifest read_manifest(const std::string& file, const ManifestCheck& check = nullptr);

/// Reads what `Manifest::whole` became in a note. @throws Error(usage) for anything that read_manifest() never gives
Manifest manifest_from_json(const Json& whole);

/// A C++ source with the note, to be compiled into the plugin.
std::string note_source(const Manifest& manifest);

}  // namespace dlrun::plugin
