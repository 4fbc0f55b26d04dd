// SPDX-License-Identifier: Apache-2.0
// Losses that are means over elements: value and slope of one output by its target.
#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/add.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/div.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/zeros_like.h>

#include "train/loss.hpp"

namespace dlrun::train {

namespace {

/// `a` is the loss's one setting: delta, beta, quantile, pos_weight, margin.
struct Element {
  double (*value)(double output, double target, double a);
  double (*slope)(double output, double target, double a);
};

double sign(double d) { return double((d > 0) - (d < 0)); }
double softplus(double z) { return std::max(z, 0.0) + std::log1p(std::exp(-std::fabs(z))); }
double sigmoid(double z) { return 1.0 / (1.0 + std::exp(-z)); }

const Element kSquared{[](double y, double t, double) { return (y - t) * (y - t); },
                       [](double y, double t, double) { return 2.0 * (y - t); }};

const Element kAbsolute{[](double y, double t, double) { return std::fabs(y - t); },
                        [](double y, double t, double) { return sign(y - t); }};

/// Huber 1964: squared within delta, linear outside (torch.nn.HuberLoss).
const Element kHuber{[](double y, double t, double delta) {
                       const double d = std::fabs(y - t);
                       return d <= delta ? 0.5 * d * d : delta * (d - 0.5 * delta);
                     },
                     [](double y, double t, double delta) { return std::clamp(y - t, -delta, delta); }};

/// Huber's over beta (torch.nn.SmoothL1Loss).
const Element kSmoothL1{[](double y, double t, double beta) {
                          const double d = std::fabs(y - t);
                          return d < beta ? 0.5 * d * d / beta : d - 0.5 * beta;
                        },
                        [](double y, double t, double beta) { return std::clamp((y - t) / beta, -1.0, 1.0); }};

/// log cosh d, in the form that does not overflow.
const Element kLogCosh{
    [](double y, double t, double) { return std::fabs(y - t) + softplus(-2 * std::fabs(y - t)) - std::log(2.0); },
    [](double y, double t, double) { return std::tanh(y - t); }};

/// Pinball (Koenker, Bassett 1978): q (t - y) below the target, (1 - q) (y - t) above.
const Element kQuantile{[](double y, double t, double q) { return std::max(q * (t - y), (q - 1) * (t - y)); },
                        [](double y, double t, double q) { return y > t   ? 1 - q
                                                                  : y < t ? -q
                                                                          : 0.0; }};

/// torch.nn.PoissonNLLLoss of a logarithm: exp(y) - t y.
const Element kPoissonLog{[](double y, double t, double) { return std::exp(y) - t * y; },
                          [](double y, double t, double) { return std::exp(y) - t; }};

/// Poisson loss of the rate itself: y - t log(y + 1e-8).
const Element kPoisson{[](double y, double t, double) { return y - t * std::log(y + 1e-8); },
                       [](double y, double t, double) { return 1 - t / (y + 1e-8); }};

/// Loss of a logit, in the form that does not overflow; a target of 1 weighs p (torch.nn.BCEWithLogitsLoss).
const Element kBinary{[](double z, double t, double p) { return (1 - t) * z + (1 + (p - 1) * t) * softplus(-z); },
                      [](double z, double t, double p) { return (1 - t) - (1 + (p - 1) * t) * sigmoid(-z); }};

/// max(0, margin - s y) with s = 2 t - 1.
const Element kHinge{[](double y, double t, double margin) { return std::max(0.0, margin - (2 * t - 1) * y); },
                     [](double y, double t, double margin) { return (2 * t - 1) * y < margin ? 1 - 2 * t : 0.0; }};

const Element kSquaredHinge{
    [](double y, double t, double margin) {
      const double over = std::max(0.0, margin - (2 * t - 1) * y);
      return over * over;
    },
    [](double y, double t, double margin) { return 2 * std::max(0.0, margin - (2 * t - 1) * y) * (1 - 2 * t); }};

/// Targets of all outputs as numbers, row by row.
struct Targets {
  at::Tensor numbers;
  std::vector<bool> ignored = {};  ///< rows whose label is kIgnored; empty: none can be
  std::int64_t rows = 0, counted = 0;

  /// Calls `visit` with the index of every element that counts. @param width  elements of a row
  template <class Visit>
  void for_each(std::int64_t width, const Visit& visit) const {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (!ignored.empty() && ignored[std::size_t(row)]) continue;
      for (std::int64_t i = row * width; i < (row + 1) * width; ++i) visit(i);
    }
  }
};

/// Labels as numbers: 1 at the class, 0 elsewhere; of a single output the label itself; shares where two are mixed.
Targets of_labels(const Wanted& wanted, const at::Tensor& output) {
  const std::int64_t rows = wanted.targets.numel(), width = output.numel() / rows;
  const std::int64_t per_example = wanted.other.defined() ? rows / wanted.other.numel() : 1;
  Targets out{at::zeros_like(output), std::vector<bool>(std::size_t(rows)), rows, 0};
  auto* values = out.numbers.mutable_data_ptr<float>();
  const auto add = [&](std::int64_t label, std::int64_t row, float share) {
    width == 1 ? values[row] += share * float(label) : values[row * width + label] += share;
  };
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t label = wanted.targets.const_data_ptr<std::int64_t>()[row];
    out.ignored[std::size_t(row)] = label == kIgnored;
    if (label == kIgnored) continue;
    ++out.counted;
    const std::int64_t example = row / per_example;
    const float share = wanted.share.defined() ? wanted.share.const_data_ptr<float>()[example] : 1.0f;
    add(label, row, share);
    if (share != 1.0f) add(wanted.other.const_data_ptr<std::int64_t>()[example], row, 1.0f - share);
  }
  return out;
}

Targets targets_of(const Wanted& wanted, const at::Tensor& output) {
  if (wanted.targets.scalar_type() != at::kFloat) return of_labels(wanted, output);
  return {wanted.targets, {}, output.size(0), output.size(0)};
}

/// The way from the outputs to the targets' own unit.
enum class Link { identity, log, logit, sign };

/// NaN has no order, so std::max and comparisons may lose it: it is looked for by itself.
class Elementwise final : public Loss {
 public:
  Elementwise(const Element& element, double setting, Link link) : element_(element), setting_(setting), link_(link) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const Targets targets = targets_of(wanted, output);
    const std::int64_t width = output.numel() / targets.rows, count = targets.counted * width;
    if (grad) *grad = slopes(output, targets, width);
    const float* y = output.const_data_ptr<float>();
    const float* t = targets.numbers.const_data_ptr<float>();
    double sum = 0;
    targets.for_each(
        width, [&](std::int64_t i) { sum += std::isnan(y[i]) ? double(y[i]) : element_.value(y[i], t[i], setting_); });
    return {count > 0 ? sum / double(count) : 0, double(targets.counted)};
  }

  at::Tensor prediction(const at::Tensor& output) const override {
    if (link_ == Link::identity) return output;
    if (link_ == Link::sign) return from_sign(output);
    return link_ == Link::log ? at::exp(output) : at::sigmoid(output);
  }

 private:
  /// The target whose loss becomes 0 at the output: s = 2 t - 1 solved for t; beyond the margin nothing changes.
  at::Tensor from_sign(const at::Tensor& output) const {
    const double margin = setting_ > 0 ? setting_ : 1;
    return at::clamp(at::add(at::div(output, 2 * margin), 0.5), 0, 1);
  }

  at::Tensor slopes(const at::Tensor& output, const Targets& targets, std::int64_t width) const {
    at::Tensor grad = at::zeros_like(output);
    const float* y = output.const_data_ptr<float>();
    const float* t = targets.numbers.const_data_ptr<float>();
    auto* values = grad.mutable_data_ptr<float>();
    const double scale = 1.0 / double(targets.counted * width);
    targets.for_each(width, [&](std::int64_t i) { values[i] = float(element_.slope(y[i], t[i], setting_) * scale); });
    return grad;
  }

  const Element& element_;
  double setting_;
  Link link_;
};

/// Classes are told by their logits.
Link link_of(const LossConfig& config, bool has_numbers) {
  if (config.op == "poisson_nll" && config.log_input) return Link::log;
  if (!has_numbers) return Link::identity;
  return config.op == "binary_cross_entropy" ? Link::logit : config.op == "hinge" ? Link::sign : Link::identity;
}

struct Named {
  const Element* element = nullptr;
  double setting = 0;
};

Named named(const LossConfig& config) {
  const std::string& op = config.op;
  if (op == "mse") return {&kSquared};
  if (op == "mae") return {&kAbsolute};
  if (op == "huber") return {&kHuber, config.delta};
  if (op == "smooth_l1") return {&kSmoothL1, config.delta};
  if (op == "log_cosh") return {&kLogCosh};
  if (op == "quantile") return {&kQuantile, config.delta};
  if (op == "poisson_nll") return {config.log_input ? &kPoissonLog : &kPoisson};
  if (op == "binary_cross_entropy") return {&kBinary, config.pos_weight};
  if (op == "hinge") return {config.p == 1 ? &kHinge : &kSquaredHinge, config.margin};
  return {};
}

}  // namespace

std::unique_ptr<Loss> make_elementwise(const LossConfig& config, bool has_numbers) {
  const Named found = named(config);
  if (!found.element) return nullptr;
  return std::make_unique<Elementwise>(*found.element, found.setting, link_of(config, has_numbers));
}

}  // namespace dlrun::train
