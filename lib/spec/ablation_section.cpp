// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "ablation/power.hpp"
#include "ablation/refused.hpp"
#include "ablation/rounds.hpp"
#include "dataset/majority.hpp"
#include "dataset/schema_json.hpp"
#include "spec/ablation_components.hpp"
#include "spec/ablation_designs.hpp"
#include "spec/ablation_options.hpp"
#include "spec/ablation_retune.hpp"
#include "spec/ablation_stopping.hpp"
#include "spec/ablation_variants.hpp"
#include "spec/keys.hpp"
#include "spec/reading.hpp"
#include "spec/space_section.hpp"
#include "spec/trial_difference.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"

namespace dlrun::spec {

using document::Node;

namespace {

bool erase_key(Node& map, const std::string& key) {
  return std::erase_if(map.entries, [&](const document::Entry& entry) { return entry.key == key; }) > 0;
}

void erase_keys(Node& root, const std::string& section, const std::vector<std::string>& keys,
                std::vector<std::string>& left_out) {
  document::Entry* entry = root.find_entry(section);
  if (entry == nullptr) return;
  for (const std::string& key : keys) {
    if (erase_key(entry->value, key)) left_out.push_back(join(section, key));
  }
}

bool is_constant(const Node& parameter) {
  const Node* type = parameter.find("type");
  return parameter.find("value") != nullptr || (type != nullptr && type->text == "constant");
}

/// Constants stay: a study made of a trial has its values there.
void keep_constants(Node& root, std::vector<std::string>& left_out) {
  document::Entry* space = root.find_entry("space");
  if (space == nullptr) return;
  const std::size_t before = space->value.entries.size() + space->value.items.size();
  std::erase_if(space->value.entries, [](const document::Entry& entry) { return !is_constant(entry.value); });
  std::erase_if(space->value.items, [](const Node& item) { return !is_constant(item); });
  const std::size_t after = space->value.entries.size() + space->value.items.size();
  if (after < before) left_out.emplace_back("space");
  if (after == 0) erase_key(root, "space");
}

Json without_nulls(const Json& value) {
  if (!value.is_object()) return value;
  Json out = Json::object();
  for (const auto& [key, inner] : value.items()) {
    if (inner.is_null()) continue;
    const Json kept = without_nulls(inner);
    const bool says_nothing = inner.is_object() && kept.empty() && key != "set";
    if (!says_nothing) out[key] = kept;
  }
  return out;
}

constexpr std::int64_t kMostLanes = 4096;  // as many as `search.lanes` may be

class AblationReader {
 public:
  AblationReader(Json& study, const Node& root, const Settings& settings, const CheckStudy& check,
                 const ReadTrial& other, Faults& faults)
      : study_(study), root_(root), settings_(settings), check_(check), other_(other), faults_(faults) {}

  void read(Node section) {
    faults_.wrote("ablation", {section.span, section.span});
    Faults folding;
    const Json constants = fold_constants(study_, root_, check_, folding, base_);
    for (const document::Diagnostic& fault : folding.list.list()) faults_.list.add(fault);
    if (folding.list.has_errors() || !add_differences(section)) return;
    written_ = spec::read(&section, ablation_key(), "ablation", faults_);
    if (!written_.is_object() || !check_components()) return;
    if (!asks_to_retune(section)) written_.erase("retune");
    const bool looks = has_looks(section, written_);
    open_replicates(written_, looks, faults_);
    check_replicates();
    check_analysis();
    const std::vector<Unit> units = units_of(written_["components"], study_["trial"], declared_model(study_), faults_);
    if (written_["analysis"].is_object()) check_loss(units, written_["analysis"]["metric"], faults_);
    const DesignPlan plan = planned(written_, units, declared_model(study_), faults_);
    settle_looks(written_, looks, objective_metric(), comparisons(plan, units), faults_);
    check_size(comparisons(plan, units));
    check_rounds(plan);
    check_splits();
    check_start(plan);
    check_retune(written_, settings_, plan, faults_);
    make_variants(units, plan);
    if (faults_.list.has_errors()) return;
    if (written_.contains("retune")) hold_settings(units, constants);
    study_["derived"]["ablation"] = plan.derived;
    fill_in(constants);
  }

 private:
  /// The components of a path from another configuration are the places in which it differs.
  bool add_differences(Node& section) {
    const Node *design = section.find("design"), *path = section.find("path");
    const bool is_path = design != nullptr && design->text == "path" && path != nullptr && path->is_map();
    const Node* from = is_path ? path->find("from") : nullptr;
    if (from == nullptr || from->is_null()) return true;
    if (const Node* components = section.find("components"); components != nullptr && !components->is_null()) {
      faults_.list.error(components->span, "what a path from a file changes is where the two differ",
                         "remove the components, or `from`, whose end they would say");
      return false;
    }
    const Json start = other_(*from, faults_);
    if (start.is_null()) return false;
    Json components = Json::array();
    for (const auto& [place, value] : differences(start, study_["trial"]))
      components.push_back({{"id", place}, {"set", {{place, value}}}});
    if (components.empty()) {
      faults_.list.error(from->span, fmt::format("E230: {} is the same configuration", document::quote(from->text)));
      return false;
    }
    section.entries.push_back({"components", from->span, node_at(components, from->span)});
    return true;
  }

  /// What a round measures while the study runs is the objective.
  void check_rounds(const DesignPlan& plan) {
    if (!ablation::has_rounds(plan.derived) || !written_["analysis"].is_object()) return;
    if (written_["analysis"]["metric"] == objective_metric()) return;
    faults_.at("ablation.analysis.metric",
               fmt::format("rounds judge by the objective, which is {}", document::quote(objective_metric())),
               "make it the study's objective");
  }

  bool check_components() {
    const Json& components = written_["components"];
    if (components.is_array() && !components.empty()) return true;
    if (!faults_.is_bad("ablation.components"))
      faults_.at_key("ablation.components", "an ablation needs components, a list of what can be left out",
                     "components: [{id: bn, drop: {kind: batchnorm}, as: group}]");
    return false;
  }

  void check_replicates() {
    Json& replicates = written_["replicates"];
    if (!replicates.is_object() || faults_.is_bad("ablation.replicates")) return;
    Json& seeds = replicates["seeds"];
    if (study_["trial"].value("replicates", 1) > 1)
      faults_.at_key("trial.replicates", "the ablation repeats every variant itself: replicates are given there",
                     "write ablation: {replicates: {n: …}} instead");
    if (!seeds.is_array() || seeds.empty()) {
      seeds = nullptr;
      check_vary();
      return;
    }
    std::vector<Json> sorted(seeds.begin(), seeds.end());
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      faults_.at("ablation.replicates.seeds", "a seed is named twice", "name each once");
    if (faults_.was_written("ablation.replicates.n") && replicates["n"] != seeds.size())
      faults_.clash("ablation.replicates.n",
                    fmt::format("n is {}, but there are {} seeds", to_text(replicates["n"]), seeds.size()),
                    "ablation.replicates.seeds", "the seeds", "leave n out");
    replicates["n"] = seeds.size();
    check_vary();
  }

  /// An empty list says nothing.
  void check_vary() {
    Json& vary = written_["replicates"]["vary"];
    if (vary.is_array() && vary.empty()) vary = nullptr;
  }

  std::string objective_metric() const { return spec::objective_metric(study_); }

  void check_analysis() {
    if (!written_["analysis"].is_object()) return;
    Json& metric = written_["analysis"]["metric"];
    if (!metric.is_string()) metric = objective_metric();
    std::optional<dataset::Schema> schema;
    if (study_.value("derived", Json::object()).contains("data"))
      schema = dataset::schema_from_json(study_["derived"]["data"]);
    const std::vector<std::string> known = metrics_of(study_["trial"], schema);
    const std::string name = metric.get<std::string>();
    if (known.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
    faults_.at("ablation.analysis.metric", "trials do not report " + document::quote(name),
               suggest(name, known, "they report"));
  }

  /// How many are judged together: components, or where they go in groups these.
  std::size_t comparisons(const DesignPlan& plan, const std::vector<Unit>& units) const {
    const Json& design = written_["design"];
    return design == "leave_group_out" || design == "list" ? plan.variants.size() : units.size();
  }

  /// A plan that cannot call any effect one is refused before it costs anything.
  void check_size(std::size_t components) {
    const Json &replicates = written_["replicates"], &analysis = written_["analysis"];
    if (!replicates.is_object() || !replicates["n"].is_number() || !analysis.is_object()) return;
    const ablation::Design design{replicates["n"].get<int>(), int(components), analysis["alpha"].get<double>(),
                                  analysis["test"].get<std::string>(), analysis["correction"].get<std::string>()};
    const int least = ablation::least_replicates(design);
    if (design.replicates >= least) return;
    faults_.at(faults_.was_written("ablation.replicates.seeds") ? "ablation.replicates.seeds" : "ablation.replicates.n",
               fmt::format("E251: {} replicate{} cannot tell any effect of {} component{} from luck, by {} at {:g}",
                           design.replicates, design.replicates == 1 ? "" : "s", components, components == 1 ? "" : "s",
                           design.test, design.alpha),
               fmt::format("it takes at least {}", least));
  }

  void make_variants(const std::vector<Unit>& units, const DesignPlan& plan) {
    const Baseline baseline{study_, base_, written_["start_from"] == "baseline"};
    const VariantMaker maker(baseline, units, guard(), check_);
    variants_.push_back(maker.baseline());
    for (const PlannedVariant& variant : plan.variants) add_variant(maker, variant, units, plan);
    if (ablation::has_steps(plan.derived) && plan.derived["steps"]["puts_back"] == true) require_start();
  }

  /// What each variant has of the settings that are retuned.
  void hold_settings(const std::vector<Unit>& units, const Json& constants) {
    const SettingHolder holder(settings_, base_, constants, check_);
    for (Json& variant : variants_) {
      std::vector<const Unit*> off;
      for (const Unit& unit : units) {
        const Json& ids = variant["components"];
        if (std::find(ids.begin(), ids.end(), Json(unit.id)) != ids.end()) off.push_back(&unit);
      }
      if (off.empty()) continue;
      const Json held = holder.held(trial::configured(study_["trial"], variant["edits"]), off);
      if (held.empty()) continue;
      variant["held"] = held;
      for (const auto& [name, why] : held.items())
        variant["notes"].push_back(fmt::format("W311: '{}' is not tuned: {}", name, why.get<std::string>()));
    }
  }

  void require_start() {
    const auto is_start = [](const Json& one) { return one["id"] == "start"; };
    const auto missing = std::find_if(skipped_.begin(), skipped_.end(), is_start);
    if (missing != skipped_.end())
      faults_.at("ablation.design",
                 fmt::format("the start of the path cannot be: {}", (*missing)["reason"].get<std::string>()));
  }

  double guard() const { return written_["capacity_guard"].is_number() ? written_["capacity_guard"].get<double>() : 2; }

  /// A component that cannot be left out is a fault; two that cannot be left out together are listed.
  void add_variant(const VariantMaker& maker, const PlannedVariant& planned, const std::vector<Unit>& units,
                   const DesignPlan& plan) {
    const auto& [id, off] = planned;
    if (off.empty()) return;  // said where it was named
    const Unit& last = units[off.back()];
    try {
      Json variant = maker.make(id, off);
      const auto same = std::find_if(variants_.begin(), variants_.end(),
                                     [&](const Json& known) { return known["hash"] == variant["hash"]; });
      if (same == variants_.end()) return variants_.push_back(std::move(variant));
      if (plan.needs_all)
        return faults_.at("ablation.design",
                          fmt::format("E231: '{}' is the same as '{}', so their effects cannot be told", id,
                                      (*same)["id"].get<std::string>()),
                          "take design: pairwise, or leave a component out");
      if (!plan.is_quiet)
        faults_.warn(last.path, fmt::format("E231: '{}' is the same as '{}' and is trained once", id,
                                            (*same)["id"].get<std::string>()));
      duplicates_.push_back({{"id", id}, {"of", (*same)["id"]}, {"components", variant["components"]}});
    } catch (const ablation::Refused& fault) {
      const bool is_step = ablation::has_steps(plan.derived) && plan.derived["steps"]["puts_back"] == true;
      if (off.size() == 1 && !is_step) return faults_.refuse(join(last.path, last.kind), fault.code(), fault);
      if (plan.needs_all)
        return faults_.at("ablation.design", fmt::format("this design needs '{}': {}", id, fault.what()), fault.hint());
      if (!plan.is_quiet)
        faults_.warn(last.path, fmt::format("'{}' is left out of the design: {}", id, fault.what()), fault.hint());
      skipped_.push_back({{"id", id}, {"reason", fault.what()}});
    }
  }

  /// The baseline first, then the longest, so that a replicate ends as early as it can.
  Json cell_order() const {
    std::vector<Json> order(variants_.begin(), variants_.end());
    std::stable_sort(order.begin() + 1, order.end(), [](const Json& a, const Json& b) {
      return a["operations"].is_number() && b["operations"].is_number() && a["operations"] > b["operations"];
    });
    Json ids = Json::array();
    for (const Json& variant : order) ids.push_back(variant["id"]);
    return ids;
  }

  static Json numbers_of(const Json& replicates) {
    if (!replicates["seeds"].is_null()) return replicates["seeds"];
    Json numbers = Json::array();
    for (int r = 1; r <= replicates["n"].get<int>(); ++r) numbers.push_back(r);
    return numbers;
  }

  /// Every replicate's split can be drawn, and leaves the model's inputs as they are.
  void check_splits() {
    const Json& vary = written_["replicates"]["vary"];
    if (!vary.is_array() || faults_.list.has_errors()) return;
    if (study_["trial"]["kind"] != "train")
      return faults_.at("ablation.replicates.vary", "only trials that train have a split", "remove it");
    const Json& known = study_["derived"]["data"];
    Json numbers = numbers_of(written_["replicates"]);
    for (std::int64_t k = 0; written_.contains("retune") && k < tunings_of(written_); ++k)
      numbers.push_back(kFirstTuning - k);
    for (const Json& number : numbers) {
      const std::uint64_t seed = study_["seed"].get<std::uint64_t>();
      const Json sets{{"data.split.seed", seed + number.get<std::uint64_t>()}};
      try {
        const Json data = trial::configured(study_["trial"], sets)["data"];
        const dataset::Schema schema = dataset::inspect(data, {}, seed);
        if (dataset::to_json(schema)["inputs"] == known["inputs"]) continue;
        return faults_.at("ablation.replicates.vary",
                          fmt::format("the split of replicate {} gives the model other inputs", to_text(number)),
                          "a category that some training split lacks is no column there");
      } catch (const Error& fault) {
        return faults_.at("ablation.replicates.vary",
                          fmt::format("no split of its own for replicate {}: {}", to_text(number), fault.what()),
                          fault.hint());
      }
    }
  }

  void check_start(const DesignPlan& plan) {
    Json& start = written_["start_from"];
    if (start == "none") start = nullptr;
    if (start == "baseline" && ablation::has_rounds(plan.derived))
      faults_.at("ablation.start_from", "a design in rounds has no one baseline to begin from", "remove it");
    if (start == "baseline" && study_["trial"]["kind"] != "train")
      faults_.at("ablation.start_from", "only trials that train have weights to begin with", "remove it");
    if (start == "baseline" && study_["trial"].contains("init"))
      faults_.warn("ablation.start_from",
                   "variants begin with the baseline's final weights, not with those of trial.init");
  }

  Json replicate_parameter() const {
    const Json& replicates = written_["replicates"];
    Json out{{"name", kReplicate}, {"at", "first_replicate"}, {"when", nullptr}};
    if (replicates["vary"].is_array()) {
      out.update({{"type", "ordinal"}, {"choices", numbers_of(replicates)}});
    } else if (replicates["seeds"].is_null()) {
      out.update({{"type", "int"}, {"low", 1}, {"high", replicates["n"]}, {"scale", "linear"}, {"step", nullptr}});
    } else {
      out.update({{"type", "ordinal"}, {"choices", replicates["seeds"]}});
    }
    return out;
  }

  /// A lane for every run: no run waits for the result of another, but at looks, and so any number of workers has work.
  std::int64_t lanes() const {
    const Json& replicates = written_["replicates"];
    const std::int64_t seeds =
        replicates["seeds"].is_null() ? replicates["n"].get<std::int64_t>() : std::int64_t(replicates["seeds"].size());
    const Json& derived = study_["derived"].value("ablation", Json());
    const std::size_t together =  // in a round what it tries, and where it stands
        ablation::has_rounds(derived) ? derived["steps"]["components"].size() + 1 : variants_.size();
    const std::int64_t tries =
        written_.contains("retune") ? written_["retune"]["trials"].get<std::int64_t>() * tunings_of(written_) : 0;
    return std::min(kMostLanes, std::max(seeds, tries) * std::int64_t(together));
  }

  /// What a baseline that predicts one class gets right, where right answers are what is compared.
  Json majority() const {
    const std::string metric = written_["analysis"]["metric"].get<std::string>();
    if (study_["trial"]["kind"] != "train" || !metric.ends_with(".accuracy")) return Json::object();
    const dataset::Schema schema = dataset::schema_from_json(study_["derived"]["data"]);
    try {
      return dataset::majority_shares(study_["trial"]["data"], schema, study_["seed"].get<std::uint64_t>());
    } catch (const Error& fault) {
      faults_.at("trial.data", fault.what(), fault.hint());
      return Json::object();
    }
  }

  void fill_in(const Json& constants) {
    if (written_["design"] != "path") written_.erase("path");
    study_["ablation"] = without_nulls(written_);
    for (Json& component : study_["ablation"]["components"]) component = without_nulls(component);
    study_["ablation"]["analysis"]["rope"] = written_["analysis"]["rope"];
    const bool is_retuned = study_["ablation"].contains("retune");
    Json& space = study_["space"] = constants;
    if (is_retuned) {
      for (const Json& parameter : tuning_parameters(written_)) space.push_back(parameter);
    }
    space.push_back(replicate_parameter());
    if (is_retuned) space.back()["when"] = {{kPurpose, {kComparison}}};
    space.push_back(
        {{"name", kVariant}, {"type", "categorical"}, {"choices", cell_order()}, {"at", nullptr}, {"when", nullptr}});
    for (const Json& setting : conditioned(settings_.parameters, variants_)) space.push_back(setting);
    if (is_retuned && !settings_.constraints.is_null()) study_["constraints"] = settings_.constraints;
    study_["search"]["sampler"] = "grid";
    study_["search"]["lanes"] = lanes();
    study_["limits"]["trials"] = nullptr;
    Json& derived = study_["derived"]["ablation"];
    derived["variants"] = variants_;
    if (!duplicates_.empty()) derived["duplicates"] = duplicates_;
    if (!skipped_.empty()) derived["skipped"] = skipped_;
    if (const Json shares = majority(); !shares.empty()) derived["majority"] = shares;
  }

  Json& study_;
  const Node& root_;
  const Settings& settings_;
  const CheckStudy& check_;
  const ReadTrial& other_;
  Faults& faults_;
  Json written_;
  Node base_;
  Json variants_ = Json::array(), duplicates_ = Json::array(), skipped_ = Json::array();
};

}  // namespace

Json fold_constants(Json& study, const Node& root, const CheckStudy& check, Faults& faults, Node& folded) {
  Json sets = Json::object(), rest = Json::array();
  for (const Json& parameter : study["space"]) {
    if (parameter["at"].is_string()) sets[parameter["at"].get<std::string>()] = parameter["value"];
    if (!parameter["at"].is_string()) rest.push_back(parameter);
  }
  folded = root;
  if (sets.empty()) return rest;
  folded = with_trial_at(root, trial::configured(study["trial"], sets), faults.key_of("space"));
  document::Entry* space = folded.find_entry("space");
  const auto is_folded = [&](const std::string& name) {
    return std::none_of(rest.begin(), rest.end(), [&](const Json& p) { return p["name"] == name; });
  };
  std::erase_if(space->value.entries, [&](const document::Entry& entry) { return is_folded(entry.key); });
  std::erase_if(space->value.items, [&](const Node& item) {
    const Node* name = item.find("name");
    return name != nullptr && is_folded(name->text);
  });
  if (space->value.entries.empty() && space->value.items.empty()) erase_key(folded, "space");
  study = check(folded, faults);
  return rest;
}

Node without_search(const Node& root, std::vector<std::string>& left_out, bool keeps_space) {
  Node out = root;
  erase_key(out, "ablation");
  if (!keeps_space && erase_key(out, "constraints")) left_out.emplace_back("constraints");
  if (erase_key(out, "feasible")) left_out.emplace_back("feasible");
  if (!keeps_space) keep_constants(out, left_out);
  erase_keys(out, "search", {"sampler", "pruner", "enqueue", "learn_from", "lanes", "stagger"}, left_out);
  erase_keys(out, "limits", {"trials", "epochs", "target", "stall", "expected_improvement"}, left_out);
  return out;
}

void add_ablation(Json& study, const Node& root, const Node& section, const Settings& settings, const CheckStudy& check,
                  const ReadTrial& other, Faults& faults) {
  AblationReader(study, root, settings, check, other, faults).read(section);
}

}  // namespace dlrun::spec
