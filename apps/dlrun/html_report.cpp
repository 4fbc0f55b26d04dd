// SPDX-License-Identifier: Apache-2.0
#include "html_report.hpp"

#include <fmt/format.h>

#include "page/page.hpp"
#include "plot/gnuplot.hpp"
#include "plotly.hpp"

namespace dlrun::cli {

namespace {

std::string size_text(std::size_t bytes) {
  return bytes < 1'000'000 ? fmt::format("{} kB", (bytes + 999) / 1000) : fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

}  // namespace

int write_html(const Arguments& arguments, const std::vector<std::string>& studies, Console& console) {
  const std::string plotly = plotly_text();
  const bool is_drawn = plot::gnuplot_version().has_value();
  if (plotly.empty())
    console.warn(
        fmt::format("the page has static pictures instead of plots: plotly.js is not installed ({})", kPlotlyHint));
  if (!is_drawn) console.warn("the page has no static pictures: there is no gnuplot (apt-get install gnuplot-nox)");
  const std::string file = arguments.text("html");
  const std::string page =
      page::html_page({.store = arguments.store(), .studies = studies, .plotly = plotly, .is_drawn = is_drawn});
  if (!write_or_print(file, page, console))
    console.note(fmt::format("{}: {}; open it in a browser", file, size_text(page.size())));
  return 0;
}

}  // namespace dlrun::cli
