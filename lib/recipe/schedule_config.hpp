// SPDX-License-Identifier: Apache-2.0
// The learning rate over a trial as it is written (keys: docs/trial-keys.md). Shared by the check of a study, by what
// recognises equal beginnings, and by the training.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "options/key.hpp"

namespace dlrun::recipe {

constexpr double kMostEpochs = 1e6;  ///< epochs of a trial, and of lengths within it

/// The learning rate over a trial; lengths in epochs. What an op does not use keeps its default.
struct ScheduleConfig {
  std::string op = "constant";           ///< a kind of schedule_key
  std::int64_t every = 10;               ///< step: epochs between two drops
  std::vector<std::int64_t> milestones;  ///< multi_step: epochs done at the drops, rising
  double gamma = 0.1;                    ///< step, multi_step, exponential: factor of a drop
  double min_lr = 0;                     ///< cosine, cosine_restarts, polynomial, plateau: the least
  double power = 1;                      ///< polynomial
  double start = 1, end = 0;             ///< linear: factors of the rate
  std::int64_t period = 10, mult = 1;    ///< cosine_restarts: length of the first cycle, growth of the next
  double pct_start = 0.3;                ///< one_cycle: share of the steps that rise
  double div_factor = 25;                ///< one_cycle: lr / div_factor begins
  double final_div_factor = 1e4;         ///< one_cycle: the beginning / final_div_factor ends
  std::string anneal = "cos";            ///< one_cycle: cos | linear
  bool cycle_momentum = false;           ///< one_cycle
  double base_momentum = 0.85, max_momentum = 0.95;
  std::string metric;                        ///< plateau: "val.loss"
  bool maximize = false;                     ///< plateau: whether more of it is better
  double factor = 0.1;                       ///< plateau: of a reduction
  std::int64_t patience = 10, cooldown = 0;  ///< plateau
  double threshold = 1e-4;                   ///< plateau: what counts as better
  std::string threshold_mode = "rel";        ///< plateau: rel | abs
  std::vector<ScheduleConfig> parts;         ///< sequence
  std::int64_t epochs = 0;                   ///< length of a part; 0: to the end
  double warmup = 0;                         ///< epochs before the rate is whole
  std::string warmup_shape = "linear";       ///< linear | exponential | constant
  double warmup_from = 0;                    ///< factor of the rate it begins with
};

/// The key `schedule`, with the keys of every kind.
options::Key schedule_key();

/// @param trial    the `trial:` section with the trial's parameters set
/// @param has_val  whether there is a validation split, which `plateau` watches by default
/// @throws Error(usage) for an unknown op or a value out of its range, naming its place
ScheduleConfig read_schedule(const Json& trial, bool has_val);
Json to_json(const ScheduleConfig& s);

}  // namespace dlrun::recipe
