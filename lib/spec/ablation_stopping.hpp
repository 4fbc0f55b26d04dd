// SPDX-License-Identifier: Apache-2.0
// `replicates: auto` and `stopping:` of an ablation: when its replicates are looked at, and how many there may be.
#pragma once
#include "document/node.hpp"
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Are the replicates looked at while they come in?
bool has_looks(const document::Node& section, const Json& written);

/// Makes `replicates: auto` a table without a number, and of a default number of replicates none where there are looks.
void open_replicates(Json& written, bool looks, const Faults& faults);

/// Puts the looks and the most replicates into the section, which says everything then, and reports what cannot be:
/// numbers that contradict one another, looks that do not rise, designs and tests that have no such looks.
/// @param written     the section, read; its `stopping` is erased where there are no looks
/// @param objective   metric that trials are judged by while they come in
/// @param components  compared with the baseline
void settle_looks(Json& written, bool looks, const std::string& objective, std::size_t components, Faults& faults);

}  // namespace dlrun::spec
