// SPDX-License-Identifier: Apache-2.0
#include "ablation/units.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ablation/arguments.hpp"
#include "ablation/component_checks.hpp"
#include "ablation/features.hpp"
#include "ablation/plan_json.hpp"
#include "ablation/refused.hpp"
#include "model/layer.hpp"
#include "recipe/optimizer.hpp"

namespace dlrun::ablation {

namespace {

constexpr const char* kBaseline = "baseline";
const Names kKinds{"drop",         "drop_branch",   "drop_between", "drop_edge",     "drop_feature",
                   "drop_channel", "drop_argument", "swap",         "swap_argument", "set"};

/// Sections of the trial that `swap` may name.
const std::map<std::string, std::string> kSwappedSections{
    {"optimizer", "optimizer"},  {"schedule", "schedule"}, {"loss", "loss"},         {"augment", "data.augment"},
    {"sampler", "data.sampler"}, {"init", "init"},         {"parallel", "parallel"}, {"lr_scaling", "lr_scaling"}};

/// A selector that stands under `swap`, which the table does not read, may be anything.
Selector selector_of(const Json& written) {
  Selector out;
  try {
    options::read_fields(options::as_map(written, "the selector"), selector_fields(), "", out);
  } catch (const Error& fault) {
    throw Refused("E201", fault.what(), fault.hint());
  }
  return out;
}

class Resolver {
 public:
  Resolver(const Json& trial, const std::optional<model::Declared>& model, const Checker& checker, Faults& faults)
      : trial_(trial), model_(model), checker_(checker), faults_(faults) {}

  std::vector<Unit> units() { return std::move(units_); }

  void add_component(const Json& component, const std::string& path) {
    const std::string kind = kind_of(component, path);
    if (kind.empty() || says_nothing(component, kind, path) || !has_good_id(component, path)) return;
    Unit unit{component["id"].get<std::string>(), path, component_of(component)};
    unit.component.kind = kind;  // also of a kind that names nothing
    unit.component.what = component[kind];
    const std::size_t before = units_.size();
    try {
      resolve(std::move(unit));
    } catch (const Refused& fault) {
      faults_.refuse(join(path, kind), fault.code(), fault);
    }
    for (std::size_t i = before; i < units_.size(); ++i) require_new_id(units_[i]);
  }

 private:
  std::string kind_of(const Json& component, const std::string& path) {
    Names said;
    for (const std::string& kind : kKinds) {
      if (faults_.was_written(join(path, kind))) said.push_back(kind);
    }
    if (said.size() == 1) return component["id"].is_string() ? said[0] : "";
    faults_.at(path,
               said.empty() ? std::string("the component does not say what is left out")
                            : fmt::format("the component says both '{}' and '{}'", said[0], said[1]),
               fmt::format("write one of {}", fmt::join(kKinds, ", ")));
    return {};
  }

  /// A value that could not be read has been reported.
  bool says_nothing(const Json& component, const std::string& kind, const std::string& path) {
    if (kind == "set" || !component[kind].is_null()) return false;
    const std::string at = join(path, kind);
    if (!faults_.is_bad(at)) faults_.at_key(at, fmt::format("'{}' does not say what is left out", kind));
    return true;
  }

  bool has_good_id(const Json& component, const std::string& path) {
    const std::string id = component["id"].get<std::string>();
    const std::string at = join(path, "id");
    if (!is_component_id(id) || id == kBaseline) {
      faults_.at(at, document::quote(id) + " is no name for a component",
                 id == kBaseline ? "that is the model whole" : "letters, digits, '.', '_' and '-'");
      return false;
    }
    const auto [known, is_new] = ids_.try_emplace(id, at);
    if (!is_new) faults_.clash(at, fmt::format("two components are '{}'", id), known->second, "first here");
    return is_new;
  }

  /// `as: each` makes names of its own.
  void require_new_id(const Unit& unit) {
    const std::string at = join(unit.path, "id");
    const auto [known, is_new] = ids_.try_emplace(unit.id, at);
    if (!is_new && known->second != at)
      faults_.clash(at, fmt::format("two components are '{}'", unit.id), known->second, "also here");
  }

  const model::Declared& model(const Unit& unit) const {
    if (model_) return *model_;
    throw Refused("E201", fmt::format("the trial has no model to {} from", unit.kind()),
                  "write set: for this kind of trial");
  }

  void resolve(Unit unit) {
    const Json& what = unit.component.what;
    check_component_keys(unit, faults_);
    if (unit.drops_features()) return resolve_features(unit);
    if (unit.kind() == "set") return resolve_set(std::move(unit));
    if (unit.kind() == "drop_argument" || unit.kind() == "swap_argument") return resolve_arguments(std::move(unit));
    if (unit.kind() == "swap" && what.is_string()) return resolve_section(std::move(unit));
    if (unit.kind() == "drop" || unit.kind() == "swap") return resolve_layers(std::move(unit));
    (void)model(unit);
    if (what.is_object() && (!what["from"].is_string() || !what["to"].is_string()))
      throw Refused("E201", fmt::format("{} needs 'from' and 'to'", unit.kind()));
    units_.push_back(std::move(unit));
  }

  void resolve_set(Unit unit) {
    unit.sets = unit.component.what;
    if (unit.sets.empty()) throw Refused("E212", "nothing is set");
    for (const char* own : {"replicates", "folds", "first_replicate"}) {
      if (unit.sets.contains(own))
        throw Refused("E212", fmt::format("'{}' is the same for all variants: the ablation repeats them itself", own),
                      "ablation: {replicates: {n: 10}} says how often");
    }
    units_.push_back(std::move(unit));
  }

  void resolve_arguments(Unit unit) {
    unit.arguments = arguments_of(unit, trial_);
    units_.push_back(std::move(unit));
  }

  void resolve_features(const Unit& unit) {
    for (Unit& one : feature_units(unit, trial_.value("data", Json()))) units_.push_back(std::move(one));
  }

  void resolve_section(Unit unit) {
    const auto name = unit.component.what.get<std::string>();
    const auto section = kSwappedSections.find(name);
    if (section == kSwappedSections.end()) {
      Names known;
      for (const auto& [key, place] : kSwappedSections) known.push_back(key);
      throw Refused("E211", fmt::format("the trial has no section '{}' to swap", name),
                    fmt::format("there are {}; layers are chosen by a map, {{kind: relu}}", fmt::join(known, ", ")));
    }
    const Json& to = unit.component.to;
    if (to.is_null()) throw Refused("E210", "swap needs 'to', what takes the place", "to: {op: …}");
    unit.sets[section->second] = to;
    if (name == "optimizer") swap_optimizer(unit, to);
    if (name == "init") unit.sets["init"] = checker_.init_beside(to, faults_.value_of(join(unit.path, "to")));
    units_.push_back(std::move(unit));
  }

  /// The author of the component decides which settings of one optimizer the other gets.
  void swap_optimizer(Unit& unit, const Json& to) {
    const bool inherits = unit.component.inherit, has_lr = to.is_object() && to.contains("lr");
    if (!inherits && !has_lr)
      throw Refused("E210", "a learning rate made for one optimizer says nothing of another's",
                    "write lr: in `to`, or inherit: true");
    if (inherits) unit.sets["optimizer"] = inheriting(unit, to);
  }

  /// `to` with the values of the baseline's optimizer, of keys that both have.
  Json inheriting(Unit& unit, const Json& to) {
    Json out = to.is_string() ? Json{{"op", to}} : to;
    const Json& own = trial_.at("optimizer");
    static const std::vector<options::Variant> methods = recipe::optimizer_key().variants;
    const options::Variant* method = options::find(methods, out.value("op", std::string()));
    if (method == nullptr) return out;  // said where the variant is checked
    Names kept;
    for (const options::Key& key : method->table) {
      if (out.contains(key.name) || !own.contains(key.name) || own[key.name].is_null()) continue;
      out[key.name] = own[key.name];
      if (own[key.name] != key.fallback) kept.push_back(fmt::format("{} {}", key.name, to_text(own[key.name])));
    }
    if (kept.empty()) throw Refused("E210", "there is nothing to inherit that `to` does not say", "remove it");
    unit.notes.push_back(fmt::format("W310: {} {} made for {}", fmt::join(kept, ", "),
                                     kept.size() == 1 ? "was" : "were", own.at("op").get<std::string>()));
    return out;
  }

  void resolve_layers(Unit unit) {
    const Component& component = unit.component;
    const Selector selector = selector_of(component.what);
    if (!selector.has_conditions()) throw Refused("E201", "the selector names nothing", "e.g. {name: conv1}");
    if (unit.kind() == "swap" && !component.to.is_object())
      throw Refused("E210", "swap needs 'to', the layer that takes the place", "to: {op: gelu}");
    const std::vector<Match> matches = select(model(unit), selector, unit.kind() == "swap" || component.allow_head);
    require_use_of_allow_head(unit, matches);
    note_norms(unit);
    const bool is_each = component.as == "each";
    if (!component.as && matches.size() > 1)
      throw Refused("E204",
                    fmt::format("{} things match: one variant without all of them, or one for each?", matches.size()),
                    "write as: group, or as: each");
    for (const Match& match : matches) {
      if (is_each || &match == &matches.front()) units_.push_back(unit);
      if (is_each) units_.back().id += '.' + match.name;
      Names& nodes = units_.back().nodes;
      for (const std::string& node : match.nodes) {
        if (std::find(nodes.begin(), nodes.end(), node) == nodes.end()) nodes.push_back(node);
      }
    }
  }

  void require_use_of_allow_head(const Unit& unit, const std::vector<Match>& matches) {
    const std::string at = join(unit.path, "allow_head");
    if (!faults_.was_written(at) || unit.kind() != "drop") return;
    for (const model::Draft& draft : model_->plan.nodes) {
      const bool is_met = draft.role == "head" && std::any_of(matches.begin(), matches.end(), [&](const auto& match) {
                            return std::find(match.nodes.begin(), match.nodes.end(), draft.name) != match.nodes.end();
                          });
      if (is_met) return;
    }
    faults_.at_key(at, fmt::format("the model's head is not among what '{}' drops", unit.id), "remove it");
  }

  /// Rates were chosen with the norms that are there.
  void note_norms(Unit& unit) const {
    if (unit.kind() != "swap") return;
    const model::LayerRule* other = model::find_rule(unit.component.to.value("op", std::string()));
    if (other == nullptr || !other->is_norm) return;
    unit.notes.push_back(fmt::format("W310: the learning rate was not chosen with {}", other->kind.name));
  }

  const Json& trial_;
  const std::optional<model::Declared>& model_;
  const Checker& checker_;
  Faults& faults_;
  std::map<std::string, std::string> ids_;  ///< each with its place
  std::vector<Unit> units_;
};

}  // namespace

bool is_component_id(const std::string& id) {
  constexpr std::size_t kLongest = 100;
  const auto is_good = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-'; };
  return !id.empty() && id.size() <= kLongest && std::all_of(id.begin(), id.end(), is_good);
}

bool lies_in(const std::string& place, const std::string& section) {
  return place == section || place.starts_with(section + '.') || place.starts_with(section + '[');
}

Ends Unit::ends() const {
  return {component.what.at("from").get<std::string>(), component.what.at("to").get<std::string>()};
}

std::vector<Unit> units_of(const Json& components, const Json& trial, const std::optional<model::Declared>& model,
                           const Checker& checker, Faults& faults) {
  Resolver resolver(trial, model, checker, faults);
  for (std::size_t i = 0; i < components.size(); ++i) {
    if (components[i].is_object())
      resolver.add_component(components[i], join("ablation.components", std::to_string(i)));
  }
  return resolver.units();
}

}  // namespace dlrun::ablation
