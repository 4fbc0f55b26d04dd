// SPDX-License-Identifier: Apache-2.0
#include "recipe/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "util/arithmetic.hpp"

namespace dlrun::recipe {

namespace {

constexpr double kSameStep = 1e-6;  ///< a share of a curve times its length is a whole step but for rounding

/// From `start` at 0 to `end` at 1.
double anneal(const std::string& shape, double start, double end, double part) {
  if (shape == "linear") return start + (end - start) * part;
  return end + (start - end) / 2.0 * (1.0 + arithmetic::cos(std::numbers::pi * part));
}

double share(double step, double length) { return length > 0 ? std::clamp(step / length, 0.0, 1.0) : 1.0; }

/// One cycle (Smith, Topin, arXiv:1708.07120) in two phases as torch's OneCycleLR: up in the first pct_start of the
/// steps, down to the last one.
double cycle(const ScheduleConfig& config, double step, std::int64_t total, double begin, double peak, double end) {
  const double turn = config.pct_start * double(total) - 1.0, last = double(total) - 1.0;
  const double now = std::min(step, last);
  if (now <= turn) return anneal(config.anneal, begin, peak, share(now, turn));
  return anneal(config.anneal, peak, end, share(now - turn, last - turn));
}

/// Share of the present cycle that is over (Loshchilov, Hutter, ICLR 2017); cycles grow by `mult`.
double part_of_cycle(const ScheduleConfig& config, double epoch) {
  double begin = 0, length = double(config.period);
  while (epoch >= begin + length) {
    begin += length;
    length *= double(config.mult);
  }
  return (epoch - begin) / length;
}

std::int64_t drops(const ScheduleConfig& config, std::int64_t epoch) {
  if (config.op == "exponential") return epoch;
  if (config.op == "step") return epoch / config.every;
  return std::count_if(config.milestones.begin(), config.milestones.end(),
                       [&](std::int64_t milestone) { return milestone <= epoch; });
}

}  // namespace

Schedule::Schedule(const ScheduleConfig& config, double lr, std::int64_t epochs, std::int64_t steps_per_epoch)
    : config_(config),
      lr_(lr),
      steps_per_epoch_(steps_per_epoch),
      total_(epochs * steps_per_epoch),
      warmup_(std::min<std::int64_t>(total_,
                                     std::llround(std::min(config.warmup, double(epochs)) * double(steps_per_epoch)))) {
  reset();
}

void Schedule::reset() {
  if (config_.op == "plateau") plateau_.emplace(config_, lr_);
}

void Schedule::observe(const Report& report) {
  if (swa_ && report.step > swa_->when.before()) return;
  if (plateau_) plateau_->observe(report);
}

void Schedule::end_in(const SwaConfig& swa) {
  if (swa.lr) swa_ = swa;
}

void Schedule::begin_at(double share) {
  if (share > 0) begin_ = std::min(share, 1.0);
}

double Schedule::step_of_curve(std::int64_t step) const {
  if (!begin_) return double(step);
  const double at = *begin_ * double(total_) + (1.0 - *begin_) * double(step), whole = std::round(at);
  return std::abs(at - whole) < kSameStep ? whole : at;
}

double Schedule::lr(std::int64_t step) const {
  const std::int64_t begin = swa_ ? swa_->when.before() * steps_per_epoch_ : total_;
  if (!swa_ || step < begin) return curve(step);
  const std::int64_t epoch = (step - begin) / steps_per_epoch_ + 1;
  const double part = swa_->anneal_epochs > 0 ? std::min(1.0, double(epoch) / double(swa_->anneal_epochs)) : 1.0;
  return anneal(swa_->anneal_strategy, curve(begin), *swa_->lr, part);
}

double Schedule::curve(std::int64_t step) const {
  if (!begin_ && step < warmup_) return lr_ * warming(step);
  return plateau_ ? plateau_->lr() : value(place_of(step_of_curve(step)));
}

double Schedule::warming(std::int64_t step) const {
  const double part = double(step + 1) / double(warmup_), from = config_.warmup_from;
  if (config_.warmup_shape == "constant") return from;
  if (config_.warmup_shape == "exponential") return arithmetic::pow(from, 1.0 - part);
  return from + (1.0 - from) * part;
}

Schedule::Place Schedule::place_of(double step) const {
  if (config_.op != "sequence") return {&config_, step, total_};
  std::int64_t begin = 0;
  for (std::size_t i = 0;; ++i) {
    const ScheduleConfig& part = config_.parts[i];
    const std::int64_t rest = std::max<std::int64_t>(1, total_ - begin);
    const std::int64_t length = part.epochs > 0 ? part.epochs * steps_per_epoch_ : rest;
    const bool is_here = step < double(begin + length) || i + 1 == config_.parts.size();
    if (is_here) return {&part, step - double(begin), length};
    begin += length;
  }
}

double Schedule::value(const Place& place) const {
  const ScheduleConfig& c = *place.config;
  const std::int64_t warmup = &c == &config_ ? warmup_ : 0;
  const double part = share(place.step - double(warmup), double(place.total - warmup));
  if (c.op == "step" || c.op == "multi_step" || c.op == "exponential") {
    return lr_ * arithmetic::pow(c.gamma, double(drops(c, std::int64_t(place.step) / steps_per_epoch_)));
  }
  if (c.op == "linear") return lr_ * (c.start + (c.end - c.start) * part);
  if (c.op == "polynomial") return c.min_lr + (lr_ - c.min_lr) * arithmetic::pow(1.0 - part, c.power);
  if (c.op == "cosine") return anneal("cos", lr_, c.min_lr, part);
  if (c.op == "cosine_restarts") {
    return anneal("cos", lr_, c.min_lr, part_of_cycle(c, (place.step - double(warmup)) / double(steps_per_epoch_)));
  }
  if (c.op == "one_cycle") {
    const double begin = lr_ / c.div_factor;
    return cycle(c, place.step, place.total, begin, lr_, begin / c.final_div_factor);
  }
  return lr_;
}

std::optional<double> Schedule::momentum(std::int64_t step) const {
  if (config_.op == "constant") return std::nullopt;
  const Place place = place_of(step_of_curve(step));
  const ScheduleConfig& c = *place.config;
  if (c.op != "one_cycle" || !c.cycle_momentum) return std::nullopt;
  return cycle(c, place.step, place.total, c.max_momentum, c.base_momentum, c.max_momentum);
}

}  // namespace dlrun::recipe
