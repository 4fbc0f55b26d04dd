// SPDX-License-Identifier: Apache-2.0
#include "unit/train/walk_variations.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "unit/train/walk_cases.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::train {

namespace {

using spec::Form;
using spec::Key;

const Key& train_key(const std::string& name) {
  static const Key& trial = spec::trial_key();
  return *spec::find(spec::find(trial.variants, "train")->table, name);
}

/// What no table knows a value of.
Json text_for(const std::string& name) {
  static const Json kTexts = {{"metric", "train.loss"},  {"match", {"fc"}},     {"class_weights", "balanced"},
                              {"include", {"fc", "bn"}}, {"exclude", {"head"}}, {"map", {{"head\\.(.*)", "head.$1"}}}};
  return kTexts.value(name, Json());
}

Json other_number(const Key& key, const Json& now) {
  const double from = std::isfinite(key.low) ? key.low : -1, to = std::isfinite(key.high) ? key.high : from + 2;
  const double middle = std::min((from + to) / 2, from + 0.5);
  if (key.form != Form::integer) return now.is_number() && now != 0 ? Json(0.9 * now.get<double>()) : Json(middle);
  const std::int64_t next = now.is_number() ? now.get<std::int64_t>() + 1 : std::int64_t(from) + 1;
  return next > key.high ? next - 2 : next;
}

std::vector<Json> other_words(const std::vector<std::string>& choices, const Json& now) {
  std::vector<Json> all;
  std::copy_if(choices.begin(), choices.end(), std::back_inserter(all),
               [&](const std::string& word) { return now != word; });
  return all;
}

std::vector<Json> other_values(const Key& key, const Json& now) {
  const Json text = text_for(key.name);
  if (!text.is_null()) return {text};
  if (key.name == "donors") return {};  // stand in the base
  switch (key.form) {
    case Form::boolean: return {now != true};
    case Form::integer:
    case Form::real: return {other_number(key, now)};
    case Form::table: return variations(key, now.is_object() ? now : Json::object());
    case Form::choice: return other_words(key.choices, now);
    case Form::list: {
      std::vector<Json> all;
      if (now.is_array() && !now.empty() && now[0].is_number()) {
        all = {now};
        for (Json& one : all[0]) one = other_number(*key.element, one);
        return all;
      }
      const Json first = key.element->form == Form::table ? Json{{"match", text_for("match")}} : Json();
      for (const Json& one : other_values(*key.element, first)) all.push_back(Json::array({one}));
      return all;
    }
    default: return {};
  }
}

Walk walk_of(const std::string& section, const Json& value, const char* input = "row") {
  Walk walk{section + ": " + to_text(value), input, small_trial()};
  walk.trial[section] = value;
  return walk;
}

/// The first of a table's rows with each op.
std::vector<Json> one_for_each_op(const std::vector<Walk>& walks, const char* section) {
  std::vector<Json> rows;
  std::set<std::string> seen;
  for (const Walk& walk : walks) {
    const Json& row = walk.trial.at(section);
    if (seen.insert(row.at("op").get<std::string>()).second) rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<Json> variations(const Key& key, const Json& base) {
  const bool is_variant = key.form == Form::variant;
  const spec::Table& table =
      is_variant ? spec::find(key.variants, base.at(key.tag).get<std::string>())->table : key.table;
  std::vector<Json> all;
  for (const Key& one : table) {
    for (const Json& value : other_values(one, base.value(one.name, one.fallback))) {
      all.push_back(base);
      all.back()[one.name] = value;
    }
  }
  return all;
}

std::vector<Walk> option_walks() {
  static const std::set<std::string> kNot = {"data",         "model",           "init",    "warm_start", "loss",
                                             "optimizer",    "schedule",        "metrics",  // tables of their own
                                             "replicates",   "first_replicate", "folds",    // which members there are
                                             "deterministic"};                              // of GPUs
  const Json bases = {{"ema", {{"decay", 0.9}}}, {"swa", {{"start", 0.0}, {"lr", 0.01}}}, {"stop", {{"patience", 1}}}};
  std::vector<Walk> walks;
  for (const Key& key : spec::find(spec::trial_key().variants, "train")->table) {
    if (kNot.contains(key.name)) continue;
    for (const Json& value : other_values(key, bases.value(key.name, small_trial().value(key.name, key.fallback)))) {
      walks.push_back(walk_of(key.name, value));
      walks.back().trial["schedule"] = {{"op", "cosine"}};
    }
  }
  return walks;
}

std::vector<Walk> optimizer_options() {
  std::vector<Walk> walks;
  for (Json row : one_for_each_op(optimizer_walks(), "optimizer")) {
    if (row["op"] == "sgd") row["momentum"] = 0.9;
    for (const Json& value : variations(train_key("optimizer"), row)) walks.push_back(walk_of("optimizer", value));
  }
  return walks;
}

/// Also every curve as the middle part of a sequence.
std::vector<Walk> schedule_options() {
  const Key& key = train_key("schedule");
  std::vector<Walk> walks;
  for (Json row : one_for_each_op(optimizer_walks(), "schedule")) {
    if (row["op"] == "one_cycle") row["cycle_momentum"] = true;
    if (row["op"] != "one_cycle") row.update({{"warmup", 1.5}, {"warmup_from", 0.1}});
    for (const Json& value : variations(key, row)) walks.push_back(walk_of("schedule", value));
  }
  const Key& part = *spec::find(spec::find(key.variants, "sequence")->table, "parts")->element;
  for (const spec::Variant& kind : part.variants) {
    Json row = {{"op", kind.name}, {"epochs", 1}};
    if (kind.name == "multi_step") row["milestones"] = {1};
    const Json parts = {{{"op", "linear"}, {"start", 0.5}, {"end", 1}, {"epochs", 1}}, row, {{"op", "constant"}}};
    walks.push_back(walk_of("schedule", {{"op", "sequence"}, {"parts", parts}}));
  }
  return walks;
}

/// Also every loss as a part of a sum.
std::vector<Walk> loss_options() {
  std::vector<Walk> walks;
  for (const Walk& plain : loss_walks()) {
    if (!plain.trial.contains("loss")) continue;
    const Json base = {{"op", plain.trial["loss"]}};
    std::vector<Json> all = variations(train_key("loss"), base);
    Json part = base;
    part["weight"] = 0.5;
    all.push_back({{"op", "sum"}, {"parts", {part, base}}});
    for (const Json& value : all) {
      walks.push_back(plain);
      walks.back().name = "loss: " + to_text(value);
      walks.back().trial["loss"] = value;
      const bool wants_rates = value.value("log_input", true) == false;
      if (wants_rates) walks.back().trial["model"]["nodes"].push_back({{"name", "rate"}, {"op", "softplus"}});
    }
  }
  return walks;
}

const std::vector<options::Variant>& kinds_of(const options::Key& option) {
  return option.element ? option.element->variants : option.variants;
}

std::vector<options::Key> walked_options() {
  std::vector<options::Key> all = dataset::batch_options();
  std::erase_if(all, [](const options::Key& option) { return option.name == "partition"; });
  return all;
}

namespace {

/// Other values of a key of `data:`.
std::vector<Json> other_data_values(const options::Key& option, const Json& now) {
  if (option.name == "name") return {"another"};
  switch (option.form) {
    case options::Form::boolean: return {now != true};
    case options::Form::choice: return other_words(option.choices, now);
    case options::Form::integer: return {now.is_number() ? now.get<std::int64_t>() - 1 : 11};
    case options::Form::real: return {now != 0 && now.is_number() ? 0.7 * now.get<double>() : 0.3};
    case options::Form::numbers: return {};  // required, so it stands in the walk's own row
    default: throw std::logic_error("a walk does not know what to write for " + option.name);
  }
}

}  // namespace

std::vector<Walk> batch_option_walks() {
  std::vector<Walk> walks;
  for (const Walk& plain : data_walks()) {
    const Json section = section_of(plain);
    for (const options::Key& option : walked_options()) {
      const Json& row =
          option.name == "augment" ? section["augment"].empty() ? Json() : section["augment"][0] : section[option.name];
      for (const options::Variant& kind : kinds_of(option)) {
        if (!row.is_object() || row.value("op", "") != kind.name) continue;
        for (const options::Key& one : kind.table) {
          for (const Json& value : other_data_values(one, row.value(one.name, one.fallback))) {
            Json changed = row;
            changed[one.name] = value;
            walks.push_back(plain);
            walks.back().name += " but " + one.name + " " + to_text(value);
            walks.back().batches[option.name] = option.name == "augment" ? Json::array({changed}) : changed;
          }
        }
      }
    }
  }
  return walks;
}

namespace {

/// Two donors of one beginning, in a folder of artifacts.
class Donors {
 public:
  Donors() {
    for (const double lr : {0.05, 0.03}) {
      Walk walk{"donor", "row", small_trial()};
      walk.trial["optimizer"]["lr"] = lr;
      walk.trial["epochs"] = 2;
      walk.trial["horizon"] = 3;
      const trial::Artifact artifact = publish(artifacts(), finish(*begin(walk)), "last", 2);
      all_.push_back(
          {{"sha256", artifact.sha256}, {"epoch", 2}, {"horizon", 3}, {"study", "walk"}, {"trial", all_.size()}});
    }
  }
  std::filesystem::path artifacts() const { return folder_.make("artifacts"); }
  Json first(std::size_t count) const {
    return Json(std::vector<Json>(all_.begin(), all_.begin() + std::ptrdiff_t(count)));
  }
  std::filesystem::path file() const { return artifact_path(artifacts(), all_[0]["sha256"].get<std::string>()); }

 private:
  TempFolder folder_;
  std::vector<Json> all_;
};

const Donors& donors() {
  static const Donors all;
  return all;
}

/// What a study would say of it, with what its check fills in.
Json start_of(const std::string& policy) {
  const bool goes_on = policy == "resume", is_mixed = warmstart::averages(policy) || policy == "shrink_perturb";
  return {{"policy", policy},
          {"donors", donors().first(warmstart::averages(policy) ? 2 : 1)},
          {"on_mismatch", policy == "partial" ? "skip" : "error"},
          {"buffers", is_mixed ? "recalibrate" : "copy"},
          {"optimizer", goes_on ? "carry" : "reset"},
          {"schedule", goes_on ? "remaining" : "restart"}};
}

Walk warm_walk(const Json& start) {
  Walk walk = walk_of("warm_start", start);
  walk.artifacts = donors().artifacts();
  return walk;
}

}  // namespace

std::vector<Walk> warm_walks() {
  std::vector<Walk> walks;
  for (const std::string& policy : warmstart::kWarmPolicies) {
    if (policy == "none") continue;
    walks.push_back(warm_walk(start_of(policy)));
    walks.push_back(walks.back());
    walks.back().name += " averaged";
    walks.back().trial["ema"] = {{"decay", 0.9}};
    if (policy == "resume") walks.pop_back();
  }
  for (const char* policy : {"best", "shrink_perturb", "partial"}) {
    for (Json start : variations(train_key("warm_start"), start_of(policy))) {
      if (start["policy"] != policy || start["on_mismatch"] == "reinit") continue;
      walks.push_back(warm_walk(start));
    }
  }
  Walk walk = walk_of(
      "init", {{"from", donors().file().string()}, {"strict", true}, {"sha256", donors().first(1)[0]["sha256"]}});
  walk.name = "init";
  walks.push_back(walk);
  return walks;
}

}  // namespace dlrun::train
