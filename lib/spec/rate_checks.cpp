// SPDX-License-Identifier: Apache-2.0
// Checks of a schedule beside its warm-up and `swa:`, which may leave parts of it without effect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "recipe/averaging.hpp"
#include "recipe/schedule.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"
#include "util/error.hpp"

namespace dlrun::spec {

namespace {

constexpr const char *kSchedulePlace = "trial.schedule", *kWarmup = "trial.schedule.warmup";

bool sets_any(const Json& space, const std::string& section) {
  return std::any_of(space.begin(), space.end(), [&](const Json& parameter) {
    const Json at = parameter.value("at", Json());
    return at.is_string() && (at == section || at.get_ref<const std::string&>().starts_with(section + "."));
  });
}

/// Epochs after which the averaged part has a rate of its own; nothing where it has none.
std::optional<std::int64_t> epochs_before_swa(const Json& trial) {
  const Json swa = trial.value("swa", Json());
  if (!swa.is_object() || !swa.value("start", Json()).is_number() || !swa.value("lr", Json()).is_number())
    return std::nullopt;
  if (!swa.value("every", Json()).is_number_integer() || !trial["epochs"].is_number_integer()) return std::nullopt;
  return recipe::AveragedEpochs{swa["start"].get<double>(), swa["every"].get<std::int64_t>(),
                                trial["epochs"].get<std::int64_t>()}
      .before();
}

/// A drop at the beginning of the averaged part is where that begins.
void warn_of_swa(const Json& schedule, std::int64_t before, Faults& faults) {
  const std::string reason = fmt::format("for swa.lr holds from epoch {} on", before + 1);
  const Json milestones = schedule.value("milestones", Json());
  for (std::size_t i = 0; milestones.is_array() && i < milestones.size(); ++i) {
    if (!milestones[i].is_number_integer() || milestones[i] <= before) continue;
    faults.warn(fmt::format("{}.milestones.{}", kSchedulePlace, i),
                fmt::format("the drop after {} epochs never comes, {}", to_text(milestones[i]), reason));
  }
  const Json every = schedule.value("every", Json()), patience = schedule.value("patience", Json());
  if (every.is_number() && every > before && faults.was_written(join(kSchedulePlace, "every")))
    faults.warn(join(kSchedulePlace, "every"), fmt::format("the first drop never comes, {}", reason));
  if (patience.is_number() && patience >= before && faults.was_written(join(kSchedulePlace, "patience")))
    faults.warn(join(kSchedulePlace, "patience"),
                fmt::format("a patience of {} never runs out, {}", to_text(patience), reason));
}

/// The share of `lr` with which the schedule goes on behind the warm-up.
double share_behind(const Json& trial, std::int64_t epochs, std::int64_t steps_per_epoch) {
  const recipe::ScheduleConfig config = recipe::read_schedule(trial, true);
  const recipe::Schedule schedule(config, 1.0, epochs, steps_per_epoch);
  return schedule.lr(std::llround(config.warmup * double(steps_per_epoch)));
}

void warn_of_spike(const Json& trial, std::int64_t epochs, std::int64_t steps_per_epoch, Faults& faults) {
  constexpr double kLeast = 0.05;  // momentary changes below are those of a smooth curve
  try {
    const double share = share_behind(trial, epochs, steps_per_epoch);
    if (std::abs(share - 1) < kLeast) return;
    faults.warn(kWarmup,
                fmt::format("it leads to lr itself, and the schedule goes on with {:.3g} times lr at once", share),
                "leave it out, or take a schedule that begins with lr and holds it so long");
  } catch (const Error&) {
    return;  // a fault of the schedule has its own place
  }
}

}  // namespace

void check_rates(const Json& trial, const Json& space, std::int64_t epochs, std::optional<std::int64_t> steps_per_epoch,
                 Faults& faults) {
  const Json& schedule = trial["schedule"];
  if (sets_any(space, "schedule") || sets_any(space, "epochs")) return;
  const std::optional<std::int64_t> before = sets_any(space, "swa") ? std::nullopt : epochs_before_swa(trial);
  if (before) warn_of_swa(schedule, *before, faults);
  const Json warmup = schedule.value("warmup", Json());
  if (!warmup.is_number() || warmup <= 0.0 || warmup >= double(epochs)) return;
  constexpr std::int64_t kSomeSteps = 100;
  if (steps_per_epoch && std::llround(warmup.get<double>() * double(*steps_per_epoch)) == 0)
    return faults.warn(kWarmup, fmt::format("there is no warm-up: {} epochs of {} steps are less than half a step",
                                            to_text(warmup), *steps_per_epoch));
  warn_of_spike(trial, epochs, steps_per_epoch.value_or(kSomeSteps), faults);
}

}  // namespace dlrun::spec
