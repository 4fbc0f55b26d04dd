// SPDX-License-Identifier: Apache-2.0
#include "trial_study.hpp"

#include <fmt/format.h>

#include "document/emit.hpp"
#include "report/report.hpp"
#include "storage/store.hpp"

namespace dlrun::cli {

namespace {

/// The active parameters that name no place, as constants.
Json constants(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  const report::Table params = report::sql(
      store, {study}, fmt::format("select name, value, type from params where trial = {} and place = ''", trial));
  Json space = Json::object();
  for (const auto& row : params.rows) {
    space[row[0].get<std::string>()] = {{"type", "constant"}, {"value", row[1]}};
  }
  return space;
}

std::string heading(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  const report::Table row =
      report::sql(store, {study}, fmt::format("select state, objective, epochs from trials where trial = {}", trial));
  const Json& objective = row.rows.at(0).at(1);
  return fmt::format("# Trial {}/{}: {}, objective {}. Run it alone with `dlrun tune`.\n", study, trial,
                     row.rows[0][0].get<std::string>(), objective.is_null() ? "unknown" : to_text(objective));
}

/// null is what every key without a default means anyway.
void drop_nulls(Json& value) {
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end();) {
      member = member->is_null() ? value.erase(member) : std::next(member);
    }
  }
  if (value.is_structured()) {
    for (Json& inner : value) drop_nulls(inner);
  }
}

}  // namespace

std::string trial_study(const std::filesystem::path& store, const std::string& study, std::int64_t trial) {
  Json spec = storage::Store::find(store, study).value().spec;
  spec["study"] = fmt::format("{}-trial-{}", study, trial);
  spec["space"] = constants(store, study, trial);
  spec["trial"] = report::Reader(store, {study}).trial_config(trial);
  spec["limits"] = {{"trials", 1}};
  spec.erase("derived");
  spec["search"] = {{"sampler", "random"}};
  drop_nulls(spec);
  return heading(store, study, trial) + document::to_yaml(spec);
}

}  // namespace dlrun::cli
