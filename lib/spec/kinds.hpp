// SPDX-License-Identifier: Apache-2.0
// Sections whose kind (`op`) a parameter or an ablation chooses: each kind has the keys it needs and its own defaults.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "document/faults.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Where a parameter chooses the kind of a section (optimizer.op), the keys of every kind are filled in. A key that
/// nobody wrote is left out if the kinds differ in its default: each then takes its own when it is read.
void fill_kinds(Json& trial, const Json& space, document::Faults& faults);

/// Whether a person wrote the key at a path of the study, such as "trial.optimizer.lr".
using IsWritten = std::function<bool(const std::string& path)>;

/// Defaults of the trial's kinds that other kinds, set by `sets` (place -> value), keep though they have their own:
/// "lr_scaling.warmup stays layer_wise (adascale's own: none)".
std::vector<std::string> kept_defaults(const Json& trial, const Json& sets, const IsWritten& is_written);

}  // namespace dlrun::spec
