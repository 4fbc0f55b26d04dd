// SPDX-License-Identifier: Apache-2.0
#include "unit/train/walk_cases.hpp"

#include "recipe/metric_kinds.hpp"

namespace dlrun::train {

Json small_trial() {
  return parse_json(R"({"model": {"nodes": [
      {"name": "fc", "op": "linear", "out": 6}, {"name": "bn", "op": "batchnorm"}, {"name": "act", "op": "relu"},
      {"name": "drop", "op": "dropout", "p": 0.3}, {"name": "head", "op": "linear", "out": "outputs"}]},
      "optimizer": {"op": "sgd", "lr": 0.05, "momentum": 0.9}, "epochs": 3, "batch_size": 4})",
                    "trial");
}

Json nodes_with_hidden() {
  const Json hidden = {{"name", "hidden"}, {"op", "linear"}, {"out", 4}};
  Json nodes = small_trial()["model"]["nodes"];
  nodes.insert(nodes.end() - 1, hidden);
  return nodes;
}

namespace {

constexpr const char* kOptimizerTable[] = {
    R"({"op": "sgd", "lr": 0.05})",
    R"({"op": "sgd", "lr": 0.05, "momentum": 0.9, "nesterov": true, "groups": [{"match": "fc", "lr": 0.1}]})",
    R"({"op": "adam", "lr": 0.01, "weight_decay": 0.001, "no_decay": ["bias", "norm"]})",
    R"({"op": "adamw", "lr": 0.01, "amsgrad": true, "groups": [{"match": "fc", "frozen": true}]})",
    R"({"op": "nadam", "lr": 0.01})",
    R"({"op": "radam", "lr": 0.01, "betas": [0.9, 0.9]})",
    R"({"op": "adamax", "lr": 0.01})",
    R"({"op": "rmsprop", "lr": 0.001, "momentum": 0.9, "centered": true})",
    R"({"op": "adagrad", "lr": 0.01, "lr_decay": 0.01, "initial_accumulator_value": 0.1})",
    R"({"op": "adadelta"})",
    R"({"op": "lion"})",
    R"({"op": "muon", "lr": 0.01})",
    R"({"op": "lamb", "lr": 0.01})",
    R"({"op": "lars", "lr": 1, "weight_decay": 0.001})"};

constexpr const char* kScheduleTable[] = {
    R"({"op": "constant"})",
    R"({"op": "constant", "warmup": 1.5, "warmup_shape": "exponential", "warmup_from": 0.1})",
    R"({"op": "step", "every": 2})",
    R"({"op": "multi_step", "milestones": [1, 2]})",
    R"({"op": "exponential", "gamma": 0.8})",
    R"({"op": "linear", "start": 0.2, "end": 1})",
    R"({"op": "polynomial", "power": 2})",
    R"({"op": "cosine", "warmup": 1})",
    R"({"op": "cosine_restarts", "period": 1, "mult": 2})",
    R"({"op": "one_cycle"})",
    R"({"op": "one_cycle", "anneal": "linear", "cycle_momentum": true})",
    R"({"op": "plateau", "patience": 0, "factor": 0.5, "threshold": 0.2})",
    R"({"op": "sequence", "parts": [{"op": "linear", "epochs": 1}, {"op": "one_cycle"}]})"};

struct Layers {
  const char* input;
  const char* nodes;  ///< between a first trained layer and the head
};

/// Every kind in a form that keeps as much from step to step as it can.
constexpr Layers kLayerTable[] = {
    {"row", R"({"op": "linear", "out": 5})"},
    {"series", R"({"op": "conv1d", "out": 3, "k": 3, "pad": "same", "dilation": 2})"},
    {"image", R"({"op": "conv2d", "out": 4, "k": 3, "stride": 2, "groups": 2})"},
    {"volume", R"({"op": "conv3d", "out": 2, "k": 2})"},
    {"series", R"({"op": "conv_transpose1d", "out": 2, "k": 2, "stride": 2})"},
    {"image", R"({"op": "conv_transpose2d", "out": 2, "k": 2, "stride": 2})"},
    {"volume", R"({"op": "conv_transpose3d", "out": 2, "k": 2})"},
    {"row", R"({"op": "batchnorm"})"},
    {"image", R"({"op": "batchnorm", "momentum": 0.3, "affine": false})"},
    {"series", R"({"op": "layernorm"})"},
    {"image", R"({"op": "groupnorm", "groups": 2})"},
    {"image", R"({"op": "instancenorm", "affine": true, "track_running_stats": true})"},
    {"series", R"({"op": "rmsnorm"})"},
    {"image", R"({"op": "maxpool", "k": 2}, {"op": "tanh"})"},
    {"image", R"({"op": "avgpool", "k": 2})"},
    {"image", R"({"op": "adaptive_avgpool", "out": 2})"},
    {"image", R"({"op": "adaptive_maxpool", "out": 2})"},
    {"image", R"({"op": "upsample", "size": [8, 7], "mode": "bilinear"})"},
    {"image", R"({"op": "pixel_shuffle", "factor": 2})"},
    {"image", R"({"op": "pixel_unshuffle", "factor": 2})"},
    {"image", R"({"op": "pad", "pad": 1, "mode": "reflect"})"},
    {"row", R"({"op": "dropout", "p": 0.5})"},
    {"image", R"({"op": "dropout2d", "p": 0.4})"},
    {"image", R"({"op": "residual", "body": [{"op": "conv2d", "out": 4, "k": 1}, {"op": "drop_path", "p": 0.4}]})"},
    {"image", R"({"op": "squeeze_excitation", "squeeze": 2})"},
    {"image", R"({"op": "flatten"})"},
    {"image", R"({"op": "reshape", "shape": [4, -1]})"},
    {"image", R"({"op": "permute", "dims": [2, 0, 1]})"},
    {"series", R"({"op": "transpose"})"},
    {"row", R"({"op": "tanh", "name": "a"}, {"op": "add", "from": ["a", "first"]})"},
    {"row", R"({"op": "tanh", "name": "a"}, {"op": "multiply", "from": ["a", "first"]})"},
    {"row", R"({"op": "tanh", "name": "a"}, {"op": "concat", "from": ["a", "first"]})"},
    {"image", R"({"op": "split", "parts": 2, "index": 1})"},
    {"series", R"({"op": "slice", "start": 1, "stop": 6, "step": 2, "dim": 1})"},
    {"image", R"({"op": "scale", "factor": 0.5, "learned": true, "dim": 0})"},
    {"row", R"({"op": "group", "repeat": 2, "body": [{"op": "linear", "out": 6}, {"op": "dropout", "p": 0.2}]})"},
    {"series", R"({"op": "mean", "dim": 1})"},
    {"series", R"({"op": "sum", "dim": 1})"},
    {"series", R"({"op": "max", "dim": 1})"},
    {"text", R"({"op": "embedding", "out": 4, "padding_idx": 0, "from": "x", "name": "e"},
                {"op": "add", "from": ["e", "first"]})"},
    {"text", R"({"op": "padding_mask", "name": "m", "from": "x"},
                {"op": "lstm", "hidden": 3, "layers": 2, "dropout": 0.4, "bidirectional": true, "from": ["first", "m"]})"},
    {"text", R"({"op": "padding_mask", "name": "m", "from": "x"},
                {"op": "gru", "hidden": 3, "layers": 2, "dropout": 0.4, "output": "last", "from": ["first", "m"]})"},
    {"series", R"({"op": "positional_encoding", "kind": "learned"})"},
    {"series", R"({"op": "lstm", "hidden": 3})"},
    {"series", R"({"op": "gru", "hidden": 3, "output": "last"})"},
    {"text", R"({"op": "padding_mask", "name": "m", "from": "x"},
                {"op": "multi_head_attention", "heads": 2, "dropout": 0.3, "causal": true, "from": ["first", "m"]})"},
    {"text", R"({"op": "padding_mask", "name": "m", "from": "x"},
                {"op": "transformer_encoder_layer", "heads": 2, "feedforward": 6, "dropout": 0.3, "repeat": 2,
                 "from": ["first", "m"]})"},
    {"text", R"({"op": "transformer_decoder_layer", "heads": 2, "feedforward": 6, "dropout": 0.3,
                 "from": ["first", "first"]})"},
    {"series", R"({"op": "slice", "stop": 4, "dim": 1, "name": "edges"},
                  {"op": "graph_attention", "heads": 2, "out": 3, "dropout": 0.3, "from": ["first", "edges"]})"},
    {"text", R"({"op": "padding_mask", "name": "m", "from": "x"},
                {"op": "sequence_pool", "mode": "last", "from": ["first", "m"]})"},
    {"row", R"({"op": "feature_tokenizer", "out": 3})"},
    {"image", R"({"op": "patch_embedding", "out": 4, "k": 3})"},
    {"series", R"({"op": "class_token"})"},
    {"row", R"({"op": "identity"})"},
    {"row", R"({"op": "leaky_relu"})"},
    {"row", R"({"op": "relu"})"},
    {"row", R"({"op": "relu6"})"},
    {"row", R"({"op": "elu"})"},
    {"row", R"({"op": "gelu"})"},
    {"row", R"({"op": "silu"})"},
    {"row", R"({"op": "sigmoid"})"},
    {"row", R"({"op": "softplus"})"},
    {"row", R"({"op": "softmax"})"},
    {"row", R"({"op": "log_softmax"})"},
    {"row", R"({"op": "hardswish"})"},
    {"row", R"({"op": "hardsigmoid"})"},
    {"row", R"({"op": "mish"})"},
    {"row", R"({"op": "selu"})"},
    {"row", R"({"op": "celu"})"},
    {"row", R"({"op": "softshrink", "lambd": 0.1})"},
    {"row", R"({"op": "hardshrink", "lambd": 0.1})"},
    {"row", R"({"op": "logsigmoid"})"},
    {"row", R"({"op": "softsign"})"},
    {"row", R"({"op": "tanhshrink"})"},
    {"row", R"({"op": "hardtanh"})"},
    {"row", R"({"op": "threshold", "threshold": 0.1, "value": 0.0})"},
    {"row", R"({"op": "prelu"})"},
    {"row", R"({"op": "glu", "dim": 0})"},
    // Weights that two layers share.
    {"row", R"({"op": "linear", "out": 6, "name": "a"}, {"op": "linear", "out": 6, "share": "a"})"}};

/// A layer with weights below, so that gradients go through.
std::string first_of(const std::string& input) {
  if (input == "text") return R"({"name": "first", "op": "embedding", "out": 4, "from": "x"})";
  if (input == "series") return R"({"name": "first", "op": "conv1d", "out": 4, "k": 1})";
  if (input == "image") return R"({"name": "first", "op": "conv2d", "out": 4, "k": 1})";
  if (input == "volume") return R"({"name": "first", "op": "conv3d", "out": 2, "k": 1})";
  return R"({"name": "first", "op": "linear", "out": 6})";
}

Json model_of(const Layers& layers) {
  return parse_json(R"({"nodes": [)" + first_of(layers.input) + ", " + layers.nodes +
                        R"(, {"op": "flatten", "name": "flat"}, {"name": "head", "op": "linear", "out": "outputs"}]})",
                    "model");
}

Walk with_batches(const std::string& name, const Json& batches) { return {name, "image", small_trial(), batches}; }

Walk augmented(const Json& step, const std::string& sampler = "shuffle") {
  Walk walk = with_batches(to_text(step), {{"augment", {step}}, {"sampler", sampler}, {"prefetch", 0}});
  walk.trial["model"] = model_of({"image", R"({"op": "relu"})"});
  return walk;
}

std::vector<std::string> metrics_for(std::int64_t classes) {
  std::vector<std::string> names;
  for (const recipe::MetricKind& kind : recipe::metric_kinds()) {
    if (recipe::refusal(kind, classes, false).empty()) names.push_back(kind.name);
  }
  return names;
}

}  // namespace

std::vector<Walk> optimizer_walks() {
  std::vector<Walk> walks;
  for (const char* optimizer : kOptimizerTable) {
    for (const char* schedule : kScheduleTable) {
      Walk walk{std::string(optimizer) + schedule, "row", small_trial()};
      walk.trial["optimizer"] = parse_json(optimizer, "optimizer");
      walk.trial["schedule"] = parse_json(schedule, "schedule");
      if (walk.trial["optimizer"]["op"] == "muon") walk.trial["model"]["nodes"] = nodes_with_hidden();
      walks.push_back(std::move(walk));
    }
  }
  return walks;
}

std::vector<Walk> output_walks() {
  Walk walk{"outputs", "both", small_trial()};
  walk.trial["model"] = parse_json(R"({"nodes": [
      {"name": "fc", "op": "linear", "out": 6}, {"name": "bn", "op": "batchnorm"}, {"name": "act", "op": "relu"},
      {"name": "side", "op": "linear", "out": "classes"}, {"name": "drop", "op": "dropout", "p": 0.3, "from": "act"},
      {"name": "head", "op": "linear", "out": "classes"}, {"name": "more", "op": "linear", "out": 5, "from": "drop"},
      {"name": "sizes", "op": "linear", "out": "targets"}],
      "outputs": {"kind": "head", "size": "sizes", "early": {"from": "side", "target": "kind", "auxiliary": true}}})",
                                   "model");
  walk.trial["loss"] = parse_json(R"({"kind": {"op": "cross_entropy", "class_weights": "balanced"},
      "size": {"op": "huber", "weight": 0.5}, "early": {"op": "cross_entropy", "weight": 0.3}})",
                                  "loss");
  walk.trial["metrics"] = {{"kind", metrics_for(3)}, {"size", metrics_for(0)}};
  std::vector<Walk> walks{walk, walk, walk};
  walks[1].name += " accumulated and averaged";
  walks[1].trial.update({{"accumulate", 3}, {"ema", {{"decay", 0.9}}}, {"clip_norm", 0.5}});
  walks[2].name += " in an equal mean, a class as often as another";
  walks[2].trial["swa"] = {{"start", 0.3}};
  walks[2].batches = {{"sampler", "oversample"}};
  return walks;
}

std::vector<Walk> layer_walks() {
  std::vector<Walk> walks;
  for (const Layers& layers : kLayerTable) {
    Walk walk{layers.nodes, layers.input, small_trial()};
    walk.trial["model"] = model_of(layers);
    walks.push_back(walk);
    walk.name += " accumulated and averaged";
    walk.trial["accumulate"] = 3;
    walk.trial["ema"] = {{"decay", 0.9}};
    walk.trial["clip_norm"] = 0.5;
    walks.push_back(std::move(walk));
  }
  return walks;
}

std::vector<Walk> data_walks() {
  std::vector<Walk> walks;
  for (const char* step :
       {R"({"op": "flip"})", R"({"op": "crop", "pad": 2})", R"({"op": "shift", "most": 0.3})", R"({"op": "rotate"})",
        R"({"op": "cutout", "size": 3})", R"({"op": "colour", "brightness": 0.4, "contrast": 0.4, "hue": 0.2})",
        R"({"op": "grayscale", "p": 0.5})", R"({"op": "noise"})", R"({"op": "normalise", "mean": [0.5], "std": [0.3]})",
        R"({"op": "mixup", "p": 0.7})", R"({"op": "cutmix", "p": 0.7})"}) {
    walks.push_back(augmented(parse_json(step, "step")));
    walks.push_back(augmented(parse_json(step, "step"), "balanced"));
    walks.back().name += " balanced";
  }
  for (const char* sampler : {R"("shuffle")", R"("sequential")", R"({"op": "weighted", "weights": [1, 2, 3]})",
                              R"({"op": "balanced", "draws": 13})", R"("oversample")"}) {
    walks.push_back(with_batches(sampler, {{"sampler", parse_json(sampler, "sampler")}, {"drop_last", true}}));
    walks.back().input = "row";
  }
  walks.push_back(augmented(parse_json(R"({"op": "noise"})", "step")));
  walks.back().name = "prepared ahead";
  walks.back().batches["prefetch"] = 2;
  return walks;
}

std::vector<Walk> loss_walks() {
  std::vector<Walk> walks;
  for (const recipe::LossKind& kind : recipe::loss_kinds()) {
    const bool classifies = recipe::fits(kind, true);
    Walk walk{kind.name, classifies ? "row" : "numbers", small_trial()};
    walk.trial["loss"] = kind.name;
    if (kind.outputs_per_target > 1) walk.trial["model"]["nodes"].back()["out"] = 2 * kind.outputs_per_target;
    walk.trial["metrics"] = metrics_for(classifies ? 3 : 0);
    walks.push_back(std::move(walk));
  }
  for (const auto& [input, classes] : {std::pair("pair", 2), {"dozen", 12}}) {
    walks.push_back({std::string("classes: ") + input, input, small_trial()});
    walks.back().trial["metrics"] = metrics_for(classes);
  }
  return walks;
}

}  // namespace dlrun::train
