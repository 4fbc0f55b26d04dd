// SPDX-License-Identifier: Apache-2.0
#include "train/metrics.hpp"

#include <cmath>
#include <numeric>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// The class of the greatest output, the first of equals; of a single logit: whether it is above 0.
std::int64_t predicted(const float* row, std::int64_t width) {
  if (width == 1) return row[0] > 0 ? 1 : 0;
  std::int64_t best = 0;
  for (std::int64_t c = 1; c < width; ++c) best = row[c] > row[best] ? c : best;
  return best;
}

}  // namespace

void Sums::add(double loss, const at::Tensor& output, const at::Tensor& targets) {
  const auto batch = double(output.size(0));
  examples_ += batch;
  loss_ += loss * batch;
  if (targets.scalar_type() == at::kLong) {
    add_classes(output, targets);
  } else {
    add_values(output, targets);
  }
}

void Sums::add_classes(const at::Tensor& output, const at::Tensor& labels) {
  const float* rows = output.const_data_ptr<float>();
  const std::int64_t* wanted = labels.const_data_ptr<std::int64_t>();
  const std::int64_t batch = output.size(0), width = output.numel() / batch;
  std::int64_t hits = 0;
  for (std::int64_t b = 0; b < batch; ++b) hits += predicted(rows + b * width, width) == wanted[b];
  correct_ += double(hits);
}

void Sums::add_values(const at::Tensor& output, const at::Tensor& targets) {
  const float* y = output.const_data_ptr<float>();
  const float* t = targets.const_data_ptr<float>();
  const std::int64_t batch = targets.size(0), width = targets.numel() / batch;
  for (auto* sums : {&squared_, &target_, &target_squared_}) sums->resize(std::size_t(width));
  for (std::int64_t i = 0; i < batch * width; ++i) {
    const auto k = std::size_t(i % width);
    const double error = double(y[i]) - double(t[i]);
    absolute_ += std::fabs(error);
    squared_[k] += error * error;
    target_[k] += double(t[i]);
    target_squared_[k] += double(t[i]) * double(t[i]);
  }
}

double Sums::r2() const {
  double sum = 0;
  for (std::size_t k = 0; k < squared_.size(); ++k) {
    const double spread = target_squared_[k] - target_[k] * target_[k] / examples_;
    sum += spread > 0 ? 1 - squared_[k] / spread : 0;
  }
  return squared_.empty() ? 0 : sum / double(squared_.size());
}

double Sums::value(const std::string& name) const {
  const double elements = examples_ * double(squared_.size());
  const double mse = elements > 0 ? std::accumulate(squared_.begin(), squared_.end(), 0.0) / elements : 0;
  if (name == "accuracy") return correct_ / examples_;
  if (name == "mae") return elements > 0 ? absolute_ / elements : 0;
  if (name == "mse") return mse;
  if (name == "rmse") return std::sqrt(mse);
  if (name == "r2") return r2();
  throw Error(ErrorKind::usage, "metrics: there is no '" + name + "'");
}

std::vector<trial::Metric> Sums::metrics(const std::string& split, const std::vector<std::string>& names) const {
  std::vector<trial::Metric> result{{split + ".loss", loss()}};
  for (const std::string& name : names) {
    if (name != "loss") result.push_back({split + "." + name, value(name)});
  }
  return result;
}

Json Sums::to_json() const {
  return {{"examples", examples_},
          {"loss", loss_},
          {"correct", correct_},
          {"absolute", absolute_},
          {"squared", squared_},
          {"target", target_},
          {"target_squared", target_squared_}};
}

Sums Sums::from_json(const Json& json) {
  Sums sums;
  sums.examples_ = json.at("examples").get<double>();
  sums.loss_ = json.at("loss").get<double>();
  sums.correct_ = json.at("correct").get<double>();
  sums.absolute_ = json.at("absolute").get<double>();
  sums.squared_ = json.at("squared").get<std::vector<double>>();
  sums.target_ = json.at("target").get<std::vector<double>>();
  sums.target_squared_ = json.at("target_squared").get<std::vector<double>>();
  return sums;
}

}  // namespace dlrun::train
