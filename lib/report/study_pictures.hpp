// SPDX-License-Identifier: Apache-2.0
// Pictures of a study: their kinds, and what one may ask of them. Reader draws them as values; none is a file yet.
#pragma once
#include <string>
#include <vector>

#include "plot/picture.hpp"

namespace dlrun::report {

/// Most marks, or ends of lines, in one picture. Of more trials an even sample is drawn, with the best.
inline constexpr std::size_t kMostMarks = 2'000;

/// A picture and the word for its kind.
struct NamedPicture {
  std::string kind;
  plot::Picture picture;
};

struct PictureKind {
  std::string name;
  std::string text;             ///< contents in half a line
  bool has_objective = false;   ///< takes PictureWishes::objective
  bool has_parameters = false;  ///< takes PictureWishes::parameters
  bool has_axis = false;        ///< an axis for the objective: takes PictureWishes::is_log
};

/// All kinds, in the order of a report.
const std::vector<PictureKind>& picture_kinds();

struct PictureWishes {
  std::vector<std::string> parameters;  ///< parameters that are drawn; empty: by their importance
  std::string objective;                ///< name of a metric; empty: the first
  bool is_log = false;                  ///< the objective on a logarithmic axis
};

}  // namespace dlrun::report
