// SPDX-License-Identifier: Apache-2.0
#include "page/figures.hpp"

#include <fmt/format.h>

#include "page/markup.hpp"
#include "page/packed.hpp"
#include "plot/gnuplot.hpp"

namespace dlrun::page {

std::string image_html(const std::string& svg, const std::string& alt, int width, int height) {
  const std::string size = width > 0 ? fmt::format(" width=\"{}\" height=\"{}\"", width, height) : "";
  return fmt::format("<img src=\"data:image/svg+xml;base64,{}\" alt=\"{}\"{}>", base64(svg), escaped(alt), size);
}

std::string picture_html(const StudyPage& page, const std::string& kind) {
  const auto found = page.pictures.find(kind);
  if (found == page.pictures.end()) return {};
  const plot::Picture& picture = found->second;
  return image_html(plot::drawn(picture, plot::Form::svg), picture.title, picture.width, picture.height);
}

std::string figure_html(const StudyPage& page, const std::string& plot, const std::string& title) {
  return figure_html(page, plot, title, picture_html(page, plot));
}

std::string figure_html(const StudyPage& page, const std::string& plot, const std::string& title,
                        const std::string& image) {
  return fmt::format(
      "<figure class=\"plot\" data-study=\"{}\" data-plot=\"{}\" "
      "data-title=\"{}\">{}<figcaption></figcaption></figure>\n",
      page.index, plot, escaped(title), image);
}

}  // namespace dlrun::page
