// SPDX-License-Identifier: Apache-2.0
// Examples of an ablation study: what each of them was to each run, and how much of the luck they are.
#pragma once
#include <string>
#include <vector>

#include "report/ablation_cells.hpp"
#include "statistics/claimed.hpp"

namespace dlrun::report {

struct Judged;

/// Fills in the values of examples of all cells, from the files that their attempts left in the store, where the study
/// claims more than its split. Where a measured cell has none, or its file is missing or damaged, the study claims its
/// split alone, and `without_examples` counts these cells; so it does where there is but one example, or programs left
/// results of different ones.
void take_examples(const OpenedStudy& opened, AblationStudy& study);

/// A variant's part in a contrast: 1 with a component, -1 without it, say.
struct Share {
  const AblationVariant* variant;
  double weight;
};

/// Values of a contrast by example, of the replicates that all of its variants measured, with the sign in which more is
/// better; empty where the study claims its split.
std::vector<statistics::ExampleValues> gains_of(const AblationStudy& study, const std::vector<Share>& contrast);
/// The same of some replicates alone, by their places.
std::vector<statistics::ExampleValues> gains_of(const AblationStudy& study, const std::vector<Share>& contrast,
                                                const std::vector<std::size_t>& replicates);

/// Whether replicates were judged on other examples each.
bool has_folds(const std::vector<const Judged*>& judged);

/// "more data would narrow them, more replicates hardly"; empty where nothing was judged by its examples.
std::string remedy_text(const std::vector<const Judged*>& judged);

/// "examples 91 %, folds with their seeds 9 %: more data would narrow the intervals, more replicates would not"; empty
/// where nothing was judged by its examples.
std::string luck_text(const std::vector<Judged>& judged);

}  // namespace dlrun::report
