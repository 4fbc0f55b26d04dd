// SPDX-License-Identifier: Apache-2.0
// Results of single examples that programs have left, as values of an ablation's cells.
#pragma once
#include "report/ablation_cells.hpp"

namespace dlrun::report {

/// Fills in the values of examples of all measured cells whose trial has left results that have its metric as their
/// mean. Examples of one id are the same one in every cell; their numbers go by the order of their ids. Notes whether a
/// cell lacks an example that another has. REQUIRES: trials of programs, which have one member each.
void take_program_examples(const OpenedStudy& opened, AblationStudy& study);

}  // namespace dlrun::report
