// SPDX-License-Identifier: Apache-2.0
// An answer in SQL as a picture.
#pragma once
#include <string>

#include "plot/picture.hpp"
#include "report/report.hpp"

namespace dlrun::report {

/// Lines: the columns are x, y, the name of the line and, where there is a fourth one, that of the panel; panels and
/// lines stand in the order of the rows. Up to twelve different x stand at equal distances, as do those that are no
/// numbers. A row whose y is no number is left out.
/// @param name  of the picture's file
/// @throws Error(usage) for another count of columns, or no row to draw
plot::Picture picture_of(const Table& answer, const std::string& name);

}  // namespace dlrun::report
