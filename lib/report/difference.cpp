// SPDX-License-Identifier: Apache-2.0
// Two trials side by side: settings that differ, and what both measured.
#include <algorithm>
#include <map>
#include <set>

#include "options/value.hpp"
#include "report/opened.hpp"

namespace dlrun::report {

namespace {

struct Side {
  const OpenedStudy& study;
  std::int64_t number;

  std::string name() const { return trial_name(study, number); }
};

using Values = std::map<std::string, Json>;

/// Facts that say nothing of what a trial is or measured.
const std::set<std::string> kLeftOut{"worker", "started", "finished", "message"};

/// Is it a list of maps with names, such as the layers of a model?
bool is_named_list(const Json& value) {
  return value.is_array() && !value.empty() && std::all_of(value.begin(), value.end(), [](const Json& item) {
           return item.is_object() && item.contains("name") && item["name"].is_string();
         });
}

/// Values by their paths; a list of maps with names as those names in their order, and each map below its name.
void flatten(const Json& value, const std::string& path, Values& out) {
  if (is_named_list(value)) {
    std::string names;
    for (Json item : value) {
      const auto name = item["name"].get<std::string>();
      item.erase("name");
      names += (names.empty() ? "" : ", ") + name;
      flatten(item, options::place_of(path, name), out);
    }
    out[path] = names;
  } else if (value.is_object()) {
    for (const auto& [key, inner] : value.items()) flatten(inner, options::place_of(path, key), out);
  } else {
    out[path] = value.is_array() ? Json(to_text(value)) : value;
  }
}

/// All settings of a trial by their place in `trial:`, parameters that set no place by their name, and the seed.
Values settings_of(const Side& side) {
  Values settings;
  flatten(config_of(side.study, side.number), "", settings);
  storage::Statement seed = side.study.query("SELECT seed FROM dl_study");
  if (seed.step()) settings["seed"] = cell(seed, 0);
  const Json params = params_of(side.study, side.number);
  storage::Statement names = side.study.query("SELECT name FROM dl_parameter WHERE place = ''");
  while (names.step()) {
    const std::string name(names.text(0));
    if (params.contains(name)) settings[name] = params[name];
  }
  return settings;
}

Json value_of(const Values& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? Json() : found->second;
}

Table settings_that_differ(const Side& a, const Side& b) {
  Table table{"settings that differ", {"setting", a.name(), b.name()}, {}};
  const Values first = settings_of(a), second = settings_of(b);
  Values all = first;
  all.insert(second.begin(), second.end());
  for (const auto& [key, _] : all) {
    const Json one = value_of(first, key), other = value_of(second, key);
    if (one != other) table.rows.push_back({key, one, other});
  }
  return table;
}

/// Facts of a trial, then the last value of each metric, the mean of its members.
std::vector<std::pair<std::string, Json>> measured(const Side& side) {
  std::vector<std::pair<std::string, Json>> out;
  for (auto& fact : facts_beside_params(side.study, side.number)) {
    if (!kLeftOut.contains(fact.first)) out.push_back(std::move(fact));
  }
  storage::Statement last = side.study.query(
      "SELECT metric, avg(value) FROM v_metrics m WHERE trial = ?1 AND step = (SELECT max(step) FROM v_metrics n WHERE "
      "trial = ?1 AND n.metric = m.metric AND n.replicate = m.replicate AND n.fold = m.fold) "
      "GROUP BY metric ORDER BY metric");
  last.bind(side.number);
  while (last.step()) out.emplace_back("last " + std::string(last.text(0)), cell(last, 1));
  return out;
}

/// Second less first; null: not both are numbers.
Json change(const Json& first, const Json& second) {
  if (first.is_number_integer() && second.is_number_integer())
    return second.get<std::int64_t>() - first.get<std::int64_t>();
  if (!first.is_number() || !second.is_number()) return nullptr;
  return second.get<double>() - first.get<double>();
}

Table measured_beside(const Side& a, const Side& b) {
  Table table{"measured", {"fact", a.name(), b.name(), "difference"}, {}};
  const auto row_of = [&](const std::string& fact) {
    return std::find_if(table.rows.begin(), table.rows.end(), [&](const auto& row) { return row[0] == fact; });
  };
  for (const auto& [fact, value] : measured(a)) table.rows.push_back({fact, value, nullptr, nullptr});
  for (const auto& [fact, value] : measured(b)) {
    const auto row = row_of(fact);
    if (row == table.rows.end()) {
      table.rows.push_back({fact, nullptr, value, nullptr});
      continue;
    }
    (*row)[2] = value;
    (*row)[3] = change((*row)[1], value);
  }
  return table;
}

}  // namespace

std::vector<Table> difference_of(const OpenedStudy& a, std::int64_t first, const OpenedStudy& b, std::int64_t second) {
  const Side one{a, first}, other{b, second};
  return {settings_that_differ(one, other), measured_beside(one, other)};
}

}  // namespace dlrun::report
