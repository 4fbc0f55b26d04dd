// SPDX-License-Identifier: Apache-2.0
// One line of a terminal that says which placer is at work; elsewhere, and under --quiet, nothing.
#pragma once
#include <optional>

#include "output/console.hpp"
#include "output/screen.hpp"
#include "placement/portfolio.hpp"

namespace dlrun::cli {

class PlaceProgress {
 public:
  explicit PlaceProgress(const Console& console);
  /// Takes the line away.
  ~PlaceProgress();
  PlaceProgress(const PlaceProgress&) = delete;
  PlaceProgress& operator=(const PlaceProgress&) = delete;

  void show(const std::string& what, const placement::Found& best);

 private:
  std::optional<Screen> screen_;
};

}  // namespace dlrun::cli
