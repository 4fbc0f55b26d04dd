// SPDX-License-Identifier: Apache-2.0
// From the normal form to the frozen rules of the search: what a piece costs on the logical clock, and its slack.
#pragma once
#include "spec/study_spec.hpp"

namespace dlrun::spec {

/// Cost of one epoch with these values in ticks: examples x operations of the model / operations of the base model /
/// the trial's ranks, rounded, at least 1; trials of kind function or command: 1000. Models are built once for each
/// distinct set of values that changes them.
std::function<study::Tick(const space::Values&, std::int64_t, std::int64_t)> make_cost(const StudySpec& spec);

/// L of the logical clock: slack x the planned mean piece cost, rounded. That is slack x sum over rungs i of
/// (cost of the piece that leads to rung i with the base model) x (share of the trials that train up to it), as
/// logical_clock.py; if no shares are planned, the whole budget's cost by the number of rungs.
study::Tick slack_ticks(double slack, const std::vector<std::int64_t>& rungs, const std::vector<double>& shares,
                        study::Tick epoch);

/// Ticks of an epoch with the base model.
study::Tick base_epoch(const StudySpec& spec);

}  // namespace dlrun::spec
