// SPDX-License-Identifier: Apache-2.0
#include "trial/profile.hpp"

#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

Json to_json(const ModelProfile& p) {
  Json json = {{"step", p.step},
               {"batch", p.batch},
               {"steps", p.steps},
               {"peak_rss", p.peak_rss},
               {"runtime", to_json(p.runtime)},
               {"layers", Json::array()},
               {"phases", Json::array()}};
  for (const LayerProfile& l : p.layers) {
    json["layers"].push_back({{"name", l.name},
                              {"op", l.op},
                              {"forward", l.forward},
                              {"backward", l.backward},
                              {"parameters", l.parameters},
                              {"activation", l.activation},
                              {"operations", l.operations}});
  }
  for (const PhaseProfile& phase : p.phases)
    json["phases"].push_back({{"name", phase.name}, {"seconds", phase.seconds}});
  return json;
}

ModelProfile model_profile(const Json& json) {
  try {
    ModelProfile p;
    p.step = json.at("step").get<double>();
    p.batch = whole<std::int64_t>(json.at("batch"));
    p.steps = whole<std::int64_t>(json.at("steps"));
    p.peak_rss = whole<std::int64_t>(json.at("peak_rss"));
    p.runtime = runtime(json.at("runtime"));
    for (const Json& l : json.at("layers")) {
      p.layers.push_back({l.at("name").get<std::string>(), l.at("op").get<std::string>(), l.at("forward").get<double>(),
                          l.at("backward").get<double>(), whole<std::int64_t>(l.at("parameters")),
                          whole<std::int64_t>(l.at("activation")), whole<std::int64_t>(l.at("operations"))});
    }
    for (const Json& phase : json.at("phases")) {
      p.phases.push_back({phase.at("name").get<std::string>(), phase.at("seconds").get<double>()});
    }
    return p;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed profile: ") + fault.what());
  }
}

}  // namespace dlrun::trial
