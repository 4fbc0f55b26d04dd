// SPDX-License-Identifier: Apache-2.0
// The files of a study as one document.
#pragma once
#include "document/load.hpp"
#include "spec/reading.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// The study's file with `source.over` laid over it and `--set` applied.
/// @throws Error(usage) for a file that cannot be read, and for a name that is too long with its '-ablation'
document::Loaded load_study(const Source& source, Faults& faults);

}  // namespace dlrun::spec
