// SPDX-License-Identifier: Apache-2.0
// Kinds of `schedule:`; names and defaults are torch.optim.lr_scheduler's if it has the kind.
#include "recipe/schedule_config.hpp"

#include "options/kind.hpp"
#include "recipe/metric_kinds.hpp"
#include "util/error.hpp"

namespace dlrun::recipe {

namespace {

using options::boolean;
using options::choice;
using options::field;
using options::integer;
using options::list;
using options::real;
using options::text;
using Curve = options::Kind<ScheduleConfig>;
using Curves = options::Kinds<ScheduleConfig>;
using CurveFields = options::Fields<ScheduleConfig>;

options::Key min_lr_key() { return real("min_lr", "the least learning rate").from(0).search(); }
options::Key gamma_key() { return real("gamma", "factor at a drop").above(0).to(1).search(); }
options::Key epochs_key(const char* name, const char* text) { return integer(name, text).from(1).to(kMostEpochs); }

Curve curve(const char* op, const char* text, CurveFields fields) {
  return {op, text, std::move(fields), [op](ScheduleConfig& out) { out.op = op; }};
}

Curves drops() {
  return {curve("step", "times gamma every few epochs",
                {field(epochs_key("every", "epochs between drops").search(), &ScheduleConfig::every),
                 field(gamma_key(), &ScheduleConfig::gamma)}),
          curve("multi_step", "times gamma at some epochs",
                {field(list("milestones", "epochs done at the drops", epochs_key("", "epochs")).one().must(),
                       &ScheduleConfig::milestones),
                 field(gamma_key(), &ScheduleConfig::gamma)}),
          curve("exponential", "times gamma each epoch", {field(gamma_key().with(0.95), &ScheduleConfig::gamma)})};
}

Curves slopes() {
  return {
      curve("linear", "from one factor to another",
            {field(real("start", "factor at the beginning").from(0).search(), &ScheduleConfig::start),
             field(real("end", "factor at the end").from(0).search(), &ScheduleConfig::end)}),
      curve("polynomial", "(1 - t / T)^power down to min_lr",
            {field(real("power", "1: linear").above(0).search(), &ScheduleConfig::power),
             field(min_lr_key(), &ScheduleConfig::min_lr)}),
      curve("cosine", "half a cosine down to min_lr at the last epoch", {field(min_lr_key(), &ScheduleConfig::min_lr)}),
      curve("cosine_restarts", "cosines one after the other (Loshchilov, Hutter 2017)",
            {field(epochs_key("period", "epochs of the first").search(), &ScheduleConfig::period),
             field(integer("mult", "growth of the next").from(1).to(1000).search(), &ScheduleConfig::mult),
             field(min_lr_key(), &ScheduleConfig::min_lr)})};
}

Curve one_cycle() {
  return curve(
      "one_cycle", "from lr / div_factor up to lr and far down (Smith, Topin 2018)",
      {field(real("pct_start", "share of the steps that rise").above(0).below(1).search(), &ScheduleConfig::pct_start),
       field(real("div_factor", "lr / div_factor begins").above(0).search(), &ScheduleConfig::div_factor),
       field(real("final_div_factor", "the beginning / final_div_factor ends").above(0).search(),
             &ScheduleConfig::final_div_factor),
       field(choice("anneal", "shape of the slopes", {"cos", "linear"}).search(), &ScheduleConfig::anneal),
       field(boolean("cycle_momentum", "momentum (adam: the first beta) falls and rises against the rate").search(),
             &ScheduleConfig::cycle_momentum),
       field(real("base_momentum", "the least").from(0).below(1).search(), &ScheduleConfig::base_momentum),
       field(real("max_momentum", "the most").from(0).below(1).search(), &ScheduleConfig::max_momentum)});
}

Curve plateau() {
  return curve(
      "plateau", "falls when a metric gets no better",
      {field(text("metric", "what is watched").or_else("val.loss, or train.loss without a validation split"),
             &ScheduleConfig::metric),
       field(real("factor", "of a reduction").from(0).below(1).search(), &ScheduleConfig::factor),
       field(integer("patience", "epochs without progress that are forgiven").from(0).to(kMostEpochs).search(),
             &ScheduleConfig::patience),
       field(integer("cooldown", "epochs after a reduction that do not count").from(0).to(kMostEpochs).search(),
             &ScheduleConfig::cooldown),
       field(real("threshold", "what counts as progress").from(0).search(), &ScheduleConfig::threshold),
       field(choice("threshold_mode", "relative to the best value, or absolute", {"rel", "abs"}).search(),
             &ScheduleConfig::threshold_mode),
       field(min_lr_key(), &ScheduleConfig::min_lr)});
}

/// Curves that are functions of the step, and so may be parts of a sequence.
Curves curves() {
  Curves all = {curve("constant", "the learning rate stays", {})};
  for (Curves more : {drops(), slopes()}) all.insert(all.end(), more.begin(), more.end());
  return all;
}

Curve sequence() {
  Curves parts = curves();
  parts.push_back(one_cycle());
  for (Curve& part : parts) {
    part.fields.push_back(
        field(epochs_key("epochs", "its length").or_else("the rest, for the last"), &ScheduleConfig::epochs));
  }
  return curve("sequence", "one schedule after the other; a list is short for it",
               {options::parts(list("parts", "schedules in order", options::kind_key("", "a schedule", parts)).must(),
                               &ScheduleConfig::parts, parts, "constant")});
}

Curve warming(Curve kind) {
  kind.fields.push_back(field(real("warmup", "epochs before the rate is whole").from(0).to(kMostEpochs).search(),
                              &ScheduleConfig::warmup));
  kind.fields.push_back(field(choice("warmup_shape", "how it rises: linear, exponential, or in one step after it",
                                     {"linear", "exponential", "constant"})
                                  .search(),
                              &ScheduleConfig::warmup_shape));
  kind.fields.push_back(field(real("warmup_from", "factor of the rate at its beginning").from(0).to(1).search(),
                              &ScheduleConfig::warmup_from));
  return kind;
}

const Curves& schedule_kinds() {
  static const Curves kinds = [] {
    Curves all;
    for (const Curve& one : curves()) all.push_back(warming(one));
    all.push_back(one_cycle());
    all.push_back(warming(plateau()));
    all.push_back(warming(sequence()));
    return all;
  }();
  return kinds;
}

/// Settings without effect get their defaults, so that equal trainings have equal fingerprints.
void settle_warmup(ScheduleConfig& config, const Json& section) {
  if (config.warmup == 0) {
    config.warmup_shape = ScheduleConfig().warmup_shape;
    config.warmup_from = ScheduleConfig().warmup_from;
  } else if (config.warmup_shape != "linear" && config.warmup_from == 0) {
    options::refuse("schedule.warmup_from", section.value("warmup_from", Json()),
                    "above 0 where warmup_shape is " + config.warmup_shape);
  }
}

void check_parts(const ScheduleConfig& config) {
  if (config.op == "sequence" && config.parts.empty()) {
    options::refuse("schedule.parts", Json::array(), "a list of schedules");
  }
  for (std::size_t i = 0; i + 1 < config.parts.size(); ++i) {
    if (config.parts[i].epochs > 0) continue;
    throw Error(ErrorKind::usage,
                "schedule.parts." + std::to_string(i) + " needs its epochs; only the last may go without");
  }
}

}  // namespace

options::Key schedule_key() {
  options::Key key =
      options::kind_key("schedule", "how the learning rate changes", schedule_kinds()).with(ScheduleConfig().op);
  key.list_kind = "sequence";
  return key;
}

ScheduleConfig read_schedule(const Json& trial, bool has_val) {
  const Json section = options::as_map(trial.value("schedule", Json()), "schedule", "sequence");
  ScheduleConfig config = read_kind(section, schedule_kinds(), "schedule", ScheduleConfig().op);
  if (config.op == "plateau" && config.metric.empty()) config.metric = has_val ? "val.loss" : "train.loss";
  if (config.op == "plateau") config.maximize = is_maximized(config.metric);
  settle_warmup(config, section);
  check_parts(config);
  return config;
}

Json to_json(const ScheduleConfig& s) {
  Json parts = Json::array();
  for (const ScheduleConfig& part : s.parts) parts.push_back(to_json(part));
  return {
      {"op", s.op},
      {"drops", {s.every, s.milestones, s.gamma}},
      {"curve", {s.min_lr, s.power, s.start, s.end, s.period, s.mult}},
      {"one_cycle",
       {s.pct_start, s.div_factor, s.final_div_factor, s.anneal, s.cycle_momentum, s.base_momentum, s.max_momentum}},
      {"plateau", {s.metric, s.maximize, s.factor, s.patience, s.cooldown, s.threshold, s.threshold_mode}},
      {"parts", parts},
      {"epochs", s.epochs},
      {"warmup", {s.warmup, s.warmup_shape, s.warmup_from}}};
}

}  // namespace dlrun::recipe
