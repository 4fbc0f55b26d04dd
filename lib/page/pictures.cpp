// SPDX-License-Identifier: Apache-2.0
#include "page/pictures.hpp"

#include "page/headline.hpp"

namespace dlrun::page {

namespace {

/// Kinds of plots by the ending of an ablation's picture.
const std::map<std::string, std::string>& kinds() {
  static const std::map<std::string, std::string> all = {
      {"forest", "ablation"}, {"interactions", "interactions"}, {"curves", "without"}, {"pairs", "pairs"}};
  return all;
}

}  // namespace

std::map<std::string, plot::Picture> pictures_of(const report::OpenedStudy& study) {
  std::map<std::string, plot::Picture> out;
  const Kind kind = kind_of(study);
  if (kind != Kind::ablation && kind != Kind::race) return out;
  for (plot::Picture& picture : report::ablation_pictures_of(study)) {
    const std::string ending = picture.name.substr(picture.name.rfind('-') + 1);
    const auto found = kinds().find(ending);
    out.emplace(found == kinds().end() ? "race" : found->second, std::move(picture));
  }
  return out;
}

}  // namespace dlrun::page
