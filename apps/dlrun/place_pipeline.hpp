// SPDX-License-Identifier: Apache-2.0
// Placements as pipelines of microbatches.
#pragma once
#include <vector>

#include "arguments.hpp"
#include "output/console.hpp"
#include "placement/portfolio.hpp"
#include "report/report.hpp"

namespace dlrun::cli {

/// Microbatches that are asked for; 0: no pipeline. @throws Error(usage)
int part_count(const Arguments& arguments);

/// A row for each schedule of each placement whose devices follow one another, the fastest first, those that do not fit
/// in memory last.
/// @param found   on one device first
/// @param parts   microbatches of a step
/// Without rows where no placement is such, or none is asked for.
/// @param console  gets a line about the fastest that fits
report::Table pipeline_table(const placement::Graph& graph, const placement::Cluster& cluster,
                             const std::vector<placement::Found>& found, int parts, Console& console);

/// Whether a pipeline of the table fits in memory.
bool some_fits(const report::Table& pipelines);

/// @throws Error(usage) where no placement is a pipeline
void require_pipeline(const report::Table& pipelines, const std::vector<placement::Found>& found);

}  // namespace dlrun::cli
