// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_designs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ablation/fraction.hpp"
#include "ablation/refused.hpp"

namespace dlrun::spec {

using ablation::Off;
using ablation::Refused;
using ablation::Subset;

namespace {

const std::map<std::string, std::string> kOwnKeys{
    {"groups", "leave_group_out"}, {"variants", "list"}, {"resolution", "fractional"}, {"generators", "fractional"}};

class Planner {
 public:
  Planner(const Json& written, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
          Faults& faults)
      : written_(written), units_(units), model_(model), faults_(faults) {}

  DesignPlan plan(const std::string& design) {
    check_keys(design);
    try {
      if (design == "leave_group_out") {
        leave_groups_out();
      } else if (design == "list") {
        list();
      } else if (design == "fractional") {
        fractional();
      } else if (design == "path" || design == "elimination") {
        steps(design == "path");
      } else {
        for (const Off& off : ablation::variants_of(design, units_.size())) add(name_of(off, design), off);
      }
    } catch (const Refused& fault) {
      faults_.at("ablation.design", fault.what(), fault.hint());
    }
    return std::move(plan_);
  }

 private:
  void add(std::string id, Off off) { plan_.variants.push_back({std::move(id), std::move(off)}); }

  void check_keys(const std::string& design) {
    for (const auto& [key, owner] : kOwnKeys) {
      const std::string at = join("ablation", key);
      if (design != owner && faults_.was_written(at))
        faults_.at_key(at, fmt::format("'{}' says nothing of design {}", key, design),
                       fmt::format("it belongs to {}; remove it", owner));
    }
  }

  std::string name_of(const Off& off, const std::string& design = {}) const {
    std::vector<std::string> names;
    if (design == "add_one_in") {  // by what is put back
      for (std::size_t i = 0; i < units_.size(); ++i) {
        if (std::find(off.begin(), off.end(), i) == off.end()) names.push_back(units_[i].id);
      }
      return names.empty() ? "core" : fmt::format("core+{}", fmt::join(names, "+"));
    }
    for (const std::size_t index : off) names.push_back(units_[index].id);
    return fmt::format("{}", fmt::join(names, "+"));
  }

  /// Of a component, or of all that `as: each` made of it.
  Off named(const std::string& name, const std::string& at) {
    Off off;
    std::vector<std::string> known;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool is_meant = units_[i].id == name || units_[i].written.at("id") == name;
      if (is_meant) off.push_back(i);
      known.push_back(units_[i].id);
    }
    if (off.empty()) faults_.at(at, fmt::format("there is no component '{}'", name), suggest(name, known));
    return off;
  }

  /// Of a list of names, ascending. What is named twice is a slip of the pen.
  Off all_named(const Json& names, const std::string& path) {
    Off off;
    if (names.empty()) faults_.at(path, "no component is named");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string at = join(path, std::to_string(i));
      for (const std::size_t index : named(names[i].get<std::string>(), faults_.was_written(at) ? at : path)) {
        if (std::find(off.begin(), off.end(), index) == off.end()) {
          off.push_back(index);
        } else {
          faults_.at(faults_.was_written(at) ? at : path, fmt::format("'{}' is named twice", units_[index].id),
                     "name it once");
        }
      }
    }
    std::sort(off.begin(), off.end());
    return off;
  }

  /// {name: components}, each of which is a variant.
  void add_lists(const char* key) {
    const std::string path = join("ablation", key);
    for (const auto& [name, names] : written_.at(key).items()) {
      const std::string at = join(path, name);
      if (!names.is_array()) continue;
      if (name == "baseline" || !is_component_id(name))
        faults_.at_key(at, fmt::format("'{}' is no name for a variant", name), "letters, digits, '.', '_' and '-'");
      add(name, all_named(names, at));
    }
  }

  void list() {
    if (!written_.at("variants").is_object() || written_["variants"].empty())
      throw Refused("E250", "a list needs its variants", "variants: {plain: [bn, dropout], …}");
    add_lists("variants");
  }

  void leave_groups_out() {
    if (!written_.at("groups").is_object() || written_["groups"].empty()) return leave_blocks_out();
    add_lists("groups");
    for (std::size_t i = 0; i < units_.size(); ++i) {  // what no group has is one of its own
      const bool is_grouped = std::any_of(plan_.variants.begin(), plan_.variants.end(), [&](const auto& variant) {
        return std::find(variant.off.begin(), variant.off.end(), i) != variant.off.end();
      });
      if (!is_grouped) add(units_[i].id, {i});
    }
  }

  /// Components whose layers stand in one outermost block of the model go together.
  void leave_blocks_out() {
    std::vector<PlannedVariant> groups;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const std::string block = block_of(units_[i]);
      const std::string id = block.empty() ? units_[i].id : block;
      const auto known = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.id == id; });
      known == groups.end() ? groups.push_back({id, {i}}) : known->off.push_back(i);
    }
    if (groups.size() == units_.size())
      throw Refused("E250", "no two components stand in one block of the model, so none go together",
                    "write groups: {NAME: [components], …}, or take design: loco");
    plan_.variants = std::move(groups);
  }

  std::string block_of(const Unit& unit) const {
    if (!model_ || unit.nodes.empty()) return {};
    for (auto block = model_->plan.blocks.rbegin(); block != model_->plan.blocks.rend(); ++block) {
      const bool holds = std::all_of(unit.nodes.begin(), unit.nodes.end(), [&](const std::string& node) {
        return node == block->name || node.starts_with(block->name + '.');
      });
      if (holds && block->name.find('.') == std::string::npos) return block->name;
    }
    return {};
  }

  void fractional() {
    plan_.needs_all = true;
    const Json& generators = written_.at("generators");
    const bool is_chosen = generators.is_object() && !generators.empty();
    if (is_chosen && faults_.was_written("ablation.resolution"))
      faults_.clash("ablation.resolution", "the generators say which resolution it is", "ablation.generators",
                    "the generators", "remove one of them");
    constexpr int kUsual = 4;
    const Json& asked = written_.at("resolution");
    const ablation::Fraction fraction =
        is_chosen ? ablation::fraction_by(units_.size(), generators_of(generators))
                  : ablation::fraction_of(units_.size(), asked.is_number() ? asked.get<int>() : kUsual);
    for (const Off& off : fraction.variants()) add(name_of(off), off);
    plan_.derived["fraction"] = described(fraction);
  }

  /// All sets that may be met on the way.
  void steps(bool puts_back) {
    const Json& path = written_.at("path");
    const bool is_given = puts_back && path.is_object() && path.at("order") == "given";
    const std::size_t most = is_given ? 30 : 8;
    if (units_.size() < 2 || units_.size() > most)
      throw Refused("E250",
                    units_.size() < 2 ? "with fewer than two components there is no way to choose"
                                      : fmt::format("{} components are too many for {} steps, of at most {}",
                                                    units_.size(), is_given ? "given" : "greedy", most),
                    is_given || units_.size() < 2 ? "take design: loco"
                    : puts_back                   ? "write path: {order: given}, or join some components"
                                                  : "join some components, with as: group");
    plan_.is_quiet = !is_given;
    plan_.needs_all = is_given;
    const Subset all = (Subset(1) << units_.size()) - 1;
    if (is_given) {
      for (std::size_t i = 0; i < units_.size(); ++i) add_set(all & ~((Subset(1) << i) - 1), true);
    } else {
      for (Subset set = 1; set <= all; ++set) add_set(set, puts_back);
    }
    plan_.derived["steps"] = {
        {"components", names_in(all)}, {"puts_back", puts_back}, {"order", is_given ? "given" : "greedy"}};
  }

  void add_set(Subset set, bool puts_back) {
    Off off;
    std::vector<std::string> there{"start"};
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if ((set >> i & 1U) != 0) off.push_back(i);
      if ((set >> i & 1U) == 0) there.push_back(units_[i].id);
    }
    add(puts_back ? fmt::format("{}", fmt::join(there, "+")) : name_of(off), off);
  }

  std::map<std::size_t, std::vector<std::size_t>> generators_of(const Json& written) {
    std::map<std::size_t, std::vector<std::size_t>> out;
    for (const auto& [name, names] : written.items()) {
      const std::string at = join("ablation.generators", name);
      const Off made = named(name, at);
      if (made.size() == 1 && names.is_array()) out[made[0]] = all_named(names, at);
    }
    for (const auto& [made, of] : out) {
      const auto is_made = [&](std::size_t index) { return out.contains(index); };
      if (std::any_of(of.begin(), of.end(), is_made))
        throw Refused("E250", fmt::format("'{}' is made of a component that is generated itself", units_[made].id),
                      "make it of those without a generator");
    }
    return out;
  }

  Json names_in(Subset components) const {
    Json names = Json::array();
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if ((components >> i & 1U) != 0) names.push_back(units_[i].id);
    }
    return names;
  }

  Json described(const ablation::Fraction& fraction) const {
    Json words = Json::array(), aliases = Json::array();
    for (const Subset word : fraction.words) words.push_back(names_in(word));
    for (const ablation::Alias& alias : fraction.aliases()) {
      Json others = Json::array();
      for (const Subset other : alias.others) others.push_back(names_in(other));
      aliases.push_back({{"effect", names_in(alias.effect)}, {"with", others}});
    }
    return {{"resolution", fraction.resolution}, {"words", words}, {"aliases", aliases}};
  }

  const Json& written_;
  const std::vector<Unit>& units_;
  const std::optional<model::Declared>& model_;
  Faults& faults_;
  DesignPlan plan_;
};

}  // namespace

DesignPlan planned(const Json& written, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
                   Faults& faults) {
  const bool is_sound = !faults.list.has_errors() && written.at("design").is_string();
  const std::string design = is_sound ? written["design"].get<std::string>() : "loco";  // all faults in one pass
  if (!is_sound) {
    DesignPlan plan;
    for (std::size_t i = 0; i < units.size(); ++i) plan.variants.push_back({units[i].id, {i}});
    return plan;
  }
  return Planner(written, units, model, faults).plan(design);
}

}  // namespace dlrun::spec
