// SPDX-License-Identifier: Apache-2.0
// Places of plots on a page.
#pragma once
#include <string>

#include "page/sections.hpp"

namespace dlrun::page {

/// A figure that the script draws; before, and for readers without a script, it shows the static picture of that kind.
/// @param plot   kind of the plot: history, curves, …
/// @param title  what it shows, also for those who cannot see it
std::string figure_html(const StudyPage& page, const std::string& plot, const std::string& title);
/// The same with this static picture. @param image  of image_html; or empty
std::string figure_html(const StudyPage& page, const std::string& plot, const std::string& title,
                        const std::string& image);

/// The static picture of that kind alone; empty: there is none.
std::string picture_html(const StudyPage& page, const std::string& kind);

/// An SVG file as an image. @param alt  what it shows
std::string image_html(const std::string& svg, const std::string& alt, int width, int height);

}  // namespace dlrun::page
