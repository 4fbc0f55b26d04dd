// SPDX-License-Identifier: Apache-2.0
// A check of the final training before the search: it is a study of its own, which nobody reads until the search is
// over.
#pragma once
#include "spec/reading.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// Checks the settings of `final` in the trial as far as it is known by now, all together; a fault is told at the
/// setting that has it alone too. Where arms race for the start, the shorter trial of one is checked likewise.
/// @param study  normal form, of the document `root`
void rehearse_final(const Json& study, const document::Node& root, const Source& source, Faults& faults);

/// The data of the final training if its settings change the search's; nullopt: they do not, or have a fault, which
/// rehearse_final() reports.
std::optional<dataset::Schema> final_schema(const Json& study, const document::Node& root, const Source& source);

}  // namespace dlrun::spec
