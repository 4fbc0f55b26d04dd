// SPDX-License-Identifier: Apache-2.0
#include "spec/continued_schedule.hpp"

#include <fmt/format.h>

#include "recipe/schedule.hpp"
#include "recipe/schedule_config.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

constexpr double kRest = 1e-4;  ///< share of the rate at which hardly any weight moves; one_cycle ends at 4e-6

/// Whether the rate at the schedule's end trains nothing.
bool ends_at_rest(const recipe::ScheduleConfig& config, double lr, std::int64_t epochs) {
  recipe::Schedule schedule(config, lr, epochs, 1);
  schedule.begin_at(1);
  return schedule.lr(0) < kRest * lr;
}

/// A rate that only the space knows is of the usual size.
double rate_of(const Json& trial) {
  constexpr double kUsual = 0.01;
  const Json optimizer = trial.value("optimizer", Json());
  const Json lr = optimizer.is_object() ? optimizer.value("lr", Json()) : Json();
  return lr.is_number() ? lr.get<double>() : kUsual;
}

/// nullopt: it is faulty, which its own check says.
std::optional<recipe::ScheduleConfig> schedule_of(const Json& trial) {
  try {
    return recipe::read_schedule(trial, true);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::optional<warmstart::Misfit> misfit_of_schedule(const Json& trial, const std::string& schedule, bool is_over) {
  const auto config = schedule_of(trial);
  if (!config || (schedule != "continue" && schedule != "remaining")) return std::nullopt;
  if (config->op == "plateau")
    return warmstart::Misfit{
        fmt::format("schedule: {} cannot take up `plateau`, whose rate follows from what its donor measured", schedule),
        "take policy: resume, which knows it, or schedule: restart"};
  const Json epochs = trial.value("epochs", Json());
  const bool is_spread = schedule == "continue" && is_over && epochs.is_number_integer();
  if (!is_spread || !ends_at_rest(*config, rate_of(trial), epochs.get<std::int64_t>())) return std::nullopt;
  return warmstart::Misfit{"the donor's schedule is over, so schedule: continue would train at a rate of 0",
                           "write `horizon` in the search, so that a rest remains, or take schedule: restart"};
}

}  // namespace dlrun::spec
