// SPDX-License-Identifier: Apache-2.0
#include "ablation/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ablation/try_component.hpp"
#include "document/emit.hpp"
#include "model/layer.hpp"

namespace dlrun::ablation {

namespace {

bool is_top(const std::string& name) { return name.find('.') == std::string::npos; }

std::string count_text(std::int64_t count) { return fmt::format("{} parameter{}", count, count == 1 ? "" : "s"); }

class Proposer {
 public:
  explicit Proposer(const Json& study) : study_(study), model_(declared_model(study)) {}

  std::vector<Suggestion> all() {
    if (model_) {
      blocks();
      kinds();
      layers();
    }
    columns();
    settings();
    return std::move(out_);
  }

 private:
  void add_component(const std::string& id, const Json& what, std::string reason) {
    Json component{{"id", id}};
    component.update(what);
    out_.push_back({std::move(component), std::move(reason)});
  }

  void blocks() {
    for (auto block = model_->plan.blocks.rbegin(); block != model_->plan.blocks.rend(); ++block) {
      if (!is_top(block->name)) continue;
      add_component(block->name, {{"drop", {{"name", block->name}}}}, fmt::format("a {}, as a whole", block->op));
      if (block->op != "residual" || block->shortcut.empty()) continue;
      add_component(block->name + ".shortcut", {{"drop_branch", block->name + ".shortcut"}},
                    "the connection around the body: is depth alone enough?");
    }
  }

  /// Norms and dropout of the whole model.
  void kinds() {
    std::set<std::string> seen;
    for (const model::Draft& draft : model_->plan.nodes) {
      const model::LayerRule* rule = model::find_rule(draft.op);
      const bool is_dropout = draft.op.find("dropout") != std::string::npos;
      if (rule == nullptr || (!rule->is_norm && !is_dropout) || !seen.insert(draft.op).second) continue;
      add_component("all." + draft.op, {{"drop", {{"kind", draft.op}}}, {"as", "group"}},
                    is_dropout ? "it regularises: is the model large enough to need it?" : "normalisation, everywhere");
    }
  }

  /// Layers outside of blocks, with weights of their own.
  void layers() {
    for (const model::Draft& draft : model_->plan.nodes) {
      const model::LayerRule* rule = model::find_rule(draft.op);
      const bool is_part = !is_top(draft.name) || draft.role == "head" || !draft.match.empty();
      const bool has_width = draft.written.is_object() && draft.written.contains("out");
      if (is_part || rule == nullptr || rule->is_norm || !has_width) continue;
      add_component(draft.name, {{"drop", {{"name", draft.name}}}}, fmt::format("a layer, {}", draft.op));
    }
  }

  /// Source columns of a table, each with all that is derived from it; not of one so wide that it is pixels or
  /// readings.
  void columns() {
    const Json data = study_.value("derived", Json::object()).value("data", Json::object());
    Names names;
    for (const Json& column : data.value("columns", Json::array())) {
      const std::string name = column.get<std::string>();
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    constexpr std::size_t kMost = 32;
    if (names.size() > kMost || names.size() < 2) return;
    for (const std::string& name : names) {
      if (is_component_id(name)) add_component(name, {{"drop_feature", name}}, "a column");
    }
  }

  void settings() {
    const Json& trial = study_.at("trial");
    const Json optimizer = trial.value("optimizer", Json::object());
    if (optimizer.value("weight_decay", Json()).is_number() && optimizer["weight_decay"] != 0)
      add_component("weight_decay", {{"set", {{"optimizer.weight_decay", 0}}}}, "it pulls weights towards 0");
    if (optimizer.value("momentum", Json()).is_number() && optimizer["momentum"] != 0)
      add_component("momentum", {{"set", {{"optimizer.momentum", 0}}}}, "steps of plain gradients");
    const Json augment = trial.value("data", Json::object()).value("augment", Json());
    if (augment.is_array() && !augment.empty())
      add_component("augment", {{"set", {{"data.augment", Json::array()}}}}, "changed copies of the examples");
    const Json schedule = trial.value("schedule", Json());
    if (schedule.is_object() && schedule.value("op", "") != "constant")
      add_component("schedule", {{"swap", "schedule"}, {"to", {{"op", "constant"}}}},
                    "a rate that changes with the epochs");
    scaling(trial.value("lr_scaling", Json()));
    ranks(trial.value("parallel", Json()));
  }

  void ranks(const Json& section) {
    if (!section.is_object()) return;
    if (section.value("sharding", "none") != "none")
      add_component("sharding", {{"set", {{"parallel.sharding", "none"}}}}, "weights of the server on several");
    if (section.value("wait_free", false))
      add_component("wait_free", {{"set", {{"parallel.wait_free", false}}}},
                    "gradients that are sent as they are made");
    const Json codec = section.value("codec", Json());
    if (!codec.is_object() || codec.value("op", "dense") == "dense") return;
    add_component("codec", {{"set", {{"parallel.codec", "dense"}}}}, "packed gradients");
    part_of_codec(codec, "momentum_correction", "velocities that are added up on ranks");
    part_of_codec(codec, "error_feedback", "what is lost, added to the next gradient");
    part_of_codec(codec, "warm_start", "a power iteration that goes on");
    if (codec.value("warmup_epochs", 0) > 0)
      add_component("warmup_epochs", {{"set", {{"parallel.codec.warmup_epochs", 0}}}},
                    "a share that falls to the ratio");
  }

  void part_of_codec(const Json& codec, const std::string& key, const std::string& what) {
    if (codec.value(key, false)) add_component(key, {{"set", {{"parallel.codec." + key, false}}}}, what);
  }

  void scaling(const Json& section) {
    const std::string op = section.is_object() ? section.value("op", "") : "";
    if (op.empty() || op == "none") return;
    add_component("lr_scaling", {{"set", {{"lr_scaling", Json()}}}}, "a rate that follows the micro-batches of a step");
    if (op == "lena")
      add_component("layer_rates", {{"set", {{"lr_scaling.op", "adascale"}}}}, "tensors with rates of their own");
    if (section.value("warmup", "none") != "none")
      add_component("warmup", {{"set", {{"lr_scaling.warmup", "none"}}}}, "a rate that rises first");
  }

  const Json& study_;
  std::optional<model::Declared> model_;
  std::vector<Suggestion> out_;
};

std::string change_text(const Variant& variant, const Variant& whole) {
  if (!variant.parameters) return {};
  const std::int64_t saved = whole.parameters.value_or(0) - *variant.parameters;
  if (saved == 0) return {};
  return saved > 0 ? fmt::format("; {} fewer", count_text(saved)) : fmt::format("; {} more", count_text(-saved));
}

}  // namespace

std::vector<Suggestion> suggestions(const Baseline& baseline) {
  const Variant whole = VariantMaker(baseline, {}, 2).baseline();
  std::vector<Suggestion> out;
  std::set<std::string> ids, hashes;
  for (Suggestion& one : Proposer(baseline.study).all()) {
    const TriedComponent tried = try_component(node_at(one.component), baseline);
    if (tried.variants.size() != 1 || ids.contains(one.component["id"])) continue;
    if (!hashes.insert(tried.variants[0].hash).second) continue;
    ids.insert(one.component["id"].get<std::string>());
    one.reason += change_text(tried.variants[0], whole);
    out.push_back(std::move(one));
  }
  return out;
}

std::string to_yaml(const std::vector<Suggestion>& suggestions) {
  std::string text = "ablation:\n  components:\n";
  for (const Suggestion& one : suggestions) {
    std::string line = document::to_yaml(Json{{"c", Json::array({one.component})}});
    text += fmt::format("    # {}\n", one.reason);
    const std::size_t dash = line.find("- ");
    text += "    " + line.substr(dash);
    if (text.back() != '\n') text += '\n';
  }
  return text;
}

}  // namespace dlrun::ablation
