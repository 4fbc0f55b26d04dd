// SPDX-License-Identifier: Apache-2.0
// `warm_start:` of a trial: it begins with weights of earlier trials. The check of a study and the training read this
// one form (docs/warm-start.md says what the policies do).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "util/json.hpp"

namespace dlrun::warmstart {

/// A checkpoint that gives weights, and where it comes from.
struct Donor {
  std::string sha256;  ///< hash of the file
  std::string from;    ///< the file; empty: the artifact of that hash in the store
  std::string study;   ///< empty: a file of which nothing else is known
  std::int64_t trial = -1;
  int replicate = 0, fold = 0;
  std::int64_t epoch = 0;       ///< epochs it was trained
  std::int64_t horizon = 0;     ///< epochs its schedule spans, 0: not known
  std::optional<double> value;  ///< value of the metric it was ranked by
  /// Checkpoints of its folds by their numbers, each for the same fold of the training: a fold has trained on the rows
  /// that validate another one. Empty: one checkpoint, for all.
  std::vector<Donor> folds = {};

  /// "digits/17, epoch 6".
  std::string describe() const;
};

inline const std::vector<std::string> kWarmPolicies = {"none",           "best",        "resume",
                                                       "topk_average",   "greedy_soup", "per_layer_best",
                                                       "shrink_perturb", "partial",     "fresh_shrunk"};

/// Whether it takes weights of earlier trials.
inline bool takes_donors(const std::string& policy) { return policy != "none" && policy != "fresh_shrunk"; }

/// Whether its weights are `lambda` times some and `sigma` times others.
inline bool mixes(const std::string& policy) { return policy == "shrink_perturb" || policy == "fresh_shrunk"; }

/// Whether it takes several donors.
inline bool averages(const std::string& policy) {
  return policy == "topk_average" || policy == "greedy_soup" || policy == "per_layer_best";
}

struct WarmStart {
  std::string policy = "best";
  std::vector<Donor> donors;                                 ///< the best first; none of fresh_shrunk
  double lambda = 0.4, sigma = 0.1;                          ///< shrink_perturb (Ash, Adams, NeurIPS 2020)
  std::vector<std::string> include, exclude;                 ///< model::TensorPattern
  std::vector<std::pair<std::string, std::string>> renames;  ///< regular expression of the file's names, replacement
  std::string on_mismatch = "error";                         ///< error | skip | slice
  double min_fraction = 0.5;                                 ///< partial: of the numbers that have to be copied
  std::string buffers = "copy";                              ///< running statistics: copy | reset | recalibrate
  std::int64_t batches = 50;                                 ///< recalibrate: of the training split
  bool carries_optimizer = false;
  std::string schedule = "restart";  ///< restart | continue | remaining
  double lr_scale = 1;
  std::optional<double> max_drop;  ///< guard: per cent that the validation may be worse than the best donor's
  std::string fallback = "best";   ///< guard: best | none
  bool allow_superset = false;     ///< resume: other data or settings than the donor's
  std::string why;                 ///< reason for this start, for the record; empty: none is given

  /// Epochs that count as done before the first: the run trains what remains.
  std::int64_t origin() const { return schedule == "remaining" && !donors.empty() ? donors.front().epoch : 0; }
  /// Share of the schedule that is over at the first step.
  double fraction() const;
  /// Whether it has to measure the validation split before the first step.
  bool measures() const { return policy == "greedy_soup" || policy == "per_layer_best" || max_drop.has_value(); }
};

/// @param section  as the normal form has it; null: none
/// @throws Error(usage) for a malformed section
std::optional<WarmStart> warm_start_of(const Json& section);

/// Fills in settings that the policy leaves open, if missing or null: on_mismatch, buffers, optimizer, schedule, guard.
void fill_in(Json& section);

/// `warm_start` of one fold of a trial: donors give the checkpoints of their own such folds. A donor without them is as
/// it was.
/// @param section  as the normal form has it; null: none
Json start_of_fold(Json section, int fold);

/// `warm_start` without the places of files, whose content counts, and without remarks; anything else is returned as it
/// is.
Json without_places(Json section);

}  // namespace dlrun::warmstart
