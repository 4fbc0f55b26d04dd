// SPDX-License-Identifier: Apache-2.0
// The keys of a trial, by kind; what a worker reads (README.md has the table).
#include <fmt/format.h>

#include "recipe/lr_scaling.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/parallel.hpp"
#include "recipe/placement.hpp"
#include "spec/keys_train.hpp"
#include "trial/artifacts.hpp"
#include "trial/test_functions.hpp"

namespace dlrun::spec {

namespace {

Key epochs(int count) { return Key(training_key("epochs")).with(count); }

/// Members of a trial.
Key replicates() {
  return integer("replicates", "how often each trial runs, with another seed each; the mean counts")
      .from(1)
      .to(kMostMembers)
      .with(1);
}

Key first_replicate() {
  return integer("first_replicate", "number of the first of them, which keys the random streams")
      .from(1)
      .to(1e9)
      .with(1)
      .search();
}

Key folds() {
  return integer("folds", "cross-validation: each trial runs on so many splits of the data; the mean counts")
      .from(2)
      .to(kMostMembers)
      .or_else("one split");
}

Table train_keys() {
  return {data_key(),
          any("model", "the network: {nodes: [{name, op, …}, …]}").must(),
          any("init", "weights to begin with: {from: FILE.safetensors, strict: true}").or_else("drawn by each layer"),
          warm_start_key(),
          loss_key(),
          optimizer_key(),
          schedule_key(),
          training_key("clip_norm"),
          training_key("clip_value"),
          training_key("epochs"),
          training_key("horizon"),
          replicates(),
          first_replicate(),
          folds(),
          training_key("batch_size"),
          training_key("precision"),
          boolean("deterministic", "on a GPU, only algorithms that give the same bits every time").with(true),
          training_key("accumulate"),
          recipe::lr_scaling_key(),
          training_key("ema"),
          recipe::swa_key(),
          training_key("stop"),
          recipe::parallel_key(),
          recipe::cluster_key(),
          recipe::placement_key(),
          recipe::metrics_key(),
          training_key("log")};
}

/// Keys that every test function has.
Table any_function_keys() {
  return {
      real("curve", "the value starts this much too high and falls with the epochs").from(0).with(0.0).search(),
      real("noise", "standard deviation of normal noise").from(0).with(0.0).search(),
      duration("sleep", "seconds an epoch takes").from(0).to(3600).with(0.0),
      choice("fault", "what goes wrong, for tests",
             {"none", "exception", "oom", "nan", "inf", "crash", "abort", "kill", "exit", "hang", "freeze", "hoard"})
          .with("none")
          .search(),
      integer("fault_step", "the epoch it happens in").from(1).with(1).search(),
      integer("fault_attempts", "only in the first so many attempts, 0: in all").from(0).with(0).search()};
}

Table bbob_keys() {
  return {integer("id", "number of the function, from 1 (sphere) to 24 (Lunacek bi-Rastrigin)").from(1).to(24).must(),
          integer("instance", "which of its optima, rotations and offsets").from(1).to(100000).with(1)};
}

Key function_key() {
  std::vector<Variant> variants;
  for (const trial::TestFunction& function : trial::kTestFunctions) {
    const bool is_bbob = function.name == std::string("bbob");
    variants.push_back({function.name,
                        is_bbob ? "one of BBOB's noiseless functions, over [-5, 5]" : "a standard test function",
                        options::joined<Key>({is_bbob ? bbob_keys() : Table(), any_function_keys()})});
  }
  return variant("function",
                 "the function whose `value` is the metric; its coordinates are the parameters without a place",
                 std::move(variants))
      .must();
}

/// Keys of programs and functions of the user's.
Table own_code_keys() {
  return {map_of("env", "added to the program's environment", text("", "a value").search()).with(Json::object()),
          map_of("params", "parameters of one value, given to the program as those of the space are",
                 any("", "a text, a number, true or false; null: it is not given"))
              .or_else("none"),
          duration("grace", "time between asking the program to end and ending it").from(0).to(3600).with(5.0),
          table("artifacts", "what is kept of the program",
                {integer("max_mb", "the largest checkpoint, in MB; a larger one fails the trial")
                     .from(1)
                     .to(1'000'000'000)
                     .or_else(fmt::format("{}", trial::kLargestCheckpointMb))}),
          text("folder", "working directory").or_else("the study file's folder"),
          program_start_key(),
          epochs(1),
          replicates(),
          first_replicate(),
          folds()};
}

Table with_own_code_keys(Table keys) {
  for (Key& key : own_code_keys()) keys.push_back(std::move(key));
  return keys;
}

Table python_keys() {
  return with_own_code_keys(
      {text("function", "FILE.py:NAME, which gets the trial as its argument; docs/python.md has what that can do")
           .must(),
       text("python", "the interpreter; a path counts from `folder`").with("python3"),
       choice("isolate", "fork: each trial has a process of its own below the interpreter; none: they share it",
              {"fork", "none"})
           .or_else("fork; on a GPU none")});
}

Table command_keys() {
  return with_own_code_keys(
      {list("command", "program and arguments; {name} is a parameter's value, ${args} all of them as --name=value",
            text("", "an argument"))
           .must(),
       map_of("metrics_regex", "metric: regular expression with one group, searched in what the program prints",
              text("", "a regular expression"))
           .with(Json::object()),
       boolean("shell", "hand the one element of command to /bin/sh -c").with(false)});
}

}  // namespace

namespace {

/// `loss` and `metrics` by the names of outputs.
Key by_output(Key trial) {
  for (Variant& kind : trial.variants) {
    for (Key& key : kind.table) {
      if (key.name == "loss") key = losses_key();
      if (key.name == "metrics") key = recipe::metrics_of_outputs_key();
    }
  }
  return trial;
}

}  // namespace

const Key& trial_key(bool has_outputs) {
  static const Key key = variant("trial", "what is tried",
                                 {{"train", "a network, trained by dlrun", train_keys()},
                                  {"function",
                                   "a test function, for trying out a search",
                                   {function_key(), epochs(1), replicates(), first_replicate(), folds()}},
                                  {"command", "any program", command_keys()},
                                  {"python", "a function of Python, in interpreters that import once", python_keys()},
                                  {"asked",
                                   "whatever people or scripts do with values that they ask for: dlrun ask, dlrun tell",
                                   {epochs(1), replicates(), first_replicate(), folds()}}})
                             .tagged("kind")
                             .with("train")
                             .must();
  static const Key with_outputs = by_output(key);
  return has_outputs ? with_outputs : key;
}

const Key& data_key() {
  static const Key key = any("data", "the data set").must();
  return key;
}

}  // namespace dlrun::spec
