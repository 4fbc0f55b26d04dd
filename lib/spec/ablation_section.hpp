// SPDX-License-Identifier: Apache-2.0
// `ablation:` of a study: its variants, and the space of cells (replicate, variant) that is trained.
#pragma once
#include <functional>
#include <set>
#include <string>

#include "document/node.hpp"
#include "spec/reading.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Checks a whole study without `ablation:`, as read() does; its normal form.
using CheckStudy = std::function<Json(const document::Node& root, Faults& faults)>;

/// The trial of another study, normal form with its constants; null where it has faults, which go to `faults`.
/// @param file  the name of its file, relative to the one that names it
using ReadTrial = std::function<Json(const document::Node& file, Faults& faults)>;

/// What of the space are constants with a place becomes part of the trial. @param folded  `root` with them
/// @return the rest of the space
Json fold_constants(Json& study, const document::Node& root, const CheckStudy& check, Faults& faults,
                    document::Node& folded);

/// What of a study's space is tuned for each variant. Normal form.
struct Settings {
  Json space = Json::array();       ///< all of it
  Json parameters = Json::array();  ///< but for its constants
  Json constraints = {};            ///< null where there are none
};

/// The study without what belongs to a search: `ablation:` itself, the space but for its constants, sampler, pruner,
/// limits of trials. @param left_out  the keys that were taken away. @param keeps_space  all of it, with constraints
document::Node without_search(const document::Node& root, std::vector<std::string>& left_out, bool keeps_space = false);

/// Makes an ablation of a checked study: reads `section`, builds every variant, and fills in `ablation`, `space`,
/// `search` and `derived.ablation`.
/// @param root  without_search() of the document, of which `study` is the normal form
/// @param settings  what is there to be retuned, where the section asks for it
/// @param other  reads what a path begins with
void add_ablation(Json& study, const document::Node& root, const document::Node& section, const Settings& settings,
                  const CheckStudy& check, const ReadTrial& other, Faults& faults);

}  // namespace dlrun::spec
