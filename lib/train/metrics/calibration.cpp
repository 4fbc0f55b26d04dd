// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlrun::train {

void probabilities(const float* row, std::int64_t width, std::vector<double>& into) {
  if (width == 1) {
    const double p = 1 / (1 + std::exp(-double(row[0])));
    into.assign({1 - p, p});
    return;
  }
  into.resize(std::size_t(width));
  const double greatest = double(*std::max_element(row, row + width));
  double sum = 0;
  for (std::int64_t c = 0; c < width; ++c) sum += into[std::size_t(c)] = std::exp(double(row[c]) - greatest);
  for (double& p : into) p /= sum;
}

void Calibration::add_example(const std::vector<double>& p, std::int64_t foretold, std::int64_t label) {
  const double own = p[std::size_t(label)];
  ++count_;
  log_loss_ -= std::log(std::max(own, std::numeric_limits<double>::min()));
  double squares = 0;
  for (std::size_t c = 0; c < p.size(); ++c) {
    const double error = p[c] - double(std::int64_t(c) == label);
    squares += error * error;
  }
  brier_ += p.size() == 2 ? squares / 2 : squares;
  const double confidence = p[std::size_t(foretold)];
  const double bin = std::isfinite(confidence) ? std::ceil(confidence * double(kBins)) - 1 : 0;
  const auto at = std::size_t(std::clamp(bin, 0.0, double(kBins - 1)));
  confidence_[at] += confidence;
  right_[at] += foretold == label;
}

void Calibration::add(const Calibration& other, double times) {
  count_ += times * other.count_;
  log_loss_ += times * other.log_loss_;
  brier_ += times * other.brier_;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    confidence_[bin] += times * other.confidence_[bin];
    right_[bin] += times * other.right_[bin];
  }
}

std::optional<double> Calibration::value(const std::string& name) const {
  const double count = std::max(count_, 1.0);
  if (name == "log_loss") return log_loss_ / count;
  if (name == "perplexity") return std::exp(log_loss_ / count);
  if (name == "brier") return brier_ / count;
  if (name != "ece") return std::nullopt;
  double sum = 0;
  for (std::size_t i = 0; i < kBins; ++i) sum += std::fabs(right_[i] - confidence_[i]);
  return sum / count;
}

void Calibration::restore(const Json& json) {
  json.at(0).get_to(count_);
  json.at(1).get_to(log_loss_);
  json.at(2).get_to(brier_);
  json.at(3).get_to(confidence_);
  json.at(4).get_to(right_);
}

}  // namespace dlrun::train
