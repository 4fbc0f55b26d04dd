// SPDX-License-Identifier: Apache-2.0
// Losses of plugins: the plugin gives each row's loss, autograd over it the gradient, and the mean is taken here.
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

class GuestLoss final : public Loss {
 public:
  GuestLoss(std::string name, std::unique_ptr<plugin::Loss> loss) : name_(std::move(name)), loss_(std::move(loss)) {}

  Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) override {
    const nn::WithAutograd autograd;
    const at::Tensor leaf = output.detach().requires_grad_(grad != nullptr);
    const at::Tensor losses = all(leaf, wanted);
    if (grad) *grad = losses.numel() > 0 ? gradient(losses.mean(), leaf) : at::zeros_like(output);
    const double count = double(losses.numel()), sum = losses.detach().to(at::kDouble).sum().item<double>();
    return {count > 0 ? sum / count : 0, count};
  }

  std::vector<float> each(const at::Tensor& output, const Wanted& wanted) override {
    if (output.dim() != 2) return Loss::each(output, wanted);
    const at::Tensor losses = all(output, wanted).contiguous();
    if (losses.numel() != output.size(0)) return Loss::each(output, wanted);
    return {losses.const_data_ptr<float>(), losses.const_data_ptr<float>() + losses.numel()};
  }

  at::Tensor prediction(const at::Tensor& output) const override {
    return nn::guarded(name_, [&] { return loss_->prediction(output).contiguous(); });
  }

 private:
  /// Losses of the rows that count: [N].
  at::Tensor all(const at::Tensor& output, const Wanted& wanted) {
    const at::Tensor rows = output.reshape({-1, output.size(-1)});
    const bool has_labels = wanted.targets.scalar_type() == at::kLong;
    const at::Tensor targets = has_labels ? wanted.targets.reshape({-1}) : wanted.targets;
    const Counted counted = counted_of(targets, has_labels);
    const at::Tensor those = counted.of(rows);
    const at::Tensor first = ask(those, counted.of(targets));
    if (!wanted.other.defined()) return first;
    const std::int64_t positions = rows.size(0) / wanted.other.numel();
    const at::Tensor second = ask(those, counted.of(wanted.other.repeat_interleave(positions)));
    const at::Tensor share = counted.of(wanted.share.repeat_interleave(positions));
    return share * first + (1 - share) * second;
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
};

}  // namespace

std::unique_ptr<Loss> make_plugin_loss(const LossConfig& config) {
  const plugin::Found* found = plugin::find(plugin::Kind::loss, config.op);
  if (found == nullptr) throw Error(ErrorKind::usage, "loss.op: there is no '" + config.op + "'");
  const auto make = reinterpret_cast<MakeLoss>(plugin::open_symbol(*found));
  const plugin::Options options = plugin::options_of(config.plugin, found->manifest->keys);
  auto own = nn::guarded(config.op, [&] { return std::unique_ptr<plugin::Loss>(make(options)); });
  return std::make_unique<GuestLoss>(config.op, std::move(own));
}

}  // namespace dlrun::train
