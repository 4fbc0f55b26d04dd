// SPDX-License-Identifier: Apache-2.0
#include "train/progress.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recipe/rates.hpp"
#include "train/patience.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

std::vector<std::string> names_of(const trial::Report& report) {
  std::vector<std::string> names;
  for (const trial::Metric& metric : report.metrics) names.push_back(metric.name);
  return names;
}

recipe::Schedule schedule_of(const Config& config, std::int64_t steps_per_epoch) {
  recipe::Schedule schedule(config.schedule, config.optimizer.lr, config.span(), steps_per_epoch);
  if (config.swa) schedule.end_in(*config.swa);
  if (config.warm_start) schedule.begin_at(config.warm_start->fraction());
  return schedule;
}

}  // namespace

std::string words_of(const Diverged& end) {
  return fmt::format("training diverged: {} in epoch {}, step {}", end.what, end.epoch, end.step);
}

double Objective::value_in(const trial::Report& report) const {
  const auto found = std::find_if(report.metrics.begin(), report.metrics.end(),
                                  [&](const trial::Metric& m) { return m.name == metric; });
  if (found != report.metrics.end()) return found->value;
  throw Error(ErrorKind::usage, fmt::format("the objective '{}' is not measured by this trial", metric),
              fmt::format("measured are {}", fmt::join(names_of(report), ", ")));
}

Progress::Progress(const Config& config, Objective objective, std::int64_t batches, SplitSums fresh, std::int64_t steps)
    : objective_(std::move(objective)),
      stop_(config.stop),
      batches_(batches),
      accumulate_(config.batches_per_step()),
      steps_per_epoch_(steps > 0 ? steps : recipe::steps_of(batches, accumulate_)),
      is_scaled_(config.products() == nn::Precision::fp16),
      fresh_(std::move(fresh)),
      schedule_(schedule_of(config, steps_per_epoch_)) {
  if (is_scaled_) state_.loss_scale.emplace();
}

std::int64_t Progress::batches_to_step() const {
  return std::min(accumulate_ - state_.batch % accumulate_, batches_ - state_.batch);
}

std::int64_t Progress::steps_so_far() const {
  return has_batch() ? recipe::steps_of(state_.batch, accumulate_) : steps_per_epoch_;
}

Pace Progress::pace() const {
  return {.step = optimizer_steps() + 1, .lr = schedule_.lr(state_.step), .momentum = schedule_.momentum(state_.step)};
}

SplitSums& Progress::sums() {
  if (state_.batch == 0) state_.sums = fresh_;
  return state_.sums;
}

void Progress::note_step(bool is_skipped) {
  ++state_.step;
  if (is_skipped) ++state_.skipped;
}

trial::Report Progress::close_epoch(const SplitSums& val, bool has_val, const std::vector<trial::Metric>& more) {
  if (!std::isfinite(val.loss())) throw diverged(fmt::format("val.loss is {}", val.loss()));
  trial::Report report{state_.epoch + 1, state_.sums.metrics("train")};
  if (state_.loss_scale) report.metrics.push_back({"train.skipped_steps", double(state_.skipped)});
  const std::vector<trial::Metric> measured = has_val ? val.metrics("val") : std::vector<trial::Metric>();
  report.metrics.insert(report.metrics.end(), measured.begin(), measured.end());
  report.metrics.insert(report.metrics.end(), more.begin(), more.end());
  ++state_.epoch;
  state_.batch = 0;
  state_.sums = fresh_;
  state_.reports.push_back(report);
  schedule_.observe(report);
  if (objective_.keeps_best) note_best(report);
  return report;
}

void Progress::note_best(const trial::Report& report) {
  const double value = objective_.value_in(report);
  const bool is_better = !state_.best || objective_.is_better(value, state_.best->value);
  if (is_better) state_.best = Best{state_.epoch, value, {}, 0};
}

bool Progress::has_stopped() const { return stop_ && is_exhausted(*stop_, state_.reports); }

void Progress::restore(State state) {
  state_ = std::move(state);
  if (is_scaled_ && !state_.loss_scale) state_.loss_scale.emplace();
  if (!is_scaled_) state_.loss_scale.reset();
  schedule_.reset();
  for (const trial::Report& report : state_.reports) schedule_.observe(report);
}

void Progress::stand_at(std::int64_t epoch, std::int64_t steps) {
  const std::optional<LossScale> scale = state_.loss_scale;
  state_ = State{};
  state_.sums = fresh_;
  state_.loss_scale = scale;
  state_.epoch = epoch;
  state_.step = epoch * steps_per_epoch();
  state_.carried = steps - state_.step;
  schedule_.reset();
}

void Progress::set_best_artifact(const trial::Artifact& artifact) {
  state_.best->sha256 = artifact.sha256;
  state_.best->bytes = artifact.bytes;
}

}  // namespace dlrun::train
