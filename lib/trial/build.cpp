// SPDX-License-Identifier: Apache-2.0
#include "trial/build.hpp"

#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

Json to_json(const BuiltModel& m) {
  return {{"is_built", m.is_built}, {"parameters", m.parameters}, {"has_finite_loss", m.has_finite_loss},
          {"dead", m.dead},         {"place", m.place},           {"fault", m.fault}};
}

BuiltModel built_model(const Json& json) {
  try {
    return {json.at("is_built").get<bool>(),        whole<std::int64_t>(json.at("parameters")),
            json.at("has_finite_loss").get<bool>(), json.at("dead").get<std::vector<std::string>>(),
            json.at("place").get<std::string>(),    json.at("fault").get<std::string>()};
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed answer about a build: ") + fault.what());
  }
}

}  // namespace dlrun::trial
