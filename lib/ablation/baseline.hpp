// SPDX-License-Identifier: Apache-2.0
// The study whose parts are left out, without what belongs to a search.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ablation/checker.hpp"
#include "ablation/plan.hpp"
#include "model/declared.hpp"

namespace dlrun::ablation {

struct Baseline {
  const Json& study;  ///< normal form
  const Node& root;   ///< document of the study
  const Checker& checker;
  bool gives_weights = false;  ///< variants begin with the weights that it has learned
};

/// The model that a study's trial declares; nullopt if its kind has none.
std::optional<model::Declared> declared_model(const Json& study);

/// JSON as a document, every value of which stands at `span`.
Node node_at(const Json& value, const document::Span& span = {});

/// A document with the trial of a normal form, every value of which stands at `span`.
Node with_trial(Node root, const Json& trial, const Checker& checker, const document::Span& span = {});

/// A document whose data is split as that of a trial in normal form; all else stays as it is written.
Node with_split(Node root, const Json& trial, const Checker& checker, const document::Span& span);

/// The first fault that is no warning; nullptr: there is none.
const document::Diagnostic* first_fault(const Faults& faults);

/// The study without `ablation:` itself, the space but for its constants, sampler, pruner, limits of trials.
/// @param left_out     keys that are taken away
/// @param keeps_space  the whole space stays, with its constraints
Node without_search(const Node& root, Names& left_out, bool keeps_space = false);

/// Makes the constants with a place part of the trial.
/// @param root    the document; becomes that with the constants in its trial
/// @return the rest of the space
Json fold_constants(Json& study, Node& root, const Checker& checker, Faults& faults);

}  // namespace dlrun::ablation
