// SPDX-License-Identifier: Apache-2.0
// Parses one text to one tree. Guards against YAML files that harm their reader.
#pragma once
#include <optional>

#include "document/diagnostic.hpp"
#include "document/node.hpp"

namespace dlrun::document {

/// Limits of one text; a study file has a few hundred nodes.
inline constexpr std::size_t kMaxBytes = 10u << 20;  ///< bytes of a file, and of its scalars with aliases expanded
inline constexpr std::size_t kMaxNodes = 100'000;    ///< aliases expanded
inline constexpr int kMaxDepth = 64;

/// Line ends to '\n', byte order mark of UTF-8 removed. A fault (UTF-16, invalid UTF-8, control characters, too large)
/// is reported and nothing returned.
Source make_source(const std::string& name, const std::filesystem::path& folder, int order, const std::string& text,
                   Diagnostics& faults);

/// Parses `source` from byte `start` of its first line on (what comes before is a --set key). Nothing is returned where
/// the text is no YAML or breaks a limit; duplicate keys are reported and the first kept. An empty text is an empty
/// node of kind null.
std::optional<Node> parse(const Source& source, Diagnostics& faults, std::size_t start = 0);

}  // namespace dlrun::document
