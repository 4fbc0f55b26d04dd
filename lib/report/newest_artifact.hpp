// SPDX-License-Identifier: Apache-2.0
// File that a trial of one member has left last.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "report/opened.hpp"

namespace dlrun::report {

/// The newest file of a role (trial::kValues, say) by an attempt that counts.
/// @return nullopt: the trial has left none, or it was given up or is missing
std::optional<std::filesystem::path> newest_artifact(const OpenedStudy& opened, std::int64_t trial,
                                                     const std::string& role);

}  // namespace dlrun::report
