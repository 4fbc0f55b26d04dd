// SPDX-License-Identifier: Apache-2.0
#include "ablation/features.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "ablation/refused.hpp"
#include "ablation/selector.hpp"

namespace dlrun::ablation {

namespace {

bool is_in(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Names entry_texts(const Json& list) {
  Names out;
  for (const Json& entry : list) out.push_back(entry.is_string() ? entry.get<std::string>() : to_text(entry));
  return out;
}

std::string op_of(const Json& data) { return data.is_object() ? data.value("op", std::string()) : ""; }

bool is_image(const Json& data) { return op_of(data) == "cifar" || op_of(data) == "image_folder"; }

bool has_columns(const Json& data) { return op_of(data) == "csv" || op_of(data) == "series"; }

/// The numbers in the files of those that are inputs, ascending.
Names channels_of(const Json& data) {
  const Json list = data.value("channels", Json());
  std::set<std::int64_t> kept;
  if (list.is_array()) {
    for (const Json& channel : list) kept.insert(channel.get<std::int64_t>());
  } else {
    kept = data.value("colour", Json()) == "grey" ? std::set<std::int64_t>{0} : std::set<std::int64_t>{0, 1, 2};
  }
  Names out;
  for (const std::int64_t channel : kept) out.push_back(std::to_string(channel));
  return out;
}

void check_channel(const Json& data, const std::string& channel) {
  const Names known = channels_of(data);
  if (is_in(known, channel)) return;
  throw Refused("E201", fmt::format("channel {} is not among the inputs", channel),
                fmt::format("there are {}", fmt::join(known, ", ")));
}

/// Checks the column against a list of features; the data itself knows the columns of `features: all`.
void check_column(const Json& data, const std::string& column) {
  const Json kept = data.value("features", Json("all"));
  if (!kept.is_array() || is_in(entry_texts(kept), column)) return;
  throw Refused("E201", fmt::format("'{}' is not among the features", column),
                nearest_three(column, entry_texts(kept)));
}

void check_data(const Unit& unit, const Json& data) {
  const bool is_channel = unit.kind() == "drop_channel";
  if (is_channel ? is_image(data) : has_columns(data)) return;
  throw Refused("E201",
                is_channel ? "only images (op: cifar, image_folder) have channels to drop"
                           : "only a table (op: csv) or a series (op: series) has columns to drop",
                "set: changes other data");
}

void check_names(const Unit& unit, const Names& names, const Json& data) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    unit.kind() == "drop_channel" ? check_channel(data, names[i]) : check_column(data, names[i]);
    if (is_in({names.begin(), names.begin() + std::ptrdiff_t(i)}, names[i]))
      throw Refused("E201", fmt::format("'{}' is named twice", names[i]), "name each once");
  }
  if (names.empty()) throw Refused("E201", "nothing is named");
  if (!unit.component.as && names.size() > 1)
    throw Refused("E204",
                  fmt::format("{} {}: one variant without all, or one for each?", names.size(),
                              unit.kind() == "drop_channel" ? "channels" : "columns"),
                  "write as: group, or as: each");
}

/// {feature: how} of all units.
std::map<std::string, std::string> treatments(const std::vector<const Unit*>& units) {
  std::map<std::string, std::string> out;
  for (const Unit* unit : units) {
    for (const std::string& feature : unit->features) {
      const auto [known, is_new] = out.try_emplace(feature, unit->how());
      if (!is_new && known->second != unit->how())
        throw Refused(
            "E212", fmt::format("'{}' cannot be left out in two ways, {} and {}", feature, known->second, unit->how()));
    }
  }
  return out;
}

/// `data.replace` counts channels after `data.channels`.
Json with_numbers_of_files(const Json& replace, const Names& channels) {
  Json out = Json::object();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (replace.contains(std::to_string(i))) out[channels[i]] = replace[std::to_string(i)];
  }
  return out;
}

Json with_numbers_of_inputs(const Json& replace, const Names& channels) {
  Json out = Json::object();
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (replace.contains(channels[i])) out[std::to_string(i)] = replace[channels[i]];
  }
  return out;
}

/// @param kept  becomes the channels that are left
void remove_channels(const Json& data, const Names& removed, Names& kept, Json& sets) {
  kept = channels_of(data);
  if (removed.empty()) return;
  std::erase_if(kept, [&](const std::string& channel) { return is_in(removed, channel); });
  Json numbers = Json::array();
  for (const std::string& channel : kept) numbers.push_back(std::stoll(channel));
  sets["data.channels"] = numbers;
}

void remove_columns(const Json& data, const Names& removed, Json& sets) {
  if (removed.empty()) return;
  const Json features = data.value("features", Json("all"));
  Json list = features.is_array() ? Json::array() : data.value("drop", Json::array());
  if (features.is_array()) {
    for (const Json& column : features) {
      if (!is_in(removed, entry_texts(Json::array({column})).front())) list.push_back(column);
    }
  } else {
    for (const std::string& column : removed) list.push_back(column);
  }
  sets[features.is_array() ? "data.features" : "data.drop"] = list;
}

/// `data.types` without the columns that are no inputs any more; null: nothing changes.
Json without_types(const Json& data, const Names& removed) {
  const Json types = data.value("types", Json());
  Json kept = types;
  for (const std::string& column : removed) {
    if (kept.is_object()) kept.erase(column);
  }
  return kept == types ? Json() : kept;
}

}  // namespace

std::vector<Unit> feature_units(const Unit& unit, const Json& data) {
  check_data(unit, data);
  const Names names = entry_texts(unit.component.what);
  check_names(unit, names, data);
  std::vector<Unit> units;
  const bool is_each = unit.component.as == "each";
  for (const std::string& name : names) {
    if (is_each || units.empty()) units.push_back(unit);
    if (is_each) units.back().id += '.' + name;
    units.back().features.push_back(name);
  }
  return units;
}

Json without_features(const Json& data, const std::vector<const Unit*>& units) {
  Json replace = data.value("replace", Json());
  if (!replace.is_object()) replace = Json::object();
  const Json before = replace;
  if (is_image(data)) replace = with_numbers_of_files(replace, channels_of(data));
  Names removed;
  for (const auto& [feature, how] : treatments(units)) {
    if (how == "remove") removed.push_back(feature);
    how == "remove" ? void(replace.erase(feature)) : void(replace[feature] = how);
  }
  Json sets = Json::object();
  if (is_image(data)) {
    Names kept;
    remove_channels(data, removed, kept, sets);
    replace = with_numbers_of_inputs(replace, kept);
  } else {
    remove_columns(data, removed, sets);
  }
  if (const Json types = without_types(data, removed); !types.is_null()) sets["data.types"] = types;
  if (replace != before) sets["data.replace"] = replace.empty() ? Json() : replace;
  return sets;
}

}  // namespace dlrun::ablation
