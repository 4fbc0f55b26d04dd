// SPDX-License-Identifier: Apache-2.0
// Parts of the section `cost` of a report.
#pragma once
#include "report/opened.hpp"

namespace dlrun::report {

/// Four digits: measured values have no more.
double rounded(double value);

/// Rows of the energy spent, by source; one that says so if nothing was measured.
void add_energy(const OpenedStudy& study, Table& table);

/// Epochs that attempts of the study trained, as far as they count; those after which nothing was reported too.
std::int64_t epochs_trained(const OpenedStudy& study);

/// Epochs that were not trained, each reason by itself; then, where some were, what they would have taken.
void add_saved(const OpenedStudy& study, std::vector<Table>& tables);

}  // namespace dlrun::report
