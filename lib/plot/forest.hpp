// SPDX-License-Identifier: Apache-2.0
// Effects with their intervals, one below the other: a forest plot.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "plot/palette.hpp"
#include "plot/picture.hpp"

namespace dlrun::plot {

struct Interval {
  double mean = 0, low = 0, high = 0;
};

struct ForestRow {
  std::string name;
  std::size_t group = 0;
  std::optional<Interval> effect;  ///< nullopt: there is none, `note` says why
  std::string note;                ///< to the right, instead of the numbers
};

struct Forest {
  std::string name;       ///< name of the picture
  std::string title;      ///< one line
  std::string remark;     ///< a second, smaller line
  std::string axis;       ///< below the numbers
  double band = 0;        ///< effects within ±band do not matter; 0: no band is drawn
  std::string band_word;  ///< name of the band in the key
  std::vector<Group> groups;
  std::vector<ForestRow> rows;  ///< from top to bottom
};

/// REQUIRES: a row at least.
Picture forest(const Forest& chart);

}  // namespace dlrun::plot
