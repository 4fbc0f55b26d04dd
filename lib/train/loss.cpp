// SPDX-License-Identifier: Apache-2.0
#include "train/loss.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "recipe/loss.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// Several losses of one output, each with its weight; the first says what the output foretells and how much counts.
class Sum final : public Loss {
 public:
  /// @param are_alike  the parts are means over the same weights
  explicit Sum(bool are_alike) : are_alike_(are_alike) {}

  void add_part(std::unique_ptr<Loss> loss, double weight) { parts_.push_back({std::move(loss), weight}); }

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    Measured sum;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      at::Tensor own;
      const Measured part = parts_[i].loss->measure(output, wanted, grad ? &own : nullptr);
      sum.mean += parts_[i].weight * part.mean;
      if (i == 0) sum.weight = part.weight;
      if (!are_alike_) sum.parts.push_back({parts_[i].weight * part.mean, part.weight});
      if (grad) add_scaled(*grad, own, parts_[i].weight, i == 0);
    }
    return sum;
  }

  std::vector<float> each(const at::Tensor& output, const Wanted& wanted) override {
    std::vector<float> sums(std::size_t(output.size(0)));
    for (const Part& part : parts_) {
      const std::vector<float> own = part.loss->each(output, wanted);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += float(part.weight) * own[i];
    }
    return sums;
  }

  at::Tensor prediction(const at::Tensor& output) const override { return parts_.front().loss->prediction(output); }

 private:
  struct Part {
    std::unique_ptr<Loss> loss;
    double weight;
  };

  static void add_scaled(at::Tensor& grad, const at::Tensor& own, double weight, bool is_first) {
    if (is_first) {
      grad = own.mul_(weight);
    } else {
      grad.add_(own, weight);
    }
  }

  bool are_alike_;
  std::vector<Part> parts_;
};

/// Do two losses take means over the same weights? Focal's is over the examples.
bool weigh_alike(const LossConfig& a, const LossConfig& b) {
  const auto weights = [](const LossConfig& one) {
    return one.op == "focal" ? std::pair(false, std::vector<double>()) : std::pair(one.balanced, one.class_weights);
  };
  return weights(a) == weights(b);
}

void check_output(const LossConfig& config, const model::Shape& output, const dataset::Schema& data) {
  const recipe::LossKind* kind = recipe::find_loss(config.op);
  if (!kind) throw Error(ErrorKind::usage, "loss.op: there is no '" + config.op + "'");
  const std::string found =
      fmt::format("loss '{}' cannot use the model's output [{}]", config.op, fmt::join(output, ", "));
  if (!recipe::fits(*kind, data.classes > 0)) {
    throw Error(ErrorKind::usage, found,
                data.classes > 0 ? "the data has classes: use cross_entropy"
                                 : "the data has numbers as targets: use mse, mae or huber");
  }
  const std::vector<std::int64_t> widths = recipe::output_widths(*kind, data.classes, data.targets);
  const auto is_it = [&](std::int64_t width) {
    model::Shape wanted = data.target_shape;
    wanted.push_back(width);
    return output == wanted;
  };
  if (std::any_of(widths.begin(), widths.end(), is_it)) return;
  throw Error(ErrorKind::usage, found, fmt::format("it needs {} output(s)", widths.front()));
}

}  // namespace

Wanted Wanted::narrow(std::int64_t example) const {
  const auto one = [&](const at::Tensor& all) { return all.defined() ? all.narrow(0, example, 1) : all; };
  return {one(targets), one(other), one(share)};
}

std::vector<float> Loss::each(const at::Tensor& output, const Wanted& wanted) {
  std::vector<float> losses;
  for (std::int64_t i = 0; i < output.size(0); ++i)
    losses.push_back(float(measure(output.narrow(0, i, 1), wanted.narrow(i), nullptr).mean));
  return losses;
}

bool is_balanced(const LossConfig& config) {
  return config.balanced || std::any_of(config.parts.begin(), config.parts.end(), is_balanced);
}

std::size_t separate_means(const LossConfig& config) {
  const auto is_alike = [&](const LossConfig& part) { return weigh_alike(part, config.parts.front()); };
  return std::all_of(config.parts.begin(), config.parts.end(), is_alike) ? 0 : config.parts.size();
}

std::vector<double> class_weights(const LossConfig& config, const std::vector<std::int64_t>& counts) {
  if (!config.balanced) return config.class_weights;
  const double all = double(std::accumulate(counts.begin(), counts.end(), std::int64_t(0)));
  const double occurring = double(std::count_if(counts.begin(), counts.end(), [](std::int64_t n) { return n > 0; }));
  std::vector<double> weights;
  for (const std::int64_t count : counts) weights.push_back(count > 0 ? all / (occurring * double(count)) : 1);
  return weights;
}

std::unique_ptr<Loss> make_loss(const LossConfig& config, const model::Shape& output, const dataset::Schema& data,
                                const std::vector<std::int64_t>& counts) {
  if (config.op == "sum") {
    auto sum = std::make_unique<Sum>(separate_means(config) == 0);
    for (const LossConfig& part : config.parts) sum->add_part(make_loss(part, output, data, counts), part.weight);
    return sum;
  }
  check_output(config, output, data);
  std::vector<double> weights = class_weights(config, counts);
  if (!weights.empty() && std::int64_t(weights.size()) != data.classes) {
    throw Error(ErrorKind::usage, fmt::format("loss.class_weights has {} numbers, but there are {} classes",
                                              weights.size(), data.classes));
  }
  if (!config.plugin.is_null()) return make_plugin_loss(config, std::move(weights));
  if (config.op == "cross_entropy") return make_cross_entropy(config, std::move(weights));
  if (config.op == "focal") return make_focal(config, std::move(weights));
  if (config.op == "nll") return make_nll(config, std::move(weights));
  if (config.op == "multi_margin") return make_multi_margin(config);
  if (config.op == "gaussian_nll") return make_gaussian_nll(config);
  if (config.op == "kl_div") return make_kl_div(config);
  return make_elementwise(config, data.classes == 0);
}

}  // namespace dlrun::train
