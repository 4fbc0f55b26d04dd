// SPDX-License-Identifier: Apache-2.0
#include "placement_pictures.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "pictures.hpp"
#include "plot/graphviz.hpp"
#include "report/placement_drawing.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

void draw_placement(const placement::Found& found, const placement::Graph& graph, const Question& question,
                    const Arguments& arguments, Console& console) {
  const placement::Step step = question.step_of(graph);
  const placement::Outcome outcome = placement::played(found, step, question.cluster);
  const std::string title = fmt::format("{}: {:.3f} ms, {}", graph.name, 1e3 * outcome.seconds, found.text());
  const std::filesystem::path folder = arguments.text("plots");
  const std::string svg = plot::graph_drawn(report::placement_drawing(graph, found.placement, title));
  const std::string text =
      draw({report::step_picture("step", title, "", {step, question.cluster, outcome})}, folder, console.format());
  write_file(folder / "graph.svg", svg, {.durable = false, .mode = 0644});
  console.note(fmt::format("2 pictures are in '{}'", folder.string()));
  if (!text.empty()) console.data(text);
}

}  // namespace dlrun::cli
