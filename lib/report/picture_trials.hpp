// SPDX-License-Identifier: Apache-2.0
// Trials and parameters of a study as pictures show them. For this room alone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plot/axis.hpp"
#include "plot/palette.hpp"
#include "report/opened.hpp"
#include "report/study_pictures.hpp"
#include "trial/trial.hpp"

namespace dlrun::report {

/// A picture, or the reason why the study has none of its kind.
struct PictureOrReason {
  std::optional<plot::Picture> picture;
  std::string reason = {};
};

/// Objective that a picture is about.
struct ShownGoal {
  std::size_t number = 0;  ///< 0: the first
  std::string metric;
  bool maximize = false;
};
std::vector<ShownGoal> shown_goals(const OpenedStudy& study);
/// @throws Error(usage) for a metric that is no objective
ShownGoal shown_goal(const OpenedStudy& study, const PictureWishes& wishes);

/// The value, or the nearest one of which gnuplot makes an axis with a size.
double drawable(double value);

struct ShownTrial {
  std::int64_t number = 0;
  trial::TrialState state = trial::TrialState::waiting;
  std::optional<double> value;  ///< the objective
  bool is_feasible = true;
};

/// The trials, by number, with their best.
struct ShownTrials {
  std::vector<ShownTrial> all;
  std::optional<std::int64_t> best;  ///< number of the best trial
  std::optional<double> best_value;
};
ShownTrials shown_trials(const OpenedStudy& study, const ShownGoal& goal);

/// Groups of trials that look alike, in the order they are drawn.
enum class Look { failed, unfinished, pruned, infeasible, completed, best };
std::vector<plot::Group> look_groups();
Look look_of(const ShownTrial& trial, const ShownTrials& trials);

/// An even sample of at most `most` things, with those that must be there if they are fewer, in their order. The last
/// of those is always taken.
std::vector<std::size_t> even_sample(const std::vector<bool>& must, std::size_t most);
/// Trials of `from` that `is_taken` wants, at most `most`: an even sample with the best trial.
std::vector<ShownTrial> sampled(const ShownTrials& from, std::size_t most, bool (*is_taken)(const ShownTrial&));
/// Trials with a result: completed ones, or, while there are not `least` of them, also those that stopped earlier.
std::vector<ShownTrial> with_result(const ShownTrials& from, std::size_t most, std::size_t least);

struct ShownParameter {
  std::int64_t number = 0;
  plot::Axis axis;         ///< the title is the parameter's name
  bool has_words = false;  ///< choices, which are drawn by their number
};
/// The parameters wished for, or the most important ones: at most `most`. Constants are left out.
/// @throws Error(usage) for a name that is no parameter, with the nearest one
std::vector<ShownParameter> shown_parameters(const OpenedStudy& study, const PictureWishes& wishes, std::size_t most);
/// Parameters that vary.
std::size_t count_parameters(const OpenedStudy& study);
/// Values [trial][parameter], NaN where it is not active. Axes grow to hold all of them.
std::vector<std::vector<double>> values_of(const OpenedStudy& study, const std::vector<ShownTrial>& trials,
                                           std::vector<ShownParameter>& parameters);
/// A number in ±0.25 that differs from trial to trial, to tell marks apart that share a word.
double beside(std::int64_t trial);

/// Axis for values of the objective. It ends before bad values far off, if the others had less than half of it.
/// @throws Error(usage) for a logarithmic one where a value is not positive
plot::Axis value_axis(const ShownGoal& goal, const std::vector<double>& values, bool is_log);

// ---- words ----
/// "lower is better"
const char* better_of(const ShownGoal& goal);
/// "best 0.9888 (trial 17)"; "no trial has a result" where there is none.
std::string best_text(const ShownTrials& trials);
/// "; 2000 of 100000 are drawn, the best among them", or nothing where all are.
std::string drawn_text(std::size_t drawn, std::size_t all, const char* verb = "drawn");
/// The same for trials as by with_result(), and that some are among them which stopped early.
std::string sample_text(const std::vector<ShownTrial>& drawn, const ShownTrials& from, const char* verb = "drawn");
/// "; 3 beyond the axis", or nothing where none is.
std::string beyond_text(const plot::Axis& axis, const std::vector<double>& values);
/// Study's name, not too long for a title.
std::string short_name(const OpenedStudy& study);
/// Name of the picture's file: the study's and the kind.
std::string file_name(const OpenedStudy& study, const std::string& kind);

// ---- the kinds ----
PictureOrReason history_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason curves_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason slice_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason parallel_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason contour_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason importance_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason front_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason gantt_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason ranks_picture(const OpenedStudy& study, const PictureWishes& wishes);
PictureOrReason placement_picture(const OpenedStudy& study, const PictureWishes& wishes);

}  // namespace dlrun::report
