// SPDX-License-Identifier: Apache-2.0
#include "place_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "output/terminal.hpp"
#include "output/text_width.hpp"

namespace dlrun::cli {

PlaceProgress::PlaceProgress(const Console& console) {
  if (!console.is_quiet() && can_redraw(STDERR_FILENO)) screen_.emplace(STDERR_FILENO);
}

PlaceProgress::~PlaceProgress() {
  if (screen_) screen_->clear();
}

void PlaceProgress::show(const std::string& what, const placement::Found& best) {
  if (!screen_) return;
  const std::string text =
      fmt::format("placing: {}; best so far {:.3f} ms ({})", what, 1e3 * best.cost.seconds, best.text());
  const std::size_t columns = screen_->room().columns;
  screen_->draw({columns == 0 ? text : cut(text, columns)});
}

}  // namespace dlrun::cli
