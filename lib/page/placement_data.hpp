// SPDX-License-Identifier: Apache-2.0
// A placed model and its step, for the script of a page.
#pragma once
#include <string>

#include "page/sections.hpp"
#include "report/opened.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// {text, devices, rows, idle, bars: [[row, begin, end, task, forward | backward | transfer]], nodes: [[name, op,
/// device, seconds, bytes]], edges, orders: [{name, order}], chosen}: seconds of a step; `seconds` of a node forward
/// and backward, `bytes` of its output; `chosen` is the order by which the placer decided, or that in which layers
/// begin. Bars, or nodes, edges and orders, are left out where they are more than a plot shows. null: nothing is
/// placed.
Json placement_json(const report::OpenedStudy& study);

/// The step and the graph, each with its static picture. REQUIRES: data of placement_json.
std::string placement_html(const StudyPage& page);

}  // namespace dlrun::page
