// SPDX-License-Identifier: Apache-2.0
// Parts of the section `cost` of a report.
#pragma once
#include "report/opened.hpp"

namespace dlrun::report {

/// Four digits: measured values have no more.
double rounded(double value);

/// Rows of the energy spent, by source; one that says so if nothing was measured.
void add_energy(const OpenedStudy& study, Table& table);

/// Epochs with committed values that no attempt of the study trained: cited, or shared with another trial of it.
std::int64_t epochs_trained_elsewhere(const OpenedStudy& study);

/// Epochs that were not trained, each reason by itself; then, where some were, what they would have taken.
void add_saved(const OpenedStudy& study, std::vector<Table>& tables);

}  // namespace dlrun::report
