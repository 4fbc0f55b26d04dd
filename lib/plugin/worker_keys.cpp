// SPDX-License-Identifier: Apache-2.0
#include "plugin/worker_keys.hpp"

namespace dlrun::plugin {

using options::boolean;
using options::choice;
using options::list;
using options::plain;
using options::real;
using options::Table;
using options::text;

namespace {

options::Key shape(const char* name, const char* about) {
  return list(name, about, plain("", "a size: a number, or arithmetic with names"));
}

Table tensor_keys() {
  return {
      text("name", "as in a state_dict: in_proj.weight").must(),
      shape("shape", "its sizes").must(),
      choice("init",
             "its first numbers: zeros, ones, uniform (in -bound to bound), normal (with std), fan_in (uniform, "
             "bound 1 / sqrt(n) for n numbers behind each of the first size), xavier, plugin (its own initialise())",
             {"zeros", "ones", "uniform", "normal", "fan_in", "xavier", "plugin"})
          .must(),
      plain("bound", "of uniform: a number, or arithmetic").or_else("only with init: uniform"),
      plain("std", "of normal: a number, or arithmetic").or_else("only with init: normal"),
      plain("when", "the layer has the tensor if this is not 0: a name, or arithmetic").with(1),
      boolean("trainable", "false: a buffer, which training does not change").with(true)};
}

Table requirement_keys() {
  return {text("that", "a comparison: D % heads == 0").must(),
          text("message", "said where it does not hold; {name} is the value of a name").must(),
          text("hint", "a way out").with(""),
          text("at", "key of the section at which the message is said").or_else("at the layer")};
}

}  // namespace

Table layer_keys() {
  return {
      list("inputs",
           "for each input its sizes, without the batch: names, or numbers that must be met; '...' first "
           "stands for any sizes",
           shape("", "sizes of an input"))
          .must(),
      shape("output", "sizes of the output; '...' first: those of the first input").must(),
      options::map_of("let", "numbers with names", plain("", "a number, or arithmetic with names"))
          .with(Json::object()),
      list("tensors", "what it learns, and buffers", options::table("", "a tensor", tensor_keys())).with(Json::array()),
      list("require", "what must hold", options::table("", "a requirement", requirement_keys())).with(Json::array()),
      plain("operations", "multiply-adds of one example's forward pass: a number, or arithmetic").with(0),
      boolean("indices", "takes inputs of indices, too").with(false),
      boolean("random", "draws random numbers in training").with(false)};
}

Table loss_keys() {
  return {
      choice("fits", "targets that it takes: classes (labels, an output for each class) or numbers",
             {"classes", "numbers"})
          .must(),
      options::integer("outputs_per_target", "numbers: outputs of the model for each target").from(1).to(16).with(1)};
}

Table metric_keys() {
  return {choice("direction", "which way is better", {"maximize", "minimize"}).must(),
          choice("fits",
                 "targets that it takes: classes (also one label a position), two_classes, labels (one an example), "
                 "numbers",
                 {"classes", "two_classes", "labels", "numbers"})
              .must(),
          boolean("mean", "the value of a split is the mean of the values of its labels or examples").with(false)};
}

Table optimizer_keys() {
  return {list("state", "names of the buffers that it keeps, each of as many numbers as weights",
               text("", "small letters, digits, '_'"))
              .with(Json::array()),
          real("lr", "learning rate of a section that has none").above(0).must(),
          real("weight_decay", "of a section that has none").from(0).with(0.0)};
}

}  // namespace dlrun::plugin
