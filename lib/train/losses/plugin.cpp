// SPDX-License-Identifier: Apache-2.0
// Losses of plugins: the plugin gives each row's loss, autograd over it the gradient, and the mean is taken here, by
// the weights of the rows' classes where the section has some.
#include <ATen/ATen.h>
#include <fmt/format.h>
#include <torch/csrc/autograd/autograd.h>

#include <dlrun/plugin/loss.hpp>

#include "nn/guarded.hpp"
#include "nn/with_autograd.hpp"
#include "plugin/found.hpp"
#include "plugin/section.hpp"
#include "train/loss.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

using MakeLoss = plugin::Loss* (*)(const plugin::Options& options);

/// Rows that count: examples, or positions of sequences.
struct Counted {
  at::Tensor rows;  ///< [N] numbers of rows, or undefined: all
  std::int64_t count = 0;

  at::Tensor of(const at::Tensor& all) const { return rows.defined() ? all.index_select(0, rows) : all; }
};

/// Losses of the rows that count.
struct RowLosses {
  at::Tensor weighted;  ///< [N]: each times its weight
  at::Tensor weights;   ///< [N], or undefined: all are 1

  at::Tensor mean() const { return weights.defined() ? weighted.sum() / weights.sum() : weighted.mean(); }
  /// As of a batch of its own.
  at::Tensor alone() const {
    return weights.defined() ? at::where(weights > 0, weighted / weights, weighted) : weighted;
  }
  double total() const {
    return weights.defined() ? weights.to(at::kDouble).sum().item<double>() : double(weighted.numel());
  }
};

class GuestLoss final : public Loss {
 public:
  GuestLoss(std::string name, std::unique_ptr<plugin::Loss> loss, const std::vector<double>& weights)
      : name_(std::move(name)), loss_(std::move(loss)) {
    if (!weights.empty()) weights_ = at::tensor(weights, at::kFloat);
  }

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const nn::WithAutograd autograd;
    const at::Tensor leaf = output.detach().requires_grad_(grad != nullptr);
    const RowLosses losses = all(leaf, wanted);
    const double total = losses.total(), sum = losses.weighted.detach().to(at::kDouble).sum().item<double>();
    if (grad) *grad = total > 0 ? gradient(losses.mean(), leaf) : at::zeros_like(output);
    return {total > 0 ? sum / total : 0, total};
  }

  std::vector<float> each(const at::Tensor& output, const Wanted& wanted) override {
    if (output.dim() != 2) return Loss::each(output, wanted);
    const at::Tensor losses = all(output, wanted).alone().contiguous();
    if (losses.numel() != output.size(0)) return Loss::each(output, wanted);
    return {losses.const_data_ptr<float>(), losses.const_data_ptr<float>() + losses.numel()};
  }

  at::Tensor prediction(const at::Tensor& output) const override {
    return nn::guarded(name_, [&] { return loss_->prediction(output).contiguous(); });
  }

 private:
  RowLosses all(const at::Tensor& output, const Wanted& wanted) {
    const at::Tensor rows = output.reshape({-1, output.size(-1)});
    const bool has_labels = wanted.targets.scalar_type() == at::kLong;
    const at::Tensor targets = has_labels ? wanted.targets.reshape({-1}) : wanted.targets;
    const Counted counted = counted_of(targets, has_labels);
    const at::Tensor those = counted.of(rows);
    const RowLosses first = weigh(those, counted.of(targets));
    if (!wanted.other.defined()) return first;
    const std::int64_t positions = rows.size(0) / wanted.other.numel();
    const RowLosses second = weigh(those, counted.of(wanted.other.repeat_interleave(positions)));
    const at::Tensor share = counted.of(wanted.share.repeat_interleave(positions));
    const auto mixed = [&](const at::Tensor& a, const at::Tensor& b) { return share * a + (1 - share) * b; };
    return {mixed(first.weighted, second.weighted),
            weights_.defined() ? mixed(first.weights, second.weights) : at::Tensor()};
  }

  RowLosses weigh(const at::Tensor& outputs, const at::Tensor& targets) {
    const at::Tensor losses = ask(outputs, targets);
    if (!weights_.defined()) return {losses, {}};
    const at::Tensor weights = weights_.index_select(0, targets);
    return {losses * weights, weights};
  }

  static Counted counted_of(const at::Tensor& targets, bool has_labels) {
    if (!has_labels) return {{}, targets.size(0)};
    const at::Tensor counts = targets.ne(kIgnored);
    const auto count = counts.sum().item<std::int64_t>();
    return {count == targets.numel() ? at::Tensor() : counts.nonzero().reshape({-1}), count};
  }

  at::Tensor ask(const at::Tensor& outputs, const at::Tensor& targets) {
    at::Tensor losses = nn::guarded(name_, [&] { return loss_->each(outputs, targets); });
    if (!losses.defined() || losses.dim() != 1 || losses.size(0) != outputs.size(0) ||
        losses.scalar_type() != at::kFloat)
      throw Error(ErrorKind::usage, fmt::format("plugin '{}': each() must return float32 [{}], one loss for each row",
                                                name_, outputs.size(0)));
    return losses;
  }

  at::Tensor gradient(const at::Tensor& mean, const at::Tensor& leaf) {
    if (!mean.requires_grad())
      throw Error(ErrorKind::usage, fmt::format("plugin '{}': the loss does not depend on the outputs", name_));
    return nn::guarded(name_, [&] {
      return torch::autograd::grad({mean}, {leaf}, {}, std::nullopt, false, true).front().contiguous();
    });
  }

  std::string name_;
  std::unique_ptr<plugin::Loss> loss_;
  at::Tensor weights_;  ///< [classes]; undefined: all are 1
};

}  // namespace

std::unique_ptr<Loss> make_plugin_loss(const LossConfig& config, std::vector<double> weights) {
  const plugin::Found* found = plugin::find(plugin::Kind::loss, config.op);
  if (found == nullptr) throw Error(ErrorKind::usage, "loss.op: there is no '" + config.op + "'");
  const auto make = reinterpret_cast<MakeLoss>(plugin::open_symbol(*found));
  const plugin::Options options = plugin::options_of(config.plugin, found->manifest->keys);
  auto own = nn::guarded(config.op, [&] { return std::unique_ptr<plugin::Loss>(make(options)); });
  return std::make_unique<GuestLoss>(config.op, std::move(own), weights);
}

}  // namespace dlrun::train
