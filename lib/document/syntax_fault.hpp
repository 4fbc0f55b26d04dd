// SPDX-License-Identifier: Apache-2.0
// Faults of YAML in terms of what a person did: the places and words of its parser are its own.
#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "document/diagnostic.hpp"

namespace dlrun::document {

inline constexpr std::size_t kLongestKey = 1024;  ///< characters, by the YAML specification
inline constexpr const char* kLongKey = "this key has more than 1024 characters";
inline constexpr const char* kLongKeyHint = "YAML has no longer ones; is a quote missing?";

/// @param message  of yaml-cpp
/// @param at  where its parser stopped
/// @param unclosed  the innermost '[' or '{' that has no end there
void report_syntax(const std::string& message, const Span& at, const std::optional<Span>& unclosed,
                   Diagnostics& faults);

}  // namespace dlrun::document
