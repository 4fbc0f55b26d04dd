// SPDX-License-Identifier: Apache-2.0
// Static pictures of a study, by the kind of plot whose place they take.
#pragma once
#include <map>
#include <string>

#include "plot/picture.hpp"
#include "report/opened.hpp"

namespace dlrun::page {

std::map<std::string, plot::Picture> pictures_of(const report::OpenedStudy& study);

}  // namespace dlrun::page
