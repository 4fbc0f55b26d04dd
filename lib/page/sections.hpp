// SPDX-License-Identifier: Apache-2.0
// Parts of a study's page, in their order.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "page/headline.hpp"
#include "plot/picture.hpp"
#include "util/json.hpp"

namespace dlrun::page {

/// A part of the page: what stands below its heading.
struct Section {
  std::string id;  ///< unique on the page
  std::string title;
  std::string html;
};

/// A study as its page shows it.
struct StudyPage {
  const report::OpenedStudy* study = nullptr;
  std::size_t index = 0;   ///< place among the studies of the page
  std::string named = {};  ///< name of the study where the page has several, for landmarks; else empty
  Kind kind = Kind::search;
  Json data;                                      ///< entry of `studies` of the page's data (study_json)
  std::vector<report::Table> importance;          ///< tables; empty: nothing varies, or no trial has a result
  std::map<std::string, plot::Picture> pictures;  ///< static pictures by their kind; none if gnuplot is missing
};

/// Everything that the page says of a study.
std::vector<Section> sections_of(const StudyPage& page);

}  // namespace dlrun::page
