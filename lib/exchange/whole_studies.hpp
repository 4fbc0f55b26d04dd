// SPDX-License-Identifier: Apache-2.0
// Exports of several studies of which one is damaged: the others are exported all the same.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "exchange/exported.hpp"
#include "report/readable.hpp"

namespace dlrun::exchange {

/// Studies of several whose pages, trials and values all can be read.
report::Readable whole_studies(const std::filesystem::path& store, const std::vector<std::string>& studies);

/// Runs an export, and once more without the damaged studies if it ends by one of them.
/// @param readable  studies that could be opened; the damaged ones become faults
Exported export_whole(const std::filesystem::path& store, report::Readable& readable,
                      const std::function<Exported(const std::vector<std::string>& studies)>& run);

}  // namespace dlrun::exchange
