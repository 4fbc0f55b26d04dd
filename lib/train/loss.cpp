// SPDX-License-Identifier: Apache-2.0
#include "train/loss.hpp"

#include <algorithm>
#include <cmath>

#include <ATen/ops/_log_softmax.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// -log softmax(z)[t], labels smoothed by e: -(1 - e) log p_t - e / C sum_c log p_c.
class CrossEntropy final : public Loss {
 public:
  explicit CrossEntropy(double smoothing) : smoothing_(smoothing) {}

  double measure(const at::Tensor& output, const at::Tensor& targets, at::Tensor* grad) override {
    at::Tensor log_p = at::_log_softmax(output, 1, false);
    const double mean = mean_of(log_p, targets);
    if (grad) {
      log_p.exp_();
      subtract_wanted(log_p, targets);
      *grad = std::move(log_p);
    }
    return mean;
  }

 private:
  double mean_of(const at::Tensor& log_p, const at::Tensor& targets) const {
    const std::int64_t batch = log_p.size(0), classes = log_p.size(1);
    const float* values = log_p.const_data_ptr<float>();
    const std::int64_t* labels = targets.const_data_ptr<std::int64_t>();
    double hit = 0, all = 0;
    for (std::int64_t b = 0; b < batch; ++b) hit += double(values[b * classes + labels[b]]);
    if (smoothing_ > 0) {
      for (std::int64_t i = 0; i < batch * classes; ++i) all += double(values[i]);
    }
    return -((1 - smoothing_) * hit + smoothing_ / double(classes) * all) / double(batch);
  }

  /// p becomes (p - q) / B, where q is what is wanted.
  void subtract_wanted(const at::Tensor& p, const at::Tensor& targets) const {
    const std::int64_t batch = p.size(0), classes = p.size(1);
    float* values = p.mutable_data_ptr<float>();
    const std::int64_t* labels = targets.const_data_ptr<std::int64_t>();
    const auto scale = float(1.0 / double(batch)), others = float(smoothing_ / double(classes));
    for (std::int64_t b = 0; b < batch; ++b) values[b * classes + labels[b]] -= float(1 - smoothing_);
    for (std::int64_t i = 0; i < batch * classes; ++i) values[i] = (values[i] - others) * scale;
  }

  double smoothing_;
};

/// A loss that is a mean over elements: value and slope of one element by output and target.
struct Element {
  double (*value)(float output, float target, float delta);
  float (*slope)(float output, float target, float delta);
};

const Element kSquared{[](float y, float t, float) { return double(y - t) * double(y - t); },
                       [](float y, float t, float) { return 2.0f * (y - t); }};

const Element kAbsolute{[](float y, float t, float) { return std::fabs(double(y - t)); },
                        [](float y, float t, float) { return float((y > t) - (y < t)); }};

/// Huber 1964: squared within delta, linear outside (torch.nn.HuberLoss).
const Element kHuber{[](float y, float t, float delta) {
                       const double d = std::fabs(double(y - t));
                       return d <= delta ? 0.5 * d * d : double(delta) * (d - 0.5 * double(delta));
                     },
                     [](float y, float t, float delta) { return std::clamp(y - t, -delta, delta); }};

/// Of a logit, in the form that does not overflow: max(z, 0) - z t + log(1 + exp(-|z|)).
const Element kBinary{[](float z, float t, float) {
                        return std::max(double(z), 0.0) - double(z) * double(t) +
                               std::log1p(std::exp(-std::fabs(double(z))));
                      },
                      [](float z, float t, float) { return float(1.0 / (1.0 + std::exp(-double(z)))) - t; }};

/// NaN has no order, so std::max and comparisons may lose it: it is looked for by itself.
class Elementwise final : public Loss {
 public:
  Elementwise(const Element& element, double delta) : element_(element), delta_(float(delta)) {}

  double measure(const at::Tensor& output, const at::Tensor& targets, at::Tensor* grad) override {
    const at::Tensor wanted = targets.scalar_type() == at::kFloat ? targets : one_hot(targets, output);
    const float* y = output.const_data_ptr<float>();
    const float* t = wanted.const_data_ptr<float>();
    const std::int64_t count = output.numel();
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i)
      sum += std::isnan(y[i]) ? double(y[i]) : element_.value(y[i], t[i], delta_);
    if (grad) {
      *grad = at::empty_like(output);
      float* slopes = grad->mutable_data_ptr<float>();
      const auto scale = float(1.0 / double(count));
      for (std::int64_t i = 0; i < count; ++i) slopes[i] = element_.slope(y[i], t[i], delta_) * scale;
    }
    return sum / double(count);
  }

 private:
  /// Labels as numbers: 1 at the class, 0 elsewhere; of a single output, the label itself.
  static at::Tensor one_hot(const at::Tensor& labels, const at::Tensor& output) {
    if (output.numel() == labels.numel()) return labels.to(at::kFloat);
    at::Tensor wanted = at::zeros_like(output);
    for (std::int64_t b = 0; b < output.size(0); ++b) {
      wanted.mutable_data_ptr<float>()[b * output.size(1) + labels.const_data_ptr<std::int64_t>()[b]] = 1;
    }
    return wanted;
  }

  const Element& element_;
  float delta_;
};

void require(bool fits, const LossConfig& config, const model::Shape& output, const std::string& wanted) {
  if (fits) return;
  throw Error(ErrorKind::usage,
              fmt::format("loss '{}' cannot use the model's output [{}]", config.op, fmt::join(output, ", ")), wanted);
}

}  // namespace

std::unique_ptr<Loss> make_loss(const LossConfig& config, const model::Shape& output, const dataset::Schema& data) {
  if (config.op == "cross_entropy") {
    require(data.classes > 0, config, output, "the data has numbers as targets: use mse, mae or huber");
    require(output == model::Shape{data.classes}, config, output,
            fmt::format("it needs one output for each of the {} classes: end with a linear of `out: classes`",
                        data.classes));
    return std::make_unique<CrossEntropy>(config.label_smoothing);
  }
  if (config.op == "binary_cross_entropy") {
    const bool one_logit = data.classes == 2 && output == model::Shape{1};
    const std::int64_t width = data.classes > 0 ? data.classes : data.targets;
    require(one_logit || output == model::Shape{width}, config, output,
            fmt::format("it needs {} output(s), one for each class or target", width));
    return std::make_unique<Elementwise>(kBinary, 0);
  }
  require(data.classes == 0, config, output, "the data has classes: use cross_entropy");
  require(output == model::Shape{data.targets}, config, output,
          fmt::format("it needs {} output(s), one for each target", data.targets));
  if (config.op == "mse") return std::make_unique<Elementwise>(kSquared, 0);
  if (config.op == "mae") return std::make_unique<Elementwise>(kAbsolute, 0);
  if (config.op == "huber") return std::make_unique<Elementwise>(kHuber, config.delta);
  throw Error(ErrorKind::usage, "loss.op: there is no '" + config.op + "'");
}

}  // namespace dlrun::train
