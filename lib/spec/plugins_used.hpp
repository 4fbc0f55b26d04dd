// SPDX-License-Identifier: Apache-2.0
// The plugins that a study uses, as `derived.plugins` of its normal form has them.
#pragma once
#include "util/json.hpp"

namespace dlrun::spec {

/// {name: {kind, version, sha256}} of every plugin that `op`, `sampler` or a parameter's choice names, in the whole
/// normal form, without executors and exporters, on which no result depends. Empty: none. The object's content counts
/// in the study's hash, as that of its data does.
/// @throws Error(usage) where a plugin cannot be read
Json plugins_used(const Json& normal);

/// The same of those that workers use, for the work of a trial; null: none.
Json plugins_of_workers(const Json& normal);

/// Compares the plugins that a stored study was decided with and those that are here.
/// @throws Error(usage) naming both sides of the first that differs
void require_plugins(const Json& normal);

}  // namespace dlrun::spec
