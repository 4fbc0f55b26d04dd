// SPDX-License-Identifier: Apache-2.0
// Checks of `schedule:` beyond the table of keys.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "recipe/averaging.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

const std::string kSchedule = "trial.schedule";

Json schedule_value(const Json& section, const char* key) { return section.value(key, Json()); }

void check_drops(const Json& curve, const std::string& path, std::int64_t epochs, Faults& faults) {
  const Json& milestones = schedule_value(curve, "milestones");
  for (std::size_t i = 0; milestones.is_array() && i < milestones.size(); ++i) {
    if (!milestones[i].is_number_integer()) return;
    const auto here = milestones[i].get<std::int64_t>();
    const std::string place = join(join(path, "milestones"), std::to_string(i));
    if (i > 0 && here <= milestones[i - 1].get<std::int64_t>()) faults.at(place, "milestones must rise");
    if (here >= epochs) {
      faults.at(place, fmt::format("the drop after {} epochs never comes, for there are {}", here, epochs));
    }
  }
  if (milestones.is_array() && milestones.empty()) faults.at(join(path, "milestones"), "there is no milestone");
  const bool is_late = schedule_value(curve, "every").is_number() && curve["every"] >= epochs;
  if (is_late && faults.was_written(join(path, "every"))) {
    faults.warn(join(path, "every"), fmt::format("the first drop never comes, for there are {} epochs", epochs));
  }
}

void check_momentum(const Json& curve, const std::string& path, const Json& trial, const Json& space, Faults& faults) {
  if (schedule_value(curve, "op") != "one_cycle") return;
  if (schedule_value(curve, "cycle_momentum") == false && !is_set(space, "schedule.cycle_momentum")) {
    for (const char* key : {"base_momentum", "max_momentum"}) {
      const std::string place = join(path, key);
      if (!faults.was_written(place)) continue;
      faults.at_key(place, fmt::format("{} has no effect without cycle_momentum", key), "write cycle_momentum: true");
    }
    return;
  }
  const Json& optimizer = trial["optimizer"];
  if (!optimizer.is_object()) return;  // reported
  const bool has_beta = schedule_value(optimizer, "op") == "adam" || schedule_value(optimizer, "op") == "adamw";
  const bool has_momentum = has_beta || (optimizer.contains("momentum") && optimizer["momentum"] != 0.0) ||
                            is_set(space, "optimizer.momentum");
  if (has_momentum || is_set(space, "optimizer.op")) return;
  faults.clash(faults.was_written(join(path, "cycle_momentum")) ? join(path, "cycle_momentum") : path,
               "the optimizer has no momentum to cycle", "trial.optimizer", "it is set here",
               "give sgd, rmsprop or lars a momentum, or use adam or adamw");
}

/// Numbers among the values that a place has in the study's trials.
std::vector<double> numbers_in_study(const Json& trial, const Json& space, const std::string& place) {
  std::vector<double> numbers;
  for (const Json& value : values_in_study(trial, space, place)) {
    if (value.is_number()) numbers.push_back(value.get<double>());
  }
  return numbers;
}

/// A curve that falls to a rate above its beginning would rise.
void check_least(const Json& curve, const std::string& path, const Json& trial, const Json& space, Faults& faults) {
  const Json least = schedule_value(curve, "min_lr");
  const std::string place = join(path, "min_lr");
  if (!least.is_number() || !faults.was_written(place) || is_set(space, "schedule.min_lr")) return;
  if (trial.value("lr_scaling", Json()).is_object() || !trial["optimizer"].is_object()) return;
  const std::vector<double> rates = numbers_in_study(trial, space, "optimizer.lr");
  const auto lies_below = [&](double rate) { return rate < least.get<double>(); };
  if (rates.empty() || std::none_of(rates.begin(), rates.end(), lies_below)) return;
  const char* const turned = schedule_value(curve, "op") == "plateau" ? "never falls" : "rises";
  if (std::all_of(rates.begin(), rates.end(), lies_below))
    return faults.at(place, fmt::format("min_lr is above lr, so that the rate {}", turned), "write a smaller number");
  faults.warn(place, fmt::format("min_lr is above lr in some trials, where the rate {}", turned),
              "write a smaller number, or search over greater rates");
}

/// The same of the momentum, which goes from the greater one to the lesser and back.
void check_cycle(const Json& curve, const std::string& path, const Json& space, Faults& faults) {
  const Json least = schedule_value(curve, "base_momentum"), most = schedule_value(curve, "max_momentum");
  if (schedule_value(curve, "op") != "one_cycle" || !least.is_number() || !most.is_number() || least <= most) return;
  if (is_set(space, "schedule.base_momentum") || is_set(space, "schedule.max_momentum")) return;
  const std::string place = join(path, "base_momentum");
  const std::string written = faults.was_written(place) ? place : join(path, "max_momentum");
  if (!faults.was_written(written)) return;
  faults.at(written, fmt::format("base_momentum {} is above max_momentum {}", to_text(least), to_text(most)),
            "base_momentum is the least, at the greatest rate");
}

void check_curve_parts(const Json& schedule, const Json& trial, const Json& space, std::int64_t epochs,
                       Faults& faults) {
  const Json& parts = schedule["parts"];
  const std::string path = join(kSchedule, "parts");
  if (!parts.is_array() || faults.is_bad(path)) return;
  if (parts.empty()) return faults.at(path, "a sequence needs at least one schedule");
  std::int64_t begin = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string place = join(path, std::to_string(i));
    const bool is_last = i + 1 == parts.size();
    const Json& length = parts[i]["epochs"];
    if (length.is_null() && !is_last) {
      faults.at_key(place, "this part needs its epochs", "only the last part may go without");
      return;
    }
    const std::int64_t own = length.is_null() ? epochs - begin : length.get<std::int64_t>();
    const bool is_beyond = own < 1 || begin + own > epochs;
    if (is_beyond) {
      return faults.at(length.is_null() ? place : join(place, "epochs"),
                       fmt::format("the parts are longer than the trial, which has {} epochs", epochs));
    }
    check_drops(parts[i], place, own, faults);
    check_momentum(parts[i], place, trial, space, faults);
    check_least(parts[i], place, trial, space, faults);
    check_cycle(parts[i], place, space, faults);
    begin += own;
  }
}

void check_warmup(const Json& schedule, const Json& space, std::int64_t epochs, Faults& faults) {
  if (!schedule.contains("warmup") || is_set(space, "schedule.warmup")) return;
  const std::string path = join(kSchedule, "warmup");
  if (schedule["warmup"] == 0.0) {
    for (const char* key : {"warmup_from", "warmup_shape"}) {
      const std::string place = join(kSchedule, key);
      if (!faults.was_written(place)) continue;
      faults.at_key(place, fmt::format("{} has no effect without warmup", key), "write warmup: 1, its epochs");
    }
    return;
  }
  if (schedule["warmup"].is_number() && schedule["warmup"].get<double>() >= double(epochs)) {
    faults.warn(path, fmt::format("the warm-up does not end within the {} epochs of a trial", epochs));
  }
  const bool needs_from = schedule["warmup_shape"] != "linear" && schedule["warmup_from"] == 0.0;
  if (!needs_from || is_set(space, "schedule.warmup_from")) return;
  faults.at(join(kSchedule, "warmup_shape"), "this warm-up needs warmup_from above 0", "e.g. warmup_from: 0.01");
}

void check_known(const Json& metric, const std::string& path, const std::vector<std::string>& metrics, Faults& faults) {
  if (!metric.is_string()) return;
  const auto name = metric.get<std::string>();
  if (std::find(metrics.begin(), metrics.end(), name) != metrics.end()) return;
  faults.at(path, "trials do not report " + document::quote(name), suggest(name, metrics, "they report"));
}

/// A key that belongs to a missing setting has no effect.
void check_idle(const char* section, std::initializer_list<const char*> keys, const char* without, const char* hint,
                Faults& faults) {
  for (const char* key : keys) {
    const std::string path = join(join("trial", section), key);
    if (faults.was_written(path)) faults.at_key(path, fmt::format("{} has no effect without {}", key, without), hint);
  }
}

void check_averaged(const recipe::AveragedEpochs& when, Faults& faults) {
  const std::int64_t count = when.count(when.epochs);
  if (count >= 2) return;
  faults.at(faults.was_written("trial.swa.every") && when.every > 1 ? "trial.swa.every" : "trial.swa.start",
            fmt::format("the weights of {} would be averaged, for there are {} epochs",
                        count == 0 ? "no epoch" : "one epoch", when.epochs),
            "begin earlier, or train for more epochs");
}

void check_swa(const Json& trial, const Json& space, Faults& faults) {
  const Json& swa = trial["swa"];
  if (!swa.is_object() || faults.is_bad("trial.swa")) return;
  if (swa["start"].is_null()) {
    check_idle("swa", {"every", "lr", "anneal_epochs", "anneal_strategy"}, "start", "write start: 0.75", faults);
    return;
  }
  if (swa["lr"].is_null() && !is_set(space, "swa.lr")) {
    check_idle("swa", {"anneal_epochs", "anneal_strategy"}, "lr", "write lr: 0.01, the rate it leads to", faults);
  }
  if (trial["epochs"].is_number_integer()) {
    check_averaged({swa["start"].get<double>(), swa["every"].get<std::int64_t>(), trial["epochs"].get<std::int64_t>()},
                   faults);
  }
  if (trial["ema"].is_object() && !trial["ema"]["decay"].is_null()) {
    faults.clash("trial.swa", "one average is measured in place of the weights, not two", "trial.ema",
                 "the other is set here", "remove one of them");
  }
}

void check_stop(const Json& stop, const std::vector<std::string>& metrics, Faults& faults) {
  if (!stop.is_object() || faults.is_bad("trial.stop")) return;
  check_known(stop["metric"], "trial.stop.metric", metrics, faults);
  if (!stop["patience"].is_null()) return;
  check_idle("stop", {"min_delta", "metric"}, "patience", "write patience: 5", faults);
}

bool is_settled(const Json& trial, const Json& space, const char* key) {
  return trial[key].is_number_integer() && !is_set(space, key);
}

/// A patience that never runs out changes nothing.
void check_patience(const Json& section, const std::string& path, const Json& trial, const Json& space,
                    Faults& faults) {
  const Json patience = section.is_object() ? section.value("patience", Json()) : Json();
  const bool is_known = patience.is_number() && is_settled(trial, space, "epochs") && faults.was_written(path);
  const bool is_searched = is_set(space, path.substr(std::string("trial.").size()));
  if (!is_known || is_searched || patience < trial["epochs"]) return;
  faults.at(path, fmt::format("a patience of {} never runs out in the {} epochs of a trial", to_text(patience),
                              to_text(trial["epochs"])));
}

/// More examples than there are may be meant, but rarely is.
void check_batches(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  if (!is_settled(trial, space, "batch_size") || examples <= 0) return;
  const auto size = trial["batch_size"].get<std::int64_t>();
  if (size > examples && faults.was_written("trial.batch_size"))
    faults.warn("trial.batch_size", fmt::format("a batch of {} is more than the {} training examples", size, examples),
                "an epoch is one step of all examples");
  if (!is_settled(trial, space, "accumulate")) return;
  const auto most = (examples + size - 1) / size, count = trial["accumulate"].get<std::int64_t>();
  if (count > most && faults.was_written("trial.accumulate"))
    faults.warn("trial.accumulate", fmt::format("{} batches make a step, but an epoch has {}", count, most),
                "an epoch is one step of all its batches");
}

/// A kind that a parameter may choose needs what it cannot go without, written beside.
void check_chosen(const Json& schedule, const Json& space, Faults& faults) {
  for (const Json& parameter : space) {
    if (parameter["at"] != "schedule.op" || !parameter.contains("choices")) continue;
    for (std::size_t i = 0; i < parameter["choices"].size(); ++i) {
      const Json& op = parameter["choices"][i];
      const char* const needed = op == "multi_step" ? "milestones" : op == "sequence" ? "parts" : nullptr;
      if (needed == nullptr || !schedule_value(schedule, needed).is_null()) continue;
      const std::string path = join(join(path_of(parameter), "choices"), std::to_string(i));
      faults.at(
          path, fmt::format("{} needs '{}', which the base schedule does not have", op.get<std::string>(), needed),
          fmt::format("leave it out, or make it the base: schedule: {{op: {}, {}: …}}", op.get<std::string>(), needed));
    }
  }
}

/// Steps of an epoch; unknown where parameters or draws decide them.
std::optional<std::int64_t> steps_per_epoch(const Json& trial, const Json& space, std::int64_t examples) {
  if (is_set(space, "parallel.ranks")) return std::nullopt;
  for (const char* key : {"batch_size", "accumulate"}) {
    if (is_set(space, key) || !trial[key].is_number_integer()) return std::nullopt;
  }
  const Json& sampler = trial["data"]["sampler"];
  const Json op = sampler.is_object() ? schedule_value(sampler, "op") : sampler;
  if (op != "shuffle" && op != "sequential") return std::nullopt;
  const auto up = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
  const std::int64_t batches = up(examples, trial["batch_size"].get<std::int64_t>());
  const Json gang = trial.value("parallel", Json());
  const Json per_step = gang.is_object() ? gang["ranks"] : trial["accumulate"];
  if (!per_step.is_number_integer()) return std::nullopt;
  return up(batches, per_step.get<std::int64_t>());
}

void check_log(const Json& trial, const Json& space, std::int64_t examples, Faults& faults) {
  const Json every = trial["log"].is_object() ? trial["log"]["every"] : Json();
  if (!every.is_number_integer() || faults.is_bad("trial.log") || !trial["epochs"].is_number_integer()) return;
  const std::optional<std::int64_t> of_epoch = steps_per_epoch(trial, space, examples);
  if (!of_epoch) return;
  const std::int64_t steps = trial["epochs"].get<std::int64_t>() * *of_epoch;
  if (every.get<std::int64_t>() <= steps) return;
  faults.at("trial.log.every", fmt::format("there would be no point, for a trial has {} steps", steps),
            "write a smaller number");
}

}  // namespace

void check_schedule(const Json& trial, const Json& space, const std::vector<std::string>& metrics,
                    std::int64_t examples, Faults& faults) {
  check_stop(trial["stop"], metrics, faults);
  check_patience(trial["stop"], "trial.stop.patience", trial, space, faults);
  check_patience(trial["schedule"], "trial.schedule.patience", trial, space, faults);
  check_batches(trial, space, examples, faults);
  check_log(trial, space, examples, faults);
  check_swa(trial, space, faults);
  const Json& schedule = trial["schedule"];
  if (!schedule.is_object() || faults.is_bad(kSchedule) || !trial["epochs"].is_number_integer()) return;
  const Json horizon = trial.value("horizon", Json());  // epochs that the schedule spans, of which these are the first
  const auto epochs = (horizon.is_number_integer() ? horizon : trial["epochs"]).get<std::int64_t>();
  check_warmup(schedule, space, epochs, faults);
  check_drops(schedule, kSchedule, epochs, faults);
  check_momentum(schedule, kSchedule, trial, space, faults);
  check_least(schedule, kSchedule, trial, space, faults);
  check_cycle(schedule, kSchedule, space, faults);
  if (schedule["op"] == "sequence") check_curve_parts(schedule, trial, space, epochs, faults);
  check_known(schedule_value(schedule, "metric"), join(kSchedule, "metric"), metrics, faults);
  check_chosen(schedule, space, faults);
  check_rates(trial, space, epochs, steps_per_epoch(trial, space, examples), faults);
}

}  // namespace dlrun::spec
