// SPDX-License-Identifier: Apache-2.0
// `ablation:` of a study to its plan: the section checked, every variant built.
#pragma once
#include "ablation/retune.hpp"

namespace dlrun::ablation {

/// Whether the section asks for a tuning of its variants.
bool asks_to_retune(const Node& section);

/// Makes an ablation of a checked study: reads `section`, builds every variant, and fills in `ablation`, `space`,
/// `search` and `derived.ablation`.
/// @param root      without_search() of the document, of which `study` is the normal form
/// @param settings  parameters to retune, if the section asks for it
void add_ablation(Json& study, const Node& root, const Node& section, const Settings& settings, const Checker& checker,
                  Faults& faults);

}  // namespace dlrun::ablation
