// SPDX-License-Identifier: Apache-2.0
#include "ablation/planner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "ablation/fraction.hpp"
#include "ablation/refused.hpp"

namespace dlrun::ablation {

namespace {

const std::map<std::string, std::string> kOwnKeys{
    {"groups", "leave_group_out"}, {"variants", "list"},        {"race", "race"}, {"path", "path"},
    {"resolution", "fractional"},  {"generators", "fractional"}};

class Planner {
 public:
  Planner(const Section& section, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
          Faults& faults)
      : section_(section), units_(units), model_(model), faults_(faults) {}

  DesignPlan plan() {
    const std::string& design = section_.design;
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
        for (const Off& off : variants_of(design, units_.size())) add_variant(name_of(off), off);
      }
    } catch (const Refused& fault) {
      faults_.at("ablation.design", fault.what(), fault.hint());
    }
    return std::move(plan_);
  }

 private:
  void add_variant(std::string id, Off off) { plan_.variants.push_back({std::move(id), std::move(off)}); }

  void check_keys(const std::string& design) {
    for (const auto& [key, owner] : kOwnKeys) {
      const std::string at = join("ablation", key);
      if (design != owner && faults_.was_written(at))
        faults_.at_key(at, fmt::format("'{}' says nothing of design {}", key, design),
                       fmt::format("it belongs to {}; remove it", owner));
    }
  }

  /// Ids of the components that are off, or of the others.
  Names ids(const Off& off, bool are_off) const {
    Names names;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool is_off = std::find(off.begin(), off.end(), i) != off.end();
      if (is_off == are_off) names.push_back(units_[i].id);
    }
    return names;
  }

  /// "a+b": components that are off, or of add_one_in those put back.
  std::string name_of(const Off& off) const {
    const bool puts_back = section_.design == "add_one_in";
    Names names = ids(off, !puts_back);
    if (puts_back) names.insert(names.begin(), "core");
    return fmt::format("{}", fmt::join(names, "+"));
  }

  /// A component by its name, or all its matches under `as: each`.
  Off named(const std::string& name, const std::string& at) {
    Off off;
    Names known;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      const bool is_meant = units_[i].id == name || units_[i].component.id == name;
      if (is_meant) off.push_back(i);
      known.push_back(units_[i].id);
    }
    if (off.empty()) faults_.at(at, fmt::format("there is no component '{}'", name), suggest(name, known));
    return off;
  }

  /// Components of a list of names, ascending. A name that stands there twice is a slip of the pen.
  Off all_named(const Names& names, const std::string& path) {
    Off off;
    if (names.empty()) faults_.at(path, "no component is named");
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string at = join(path, std::to_string(i));
      for (const std::size_t index : named(names[i], faults_.was_written(at) ? at : path)) {
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
  void add_lists(const std::string& key, const std::map<std::string, Names>& lists) {
    const std::string path = join("ablation", key);
    for (const auto& [name, names] : lists) {
      const std::string at = join(path, name);
      if (name == "baseline" || !is_component_id(name))
        faults_.at_key(at, fmt::format("'{}' is no name for a variant", name), "letters, digits, '.', '_' and '-'");
      add_variant(name, all_named(names, at));
    }
  }

  void list() {
    if (section_.variants.empty())
      throw Refused("E250", "a list needs its variants", "variants: {plain: [bn, dropout], …}");
    add_lists("variants", section_.variants);
  }

  void leave_groups_out() {
    if (section_.groups.empty()) return leave_blocks_out();
    add_lists("groups", section_.groups);
    for (std::size_t i = 0; i < units_.size(); ++i) {  // a component without a group is one of its own
      const bool is_grouped = std::any_of(plan_.variants.begin(), plan_.variants.end(), [&](const auto& variant) {
        return std::find(variant.off.begin(), variant.off.end(), i) != variant.off.end();
      });
      if (!is_grouped) add_variant(units_[i].id, {i});
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
    const bool is_chosen = !section_.generators.empty();
    if (is_chosen && faults_.was_written("ablation.resolution"))
      faults_.clash("ablation.resolution", "the generators say which resolution it is", "ablation.generators",
                    "the generators", "remove one of them");
    constexpr int kUsual = 4;
    const Fraction fraction = is_chosen ? fraction_by(units_.size(), generators())
                                        : fraction_of(units_.size(), section_.resolution.value_or(kUsual));
    for (const Off& off : fraction.variants()) add_variant(name_of(off), off);
    plan_.fraction = described(fraction);
  }

  /// All sets that may be met on the way.
  void steps(bool puts_back) {
    const bool is_given = puts_back && section_.path.order == "given";
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
    plan_.steps = {names_in(all), puts_back, is_given ? "given" : "greedy"};
  }

  void add_set(Subset set, bool puts_back) {
    Off off;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if ((set >> i & 1U) != 0) off.push_back(i);
    }
    Names there = ids(off, false);
    there.insert(there.begin(), "start");
    add_variant(puts_back ? fmt::format("{}", fmt::join(there, "+")) : name_of(off), off);
  }

  std::map<std::size_t, std::vector<std::size_t>> generators() {
    std::map<std::size_t, std::vector<std::size_t>> out;
    for (const auto& [name, names] : section_.generators) {
      const std::string at = join("ablation.generators", name);
      const Off made = named(name, at);
      if (made.size() == 1) out[made[0]] = all_named(names, at);
    }
    for (const auto& [made, of] : out) {
      const auto is_made = [&](std::size_t index) { return out.contains(index); };
      if (std::any_of(of.begin(), of.end(), is_made))
        throw Refused("E250", fmt::format("'{}' is made of a component that is generated itself", units_[made].id),
                      "make it of those without a generator");
    }
    return out;
  }

  Names names_in(Subset components) const {
    Names names;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if ((components >> i & 1U) != 0) names.push_back(units_[i].id);
    }
    return names;
  }

  NamedFraction described(const Fraction& fraction) const {
    NamedFraction out{fraction.resolution, {}, {}};
    for (const Subset word : fraction.words) out.words.push_back(names_in(word));
    for (const Alias& alias : fraction.aliases()) {
      NamedAlias& named = out.aliases.emplace_back(NamedAlias{names_in(alias.effect), {}});
      for (const Subset other : alias.others) named.with.push_back(names_in(other));
    }
    return out;
  }

  const Section& section_;
  const std::vector<Unit>& units_;
  const std::optional<model::Declared>& model_;
  Faults& faults_;
  DesignPlan plan_;
};

}  // namespace

DesignPlan planned(const Section& section, const std::vector<Unit>& units, const std::optional<model::Declared>& model,
                   Faults& faults) {
  if (!faults.list.has_errors()) return Planner(section, units, model, faults).plan();
  DesignPlan plan;  // each component is left out alone, so that all faults are found in one pass
  for (std::size_t i = 0; i < units.size(); ++i) plan.variants.push_back({units[i].id, {i}});
  return plan;
}

}  // namespace dlrun::ablation
