// SPDX-License-Identifier: Apache-2.0
#include "recipe/gains.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

constexpr double kForgetting = 1000;  // steps of single batches that the running means look back on

double sum_of(const std::vector<double>& numbers) { return std::accumulate(numbers.begin(), numbers.end(), 0.0); }

void approach(std::vector<double>& means, std::span<const double> now, double weight) {
  for (std::size_t i = 0; i < means.size(); ++i) means[i] = (1 - weight) * means[i] + weight * now[i];
}

}  // namespace

Gains::Gains(const LrScalingConfig& config, const GainsPlan& plan, std::size_t tensors)
    : config_(config),
      plan_(plan),
      weight_(config.smoothing.value_or(std::min(1.0, double(plan.micro_batches) / kForgetting))),
      each_(tensors),
      mean_(tensors),
      progress_(tensors),
      gains_(tensors, 1) {}

void Gains::observe(std::span<const double> each, std::span<const double> mean, std::int64_t count) {
  seen_ = (1 - weight_) * seen_ + weight_;
  approach(each_, each, weight_);
  approach(mean_, mean, weight_);
  for (std::size_t i = 0; i < gains_.size(); ++i) {
    gains_[i] = ratio(each_[i], mean_[i], count);
    progress_[i] += gains_[i];
  }
  model_gain_ = ratio(sum_of(each_), sum_of(mean_), count);
}

double Gains::ratio(double each, double mean, std::int64_t count) const {
  const double gain = (each / seen_ + config_.eps) / (mean / seen_ + config_.eps);
  return std::clamp(gain, 1.0, double(count));
}

std::vector<double> Gains::factors(std::int64_t step, std::int64_t count) const {
  std::vector<double> all(is_layer_wise() ? gains_.size() : 1);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = warmed(i, step, whole(i, count));
  return all;
}

/// Factor after the warm-up.
double Gains::whole(std::size_t tensor, std::int64_t count) const {
  const double multiple = double(count) * plan_.base_share;
  if (config_.op == "linear") return multiple;
  if (config_.op == "sqrt") return std::sqrt(multiple);
  return config_.op == "lena" ? gains_[tensor] : model_gain_;
}

double Gains::warmed(std::size_t tensor, std::int64_t step, double factor) const {
  if (config_.warmup == "none" || plan_.is_warmed) return factor;
  const auto updates = double(plan_.updates), done = double(step + 1);
  if (config_.warmup == "fixed") {
    const double length = std::max(1.0, std::round(config_.warmup_share * updates));
    return 1 + (factor - 1) * std::min(1.0, done / length);
  }
  const double by_gains = progress_[tensor] / (config_.alpha * double(plan_.batches));
  return factor * std::min(1.0, std::max(by_gains, done / (config_.longest * updates)));
}

double Gains::gain() const { return is_layer_wise() ? sum_of(gains_) / double(gains_.size()) : model_gain_; }

Json Gains::state() const { return {{"seen", seen_}, {"each", each_}, {"mean", mean_}, {"progress", progress_}}; }

void Gains::restore(const Json& state) try {
  const std::size_t tensors = gains_.size();
  *this = Gains(config_, plan_, tensors);
  if (state.is_null()) return;
  seen_ = state.at("seen").get<double>();
  for (const auto& [name, to] :
       {std::pair("each", &each_), std::pair("mean", &mean_), std::pair("progress", &progress_)}) {
    state.at(name).get_to(*to);
    if (to->size() != tensors) throw Error(ErrorKind::store, "the gains of its learning rate are of other tensors");
  }
} catch (const Json::exception& fault) {
  throw Error(ErrorKind::store, std::string("the gains of its learning rate are malformed: ") + fault.what());
}

}  // namespace dlrun::recipe
