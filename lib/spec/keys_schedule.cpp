// SPDX-License-Identifier: Apache-2.0
// `schedule:`, the learning rate over a trial; names and defaults as torch.optim.lr_scheduler's where it has the kind.
#include "spec/keys_train.hpp"

namespace dlrun::spec {

namespace {

Key min_lr() { return real("min_lr", "the least learning rate").from(0).with(0.0).search(); }
Key gamma(double fallback) { return real("gamma", "factor at a drop").above(0).to(1).with(fallback).search(); }
Key epochs_of(const char* name, const char* text) { return integer(name, text).from(1).to(kMostEpochs); }

/// Curves that are functions of the step, and so may be parts of a sequence.
std::vector<Variant> curves() {
  return {{"constant", "the learning rate stays", {}},
          {"step",
           "times gamma every few epochs",
           {epochs_of("every", "epochs between drops").with(10).search(), gamma(0.1)}},
          {"multi_step",
           "times gamma at some epochs",
           {list("milestones", "epochs done at the drops", epochs_of("", "epochs")).one().must(), gamma(0.1)}},
          {"exponential", "times gamma each epoch", {gamma(0.95)}},
          {"linear",
           "from one factor to another",
           {real("start", "factor at the beginning").from(0).with(1.0).search(),
            real("end", "factor at the end").from(0).with(0.0).search()}},
          {"polynomial",
           "(1 - t / T)^power down to min_lr",
           {real("power", "1: linear").above(0).with(1.0).search(), min_lr()}},
          {"cosine", "half a cosine down to min_lr at the last epoch", {min_lr()}},
          {"cosine_restarts",
           "cosines one after the other (Loshchilov, Hutter 2017)",
           {epochs_of("period", "epochs of the first").with(10).search(),
            integer("mult", "growth of the next").from(1).to(1000).with(1).search(), min_lr()}}};
}

Variant one_cycle() {
  return {"one_cycle",
          "from lr / div_factor up to lr and far down (Smith, Topin 2018)",
          {real("pct_start", "share of the steps that rise").above(0).below(1).with(0.3).search(),
           real("div_factor", "lr / div_factor begins").above(0).with(25.0).search(),
           real("final_div_factor", "the beginning / final_div_factor ends").above(0).with(1e4).search(),
           choice("anneal", "shape of the slopes", {"cos", "linear"}).with("cos").search(),
           boolean("cycle_momentum", "momentum (adam: the first beta) falls and rises against the rate")
               .with(false)
               .search(),
           real("base_momentum", "the least").from(0).below(1).with(0.85).search(),
           real("max_momentum", "the most").from(0).below(1).with(0.95).search()}};
}

Variant plateau() {
  return {"plateau",
          "falls when a metric gets no better",
          {text("metric", "what is watched").or_else("val.loss, or train.loss without a validation split"),
           real("factor", "of a reduction").from(0).below(1).with(0.1).search(),
           integer("patience", "epochs without progress that are forgiven").from(0).to(kMostEpochs).with(10).search(),
           integer("cooldown", "epochs after a reduction that do not count").from(0).to(kMostEpochs).with(0).search(),
           real("threshold", "what counts as progress").from(0).with(1e-4).search(),
           choice("threshold_mode", "relative to the best value, or absolute", {"rel", "abs"}).with("rel").search(),
           min_lr()}};
}

Variant sequence() {
  std::vector<Variant> parts = curves();
  parts.push_back(one_cycle());
  for (Variant& part : parts) {
    part.table.push_back(epochs_of("epochs", "its length").or_else("the rest, for the last"));
  }
  return {"sequence",
          "one schedule after the other; a list is short for it",
          {list("parts", "schedules in order", variant("", "a schedule", std::move(parts))).must()}};
}

Variant warming(Variant kind) {
  kind.table.push_back(real("warmup", "epochs before the rate is whole").from(0).to(kMostEpochs).with(0.0).search());
  kind.table.push_back(choice("warmup_shape", "how it rises: linear, exponential, or in one step after it",
                              {"linear", "exponential", "constant"})
                           .with("linear")
                           .search());
  kind.table.push_back(real("warmup_from", "factor of the rate at its beginning").from(0).to(1).with(0.0).search());
  return kind;
}

}  // namespace

Key schedule_key() {
  std::vector<Variant> kinds;
  for (Variant& curve : curves()) kinds.push_back(warming(std::move(curve)));
  kinds.push_back(one_cycle());
  kinds.push_back(warming(plateau()));
  kinds.push_back(warming(sequence()));
  Key key = variant("schedule", "how the learning rate changes", std::move(kinds)).with("constant");
  key.list_kind = "sequence";
  return key;
}

}  // namespace dlrun::spec
