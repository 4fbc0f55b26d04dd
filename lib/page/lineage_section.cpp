// SPDX-License-Identifier: Apache-2.0
#include "page/lineage_section.hpp"

#include "page/figures.hpp"
#include "page/markup.hpp"
#include "plot/graphviz.hpp"
#include "report/lineage.hpp"

namespace dlrun::page {

namespace {

constexpr int kDepth = 3;
constexpr std::size_t kMostNodes = 60;  ///< more are no picture

bool is_graph(const report::Lineage& lineage) {
  return lineage.trials.size() <= kMostNodes && plot::graphviz_version().has_value();
}

}  // namespace

std::string lineage_html(const StudyPage& page) {
  const Json& best = page.data.at("best");
  if (best.is_null()) return {};
  const report::OpenedStudy& study = *page.study;
  const report::Lineage lineage =
      report::lineage_of(study.store, {study.name, best.get<std::int64_t>()}, {.depth = kDepth});
  const std::string text = report::lineage_text(lineage);
  std::string lines = "<pre tabindex=\"0\">" + escaped_lines(text) + "</pre>\n";
  if (!is_graph(lineage)) return lines;
  const std::string of = page.named.empty() ? "" : escaped(" of " + page.named);
  return "<div class=\"graph\" role=\"region\" tabindex=\"0\" aria-label=\"lineage" + of + "\">" +
         image_html(plot::graph_drawn(report::lineage_dot(lineage)), "The same as below, as a graph", 0, 0) +
         "</div>\n<details><summary>As text</summary>" + lines + "</details>\n";
}

}  // namespace dlrun::page
