// SPDX-License-Identifier: Apache-2.0
// groupnorm (Wu, He, ECCV 2018) and instancenorm (Ulyanov et al. 2016): each example's channels to mean 0 and variance
// 1, in groups or each by itself. torch.nn.GroupNorm, torch.nn.InstanceNorm1d, 2d, 3d by the shape.
#include <fmt/format.h>

#include "model/layers/layers.hpp"
#include "model/shape.hpp"

namespace dlrun::model::layers {

namespace {

void infer_group(Layer& layer) {
  const std::int64_t channels = layer.in()[0];
  const std::int64_t groups = layer.integer("groups");
  if (channels % groups != 0) {
    layer.fail("groups", fmt::format("{} groups do not divide {} channels", groups, channels));
  }
  if (elements(layer.in()) == groups) {
    layer.fail("groups", fmt::format("each of {} groups of {} would hold a single number", groups, to_text(layer.in())),
               "take fewer groups");
  }
  layer.derive("num_channels", channels);
  layer.node.out = layer.in();
  if (layer.flag("affine")) {
    layer.add_tensor("weight", {channels});
    layer.add_tensor("bias", {channels});
  }
  layer.count_operations(1);
}

void infer_instance(Layer& layer) {
  layer.directions();
  const std::int64_t channels = layer.in()[0];
  if (elements(layer.in()) == channels) {
    layer.fail("", fmt::format("each channel of {} holds a single number, which would become 0", to_text(layer.in())));
  }
  layer.derive("num_features", channels);
  layer.node.out = layer.in();
  if (layer.flag("affine")) {
    layer.add_tensor("weight", {channels});
    layer.add_tensor("bias", {channels});
  }
  if (layer.flag("track_running_stats")) {
    layer.add_tensor("running_mean", {channels}, false);
    layer.add_tensor("running_var", {channels}, false);
    layer.add_tensor("num_batches_tracked", {}, false);
  } else if (layer.real("momentum") != 0.1) {
    layer.fail("momentum", "without running statistics nothing reads `momentum`", "track_running_stats: true");
  }
  layer.count_operations(1);
}

Shape guess_groupnorm(const Node& node) { return node.in[0]; }

options::Key eps() { return real("eps", "added to the variance").from(0).to(1).with(1e-5); }

}  // namespace

LayerRule groupnorm() {
  LayerRule rule;
  rule.kind = {"groupnorm",
               "normalisation of groups of channels, each example by itself",
               {integer("groups", "groups of channels").from(1).must(), eps(),
                boolean("affine", "learn a scale and a shift per channel").with(true),
                integer("num_channels", "number of channels").from(1).inferred()}};
  rule.infer = infer_group;
  rule.guess = guess_groupnorm;
  return rule;
}

LayerRule instancenorm() {
  LayerRule rule;
  rule.kind = {"instancenorm",
               "normalisation of each channel of each example",
               {eps(), real("momentum", "weight of a new batch in the running statistics").from(0).to(1).with(0.1),
                boolean("affine", "learn a scale and a shift per channel").with(false),
                boolean("track_running_stats", "keep running statistics, which evaluation then uses").with(false),
                integer("num_features", "number of channels").from(1).inferred()}};
  rule.infer = infer_instance;
  rule.guess = guess_groupnorm;
  rule.is_norm = true;
  return rule;
}

}  // namespace dlrun::model::layers
