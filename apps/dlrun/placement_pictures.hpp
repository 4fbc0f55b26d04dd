// SPDX-License-Identifier: Apache-2.0
// Pictures of a placement.
#pragma once
#include "output/console.hpp"
#include "place_question.hpp"

namespace dlrun::cli {

/// Draws into the folder of --plots: `step`, a Gantt chart with a row for each device, then one for each link that
/// sends; and `graph.svg`, the nodes in the colours of their devices.
/// @throws Error as draw(), graph_drawn() and placement_drawing()
void draw_placement(const placement::Found& found, const placement::Graph& graph, const Question& question,
                    const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
