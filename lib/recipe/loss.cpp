// SPDX-License-Identifier: Apache-2.0
#include "recipe/loss.hpp"

#include <algorithm>

#include "options/kind.hpp"
#include "plugin/found.hpp"

namespace dlrun::recipe {

namespace {

using options::boolean;
using options::field;
using options::integer;
using options::list;
using options::real;
using LossField = options::Field<LossConfig>;

/// A kind of loss with its keys.
struct LossTable {
  options::Kind<LossConfig> kind;
  LossFit fit;
  int outputs_per_target = 1;
};

options::Kind<LossConfig> loss_kind(const char* op, const char* text, options::Fields<LossConfig> fields) {
  return {op, text, std::move(fields), [op](LossConfig& out) { out.op = op; }};
}

void read_class_weights(const Json& value, const std::string& place, LossConfig& out) {
  out.balanced = value == "balanced";
  if (!out.balanced) read_value(value, list("", "", real("", "a weight").from(0)), place, out.class_weights);
}

LossField class_weights_field() {
  return {
      options::any("class_weights", "balanced (by the training split), or a number for each class").or_else("1 each"),
      [](const Json& value, const options::Key&, const std::string& place, LossConfig& out) {
        read_class_weights(value, place, out);
      },
      nullptr};
}

LossField margin_field() {
  return field(real("margin", "how far the right side is enough").from(0).search(), &LossConfig::margin);
}

LossField power_field() { return field(integer("p", "1, or 2: squared").from(1).to(2).search(), &LossConfig::p); }

options::Key weight_key() { return real("weight", "factor of its value").above(0); }

std::vector<LossTable> losses_of_classes() {
  const options::Key smoothing = real("label_smoothing", "share of the target spread over all classes");
  return {
      {loss_kind("cross_entropy", "classes, from unnormalised outputs",
                 {field(options::Key(smoothing).from(0).to(1).search(), &LossConfig::label_smoothing),
                  class_weights_field()}),
       LossFit::classes},
      {loss_kind("focal", "cross-entropy in which what is right already counts little (Lin et al. 2017)",
                 {field(real("gamma", "how little").from(0).search(), &LossConfig::gamma), class_weights_field()}),
       LossFit::classes},
      {loss_kind("nll", "classes, from log-probabilities", {class_weights_field()}), LossFit::classes},
      {loss_kind("multi_margin", "the label's output above all others by a margin", {margin_field(), power_field()}),
       LossFit::classes},
      {loss_kind("binary_cross_entropy",
                 "classes or numbers from 0 to 1, from unnormalised outputs; of two classes one output is enough",
                 {field(real("pos_weight", "weight of what is 1").above(0).search(), &LossConfig::pos_weight)}),
       LossFit::logits},
      {loss_kind("hinge", "classes, each against the rest by a margin; of two one output is enough",
                 {margin_field(), power_field()}),
       LossFit::logits}};
}

std::vector<LossTable> losses_of_numbers() {
  const auto delta = [](const char* name) {
    return field(real(name, "where squared ends").above(0).search(), &LossConfig::delta);
  };
  return {
      {loss_kind("mse", "mean squared error", {}), LossFit::numbers},
      {loss_kind("mae", "mean absolute error", {}), LossFit::numbers},
      {loss_kind("huber", "squared near 0, absolute beyond delta", {delta("delta")}), LossFit::numbers},
      {loss_kind("smooth_l1", "huber over beta", {delta("beta")}), LossFit::numbers},
      {loss_kind("log_cosh", "logarithm of the hyperbolic cosine of the error", {}), LossFit::numbers},
      {loss_kind("quantile", "pinball loss, whose best answer is a quantile",
                 {field(real("quantile", "which").above(0).below(1).with(0.5).search(), &LossConfig::delta)}),
       LossFit::numbers},
      {loss_kind("poisson_nll", "counts, from the logarithm of their rate",
                 {field(boolean("log_input", "false: from the rate itself").search(), &LossConfig::log_input)}),
       LossFit::numbers},
      {loss_kind("gaussian_nll", "from means, and as many logarithms of variances after them", {}), LossFit::numbers,
       2},
      {loss_kind("kl_div", "probabilities, from their logarithms; the sum over an example",
                 {field(boolean("log_target", "the targets are logarithms too").search(), &LossConfig::log_target)}),
       LossFit::numbers}};
}

std::vector<LossTable> own_losses() {
  std::vector<LossTable> all = losses_of_classes();
  for (LossTable& one : losses_of_numbers()) all.push_back(std::move(one));
  return all;
}

LossField plugin_field(const options::Key& key) {
  return {key,
          [](const Json& value, const options::Key& own, const std::string&, LossConfig& out) {
            out.plugin[own.name] = value;
          },
          nullptr};
}

LossTable loss_of(const plugin::Manifest& manifest) {
  options::Fields<LossConfig> fields;
  for (const options::Key& key : manifest.keys) fields.push_back(plugin_field(key));
  const LossFit fit = manifest.whole.at("fits") == "classes" ? LossFit::classes : LossFit::numbers;
  const bool has_own_weights = options::find(manifest.keys, "class_weights") != nullptr;
  if (fit == LossFit::classes && !has_own_weights) fields.push_back(class_weights_field());
  const auto begin = [&manifest](LossConfig& out) {
    out.op = manifest.name;
    out.plugin = Json::object();
  };
  return {{manifest.name, manifest.about, std::move(fields), begin}, fit, manifest.whole.at("outputs_per_target")};
}

const std::vector<LossTable>& loss_tables() {
  static const std::vector<LossTable> tables = [] {
    std::vector<LossTable> all = own_losses();
    for (const plugin::Found* found : plugin::all_of(plugin::Kind::loss)) all.push_back(loss_of(*found->manifest));
    return all;
  }();
  return tables;
}

options::Kinds<LossConfig> with_key(options::Kinds<LossConfig> kinds, const options::Key& weight) {
  for (auto& kind : kinds) kind.fields.push_back(field(weight, &LossConfig::weight));
  return kinds;
}

options::Kinds<LossConfig> with_sum() {
  options::Kinds<LossConfig> kinds;
  for (const LossTable& table : loss_tables()) kinds.push_back(table.kind);
  const options::Kinds<LossConfig> parts = with_key(kinds, weight_key());
  kinds.push_back(loss_kind(
      "sum", "several of one output; a list is short for it",
      {options::parts(list("parts", "losses, each with its weight", options::kind_key("", "a loss", parts)).must(),
                      &LossConfig::parts, parts, "")}));
  return kinds;
}

/// @param is_named  of one output among several, with its weight in the sum over them
const options::Kinds<LossConfig>& kinds_of(bool is_named) {
  static const options::Kinds<LossConfig> single = with_sum(), named = with_key(single, weight_key().search());
  return is_named ? named : single;
}

options::Key key_of(const char* name, const char* text, bool is_named) {
  options::Key key = options::kind_key(name, text, kinds_of(is_named));
  key.list_kind = "sum";
  return key.or_else("cross_entropy for classes, mse for numbers");
}

}  // namespace

const std::vector<LossKind>& loss_kinds() {
  static const std::vector<LossKind> kinds = [] {
    std::vector<LossKind> all;
    for (const LossTable& table : loss_tables()) {
      all.push_back({table.kind.name, table.fit, table.outputs_per_target});
    }
    return all;
  }();
  return kinds;
}

options::Key loss_key() { return key_of("loss", "what training minimises", false); }

options::Key losses_key() {
  return map_of("loss", "what training minimises: of every output of the model, the sum", key_of("", "a loss", true))
      .or_else("cross_entropy for classes, mse for numbers");
}

LossConfig read_loss(const Json& trial, bool classifies, bool is_named) {
  LossConfig config =
      read_kind(trial.value("loss", Json()), kinds_of(is_named), "loss", classifies ? "cross_entropy" : "mse", "sum");
  if (config.op == "sum" && config.parts.empty()) options::refuse("loss.parts", Json::array(), "a list of losses");
  return config;
}

Json to_json(const LossConfig& l) {
  Json parts = Json::array();
  for (const LossConfig& part : l.parts) parts.push_back(to_json(part));
  Json json = {{"op", l.op},
               {"classes", {l.label_smoothing, l.balanced, l.class_weights, l.gamma}},
               {"margin", {l.margin, l.p, l.pos_weight}},
               {"numbers", {l.delta, l.log_input, l.log_target}},
               {"weight", l.weight},
               {"parts", parts}};
  if (!l.plugin.is_null()) json["plugin"] = l.plugin;
  return json;
}

const LossKind* find_loss(const std::string& name) {
  const std::vector<LossKind>& kinds = loss_kinds();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const LossKind& kind) { return kind.name == name; });
  return found == kinds.end() ? nullptr : &*found;
}

bool fits(const LossKind& kind, bool has_classes) {
  return kind.fit == LossFit::logits || (kind.fit == LossFit::classes) == has_classes;
}

std::vector<std::int64_t> output_widths(const LossKind& kind, std::int64_t classes, std::int64_t targets) {
  if (classes == 0) return {targets * kind.outputs_per_target};
  if (kind.fit == LossFit::logits && classes == 2) return {2, 1};
  return {classes};
}

namespace {

/// The loss; if there are several, the first: they must agree.
std::string name_of(const Json& loss) {
  if (loss.is_string()) return loss.get<std::string>();
  if (loss.is_array()) return loss.empty() ? "" : name_of(loss[0]);
  if (!loss.is_object()) return {};
  if (loss.contains("parts")) return name_of(loss["parts"]);
  return loss.contains("op") ? name_of(loss["op"]) : "";
}

}  // namespace

std::vector<std::int64_t> output_widths(const Json& trial, std::int64_t classes, std::int64_t targets) {
  const LossKind* kind = find_loss(name_of(trial.value("loss", Json())));
  return kind != nullptr && fits(*kind, classes > 0) ? output_widths(*kind, classes, targets)
                                                     : std::vector<std::int64_t>();
}

}  // namespace dlrun::recipe
