// SPDX-License-Identifier: Apache-2.0
// The table of pictures, and which of them a study has.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

constexpr const char* kNotSearched = "an ablation chooses its trials by a plan, and not by a search";

/// A picture of searches alone.
template <PictureOrReason make(const OpenedStudy&, const PictureWishes&)>
PictureOrReason of_search(const OpenedStudy& study, const PictureWishes& wishes) {
  return is_ablation(study) ? PictureOrReason{std::nullopt, kNotSearched} : make(study, wishes);
}

PictureOrReason of_ablation(const OpenedStudy& study, const std::string& kind) {
  if (!is_ablation(study)) return {std::nullopt, "it is no ablation"};
  for (NamedPicture& one : ablation_pictures_of(study)) {
    if (one.kind == kind) return {std::move(one.picture)};
  }
  return {std::nullopt, "its design or its trials so far have no figures for it"};
}

PictureOrReason curves_of_either(const OpenedStudy& study, const PictureWishes& wishes) {
  if (!is_ablation(study)) return curves_picture(study, wishes);
  if (wishes.is_log || !wishes.objective.empty())
    throw Error(ErrorKind::usage, "curves of an ablation are means of its objective, on a linear axis",
                fmt::format("--{} is for curves of a search", wishes.is_log ? "log" : "objective"));
  return of_ablation(study, "curves");
}

template <const char* kind>
PictureOrReason named_of_ablation(const OpenedStudy& study, const PictureWishes&) {
  return of_ablation(study, kind);
}

constexpr char kAblation[] = "ablation", kInteractions[] = "interactions", kPairs[] = "pairs";

/// To add a picture, write its function and a line here.
const std::vector<Maker>& makers() {
  static const std::vector<Maker> all = {
      {{.name = "history",
        .text = "objective of each trial by its number, and the best so far",
        .has_objective = true,
        .has_axis = true},
       of_search<history_picture>},
      {{.name = "curves",
        .text = "learning curves of the trials; of an ablation with and without each component",
        .has_objective = true,
        .has_axis = true},
       curves_of_either},
      {{.name = "slice",
        .text = "objective against each parameter",
        .has_objective = true,
        .has_parameters = true,
        .has_axis = true},
       of_search<slice_picture>},
      {{.name = "parallel",
        .text = "trials as lines across their parameters and the objective",
        .has_objective = true,
        .has_parameters = true,
        .has_axis = true},
       of_search<parallel_picture>},
      {{.name = "contour",
        .text = "objective over two parameters",
        .has_objective = true,
        .has_parameters = true,
        .has_axis = true},
       of_search<contour_picture>},
      {{.name = "importance",
        .text = "share of each parameter in the objective's variance, with intervals",
        .has_objective = true},
       of_search<importance_picture>},
      {{.name = "front", .text = "Pareto front of several objectives"}, of_search<front_picture>},
      {{.name = "gantt", .text = "workers and their attempts over time"}, gantt_picture},
      {{.name = "ranks", .text = "time, bytes and staleness of the best trial's ranks"}, ranks_picture},
      {{.name = "placement", .text = "a simulated step of a placed model, by device and link"}, placement_picture},
      {{.name = kAblation, .text = "contribution of each component with its interval, or the standings of a race"},
       named_of_ablation<kAblation>},
      {{.name = kInteractions, .text = "interactions of an ablation's components"}, named_of_ablation<kInteractions>},
      {{.name = kPairs, .text = "an ablation seed by seed"}, named_of_ablation<kPairs>},
  };
  return all;
}

/// Pictures that searches and ablations have alike.
bool is_of_all(const Maker& maker) {
  return maker.make == gantt_picture || maker.make == ranks_picture || maker.make == placement_picture;
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

bool is_ablation(const OpenedStudy& study) {
  storage::Statement row = study.query("SELECT json_type(spec, '$.derived.ablation') IS NOT NULL FROM dl_study");
  return row.step() && row.integer(0) != 0;
}

std::vector<NamedPicture> pictures_of(const OpenedStudy& study) {
  std::vector<NamedPicture> pictures;
  if (is_ablation(study)) pictures = ablation_pictures_of(study);  // once for all of its kinds
  for (const Maker& maker : makers()) {
    if (is_ablation(study) && !is_of_all(maker)) continue;
    PictureOrReason made = maker.make(study, {});
    if (made.picture) pictures.push_back({maker.kind.name, std::move(*made.picture)});
  }
  return pictures;
}

namespace {

std::string names_of_kinds(bool PictureKind::*has) {
  std::vector<std::string> names;
  for (const Maker& maker : makers()) {
    if (maker.kind.*has) names.push_back(maker.kind.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void check_wishes(const PictureKind& kind, const PictureWishes& wishes) {
  if (!wishes.parameters.empty() && !kind.has_parameters)
    throw Error(ErrorKind::usage, fmt::format("a picture '{}' is not of parameters that one chooses", kind.name),
                "--parameters is for " + names_of_kinds(&PictureKind::has_parameters));
  if (!wishes.objective.empty() && !kind.has_objective)
    throw Error(ErrorKind::usage, fmt::format("a picture '{}' is not of one objective", kind.name),
                "--objective is for " + names_of_kinds(&PictureKind::has_objective));
  if (wishes.is_log && !kind.has_axis)
    throw Error(ErrorKind::usage, fmt::format("a picture '{}' has no axis for the objective", kind.name),
                "--log is for " + names_of_kinds(&PictureKind::has_axis));
}

}  // namespace

plot::Picture picture_of(const OpenedStudy& study, const std::string& kind, const PictureWishes& wishes) {
  const Maker& maker = maker_of(kind);
  check_wishes(maker.kind, wishes);
  PictureOrReason made = maker.make(study, wishes);
  if (made.picture) return std::move(*made.picture);
  throw Error(ErrorKind::usage, fmt::format("study '{}' has no picture '{}': {}", study.name, kind, made.reason));
}

}  // namespace dlrun::report
