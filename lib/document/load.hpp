// SPDX-License-Identifier: Apache-2.0
// A file with all it extends, values from the shell, and the environment, as one tree.
#pragma once
#include <optional>
#include <vector>

#include "document/environment.hpp"
#include "document/fence.hpp"

namespace dlrun::document {

struct LoadOptions {
  std::filesystem::path file;
  std::vector<std::string> sets;              ///< "a.b=value", in order; list elements by `name:` or by number
  std::vector<std::filesystem::path> pieces;  ///< folders in which `extends:` looks after that of the naming file
  Substitution environment;
  std::optional<std::string> text = {};  ///< content of `file`, which is not read then
  std::optional<Fence> fence = {};       ///< around the files that are read; none: all files
};

struct Loaded {
  std::optional<Node> root;  ///< a map; nothing where a text could not be read at all
  std::string text;          ///< the file as written
};

/// Any map may say `extends: NAME` or `extends: [NAME, …]`: it is laid over the named files, the later over the
/// earlier. Maps merge deeply, lists and scalars replace, null removes. ".yaml" may be left out.
/// @throws Error(usage) where the file itself cannot be read, or lies outside of the fence.
Loaded load(const LoadOptions& options, Diagnostics& faults);

/// `over` laid over `base`.
Node merge(Node base, Node over);

/// Applies one "a.b=value" to the tree; `order` sorts its faults.
void apply_set(Node& root, const std::string& set, int order, const Substitution& environment, Diagnostics& faults);

}  // namespace dlrun::document
