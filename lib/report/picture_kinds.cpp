// SPDX-License-Identifier: Apache-2.0
// The table of pictures, and which of them a study has.
#include <fmt/format.h>

#include <algorithm>

#include "report/picture_trials.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

struct Maker {
  PictureKind kind;
  PictureOrReason (*make)(const OpenedStudy& study, const PictureWishes& wishes);
};

/// To add a picture, write its function and a line here.
const std::vector<Maker>& makers() {
  static const std::vector<Maker> all = {
      {{"history", "objective of each trial by its number, and the best so far"}, history_picture},
      {{"curves", "learning curves of the trials"}, curves_picture},
      {{"slice", "objective against each parameter"}, slice_picture},
      {{"importance", "share of each parameter in the objective's variance, with intervals"}, importance_picture},
  };
  return all;
}

const Maker& maker_of(const std::string& kind) {
  std::vector<std::string> known;
  for (const Maker& maker : makers()) {
    if (maker.kind.name == kind) return maker;
    known.push_back(maker.kind.name);
  }
  const std::string near = nearest_name(kind, known);
  throw Error(ErrorKind::usage, fmt::format("there is no kind of picture '{}'", kind),
              near.empty() ? "`dlrun plot --help` lists them" : fmt::format("did you mean '{}'?", near));
}

}  // namespace

const std::vector<PictureKind>& picture_kinds() {
  static const std::vector<PictureKind> all = [] {
    std::vector<PictureKind> kinds;
    for (const Maker& maker : makers()) kinds.push_back(maker.kind);
    return kinds;
  }();
  return all;
}

std::vector<NamedPicture> pictures_of(const OpenedStudy& study) {
  std::vector<NamedPicture> pictures;
  for (const Maker& maker : makers()) {
    PictureOrReason made = maker.make(study, {});
    if (made.picture) pictures.push_back({maker.kind.name, std::move(*made.picture)});
  }
  return pictures;
}

plot::Picture picture_of(const OpenedStudy& study, const std::string& kind, const PictureWishes& wishes) {
  PictureOrReason made = maker_of(kind).make(study, wishes);
  if (made.picture) return std::move(*made.picture);
  throw Error(ErrorKind::usage, fmt::format("study '{}' has no picture '{}': {}", study.name, kind, made.reason));
}

}  // namespace dlrun::report
