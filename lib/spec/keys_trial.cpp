// SPDX-License-Identifier: Apache-2.0
// The keys of a trial, by kind; what a worker reads (README.md has the table).
#include "spec/keys.hpp"

namespace dlrun::spec {

namespace {

constexpr double kMostEpochs = 1e6;

Key epochs(int count) { return integer("epochs", "the most epochs a trial gets").from(1).to(kMostEpochs).with(count); }

Key loss_key() {
  return variant("loss", "what training minimises",
                 {{"cross_entropy",
                   "classes, from unnormalised outputs",
                   {real("label_smoothing", "share of the target spread over all classes")
                        .from(0)
                        .to(1)
                        .with(0.0)
                        .search()}},
                  {"binary_cross_entropy", "numbers from 0 to 1, from unnormalised outputs", {}},
                  {"mse", "mean squared error", {}},
                  {"mae", "mean absolute error", {}},
                  {"huber",
                   "squared near 0, absolute beyond delta",
                   {real("delta", "where squared ends").above(0).with(1.0).search()}}})
      .or_else("cross_entropy for classes, mse for numbers");
}

Key lr(double fallback) { return real("lr", "learning rate").above(0).with(fallback).search(); }
Key weight_decay(double fallback) {
  return real("weight_decay", "pulls weights towards 0").from(0).with(fallback).search();
}

Table adam(double decay) {
  return {
      lr(0.001),
      list("betas", "decay of the two running means", real("", "a decay below 1").from(0).below(1)).with({0.9, 0.999}),
      real("eps", "added to the denominator").above(0).with(1e-8).search(), weight_decay(decay)};
}

Key optimizer_key() {
  return variant("optimizer", "how weights follow gradients",
                 {{"sgd",
                   "stochastic gradient descent",
                   {lr(0.05), real("momentum", "share of the last step kept").from(0).to(1).with(0.0).search(),
                    boolean("nesterov", "look ahead along the momentum").with(false).search(), weight_decay(0.0)}},
                  {"adam", "Adam (Kingma, Ba 2015)", adam(0.0)},
                  {"adamw", "Adam with decoupled weight decay (Loshchilov, Hutter 2019)", adam(0.01)}})
      .with("sgd");
}

Table schedule(Table own) {
  own.push_back(
      real("warmup", "epochs of linear rise to the learning rate").from(0).to(kMostEpochs).with(0.0).search());
  return own;
}

Key schedule_key() {
  return variant("schedule", "how the learning rate changes",
                 {{"constant", "it does not", schedule({})},
                  {"step", "times gamma every few epochs",
                   schedule({integer("every", "epochs between steps").from(1).to(kMostEpochs).with(10).search(),
                             real("gamma", "factor at a step").above(0).to(1).with(0.1).search()})},
                  {"cosine", "half a cosine down to min_lr at the last epoch",
                   schedule({real("min_lr", "learning rate at the end").from(0).with(0.0).search()})}})
      .with("constant");
}

Table train_keys() {
  return {data_key(),
          any("model", "the network: {nodes: [{name, op, …}, …]}").must(),
          loss_key(),
          optimizer_key(),
          schedule_key(),
          real("clip_norm", "gradients are scaled to at most this norm").above(0).or_else("no clipping").search(),
          epochs(10),
          integer("batch_size", "examples in a step").from(1).to(1 << 20).with(32).search(),
          list("metrics", "what is measured beside the loss",
               choice("", "a metric", {"accuracy", "mae", "mse", "rmse", "r2"}))
              .or_else("[accuracy] for classes, [mae] for numbers")};
}

Key function_key() {
  std::vector<Variant> variants;
  for (const Function& function : functions()) {
    variants.push_back(
        {function.name,
         "a standard test function",
         {real("curve", "the value starts this much too high and falls with the epochs").from(0).with(0.0).search(),
          real("noise", "standard deviation of normal noise").from(0).with(0.0).search(),
          duration("sleep", "seconds an epoch takes").from(0).to(3600).with(0.0),
          choice("fault", "what goes wrong, for tests",
                 {"none", "exception", "oom", "nan", "inf", "crash", "abort", "kill", "exit", "hang", "freeze"})
              .with("none")
              .search(),
          integer("fault_step", "the epoch it happens in").from(1).with(1).search(),
          integer("fault_attempts", "only in the first so many attempts, 0: in all").from(0).with(0).search()}});
  }
  return variant("function",
                 "the function whose `value` is the metric; its coordinates are the parameters without a place",
                 std::move(variants))
      .must();
}

Table command_keys() {
  return {list("command", "program and arguments; {name} is a parameter's value, ${args} all of them as --name=value",
               text("", "an argument"))
              .must(),
          map_of("env", "added to the program's environment", text("", "a value").search()).with(Json::object()),
          map_of("metrics_regex", "metric: regular expression with one group, searched in what the program prints",
                 text("", "a regular expression"))
              .with(Json::object()),
          boolean("shell", "hand the one element of command to /bin/sh -c").with(false),
          duration("grace", "time between asking the program to end and ending it").from(0).to(3600).with(5.0),
          text("folder", "working directory").or_else("the study file's folder"),
          epochs(1)};
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = {{"ackley", 0},     {"branin", 2},    {"hartmann6", 6},
                                            {"levy", 0},       {"quadratic", 0}, {"rastrigin", 0},
                                            {"rosenbrock", 0}, {"sphere", 0},    {"styblinski_tang", 0}};
  return all;
}

const Key& trial_key() {
  static const Key key = variant("trial", "what is tried",
                                 {{"train", "a network, trained by dlrun", train_keys()},
                                  {"function", "a test function, for trying out a search", {function_key(), epochs(1)}},
                                  {"command", "any program", command_keys()}})
                             .tagged("kind")
                             .with("train")
                             .must();
  return key;
}

const Key& data_key() {
  static const Key key = any("data", "the data set").must();
  return key;
}

}  // namespace dlrun::spec
