// SPDX-License-Identifier: Apache-2.0
// The values of single validation examples that a piece leaves.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "train/artifacts.hpp"
#include "train/piece.hpp"
#include "trial/artifacts.hpp"

namespace dlrun::train {

namespace {

constexpr double kRounding = 1e-5;  ///< relative difference of sums in float32 on another device

double mean_of(const std::vector<float>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0 : sum / double(values.size());
}

/// Reason why the mean of the values is not what the epoch's report has; empty: it is.
std::string fault_of(const tensors::RowValues& found, const std::vector<trial::Report>& reports) {
  const double mean = mean_of(found.values);
  if (std::isnan(mean)) return found.metric + " is not defined without one of the examples";
  for (const trial::Report& report : reports) {
    if (report.step != found.epoch) continue;
    for (const auto& [name, value] : report.metrics) {
      if (name != found.metric) continue;
      const bool is_equal = std::fabs(mean - value) <= kRounding * std::max(1.0, std::fabs(value));
      return is_equal ? std::string() : fmt::format("their mean is {}, but {} was {}", mean, name, value);
    }
  }
  return fmt::format("{} was not measured in epoch {}", found.metric, found.epoch);
}

}  // namespace

/// The epoch is the one that gives the objective's value: the best, else the last.
void Piece::publish_values() {
  if (setup_.values.empty()) return;
  const State& state = training_->state();
  const auto values_of = [this](Training& training) {
    return training.values_of_val(setup_.values, [this] { beat(); });
  };
  const bool is_earlier = state.best && state.best->epoch != state.epoch;
  const tensors::RowValues found = is_earlier ? values_of(*best_training()) : values_of(*training_);
  const std::string fault = fault_of(found, state.reports);
  if (!fault.empty()) return host_.log("no values of examples: " + fault);
  artifacts_.push_back(publish(setup_.artifacts, tensors::write_row_values(found), trial::kValues, state.epoch));
}

/// The training as it was after its best epoch, whose checkpoint is published.
std::unique_ptr<Training> Piece::best_training() const {
  const std::string &sha256 = training_->state().best->sha256, what = "artifact " + sha256;
  std::unique_ptr<Training> training = make_training(setup_, order_, device_);
  training->restore(SafeTensors(fetch(setup_.artifacts, sha256), what), what);
  return training;
}

}  // namespace dlrun::train
