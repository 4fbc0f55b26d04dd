// SPDX-License-Identifier: Apache-2.0
#include "trial/use.hpp"

#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

Json to_json(const UseOptions& o) {
  return {{"split", o.split},
          {"files", o.files},
          {"unseen", o.unseen},
          {"id", o.id},
          {"metrics", o.metrics},
          {"predicts", o.predicts},
          {"describes", o.describes},
          {"output_format", o.output_format},
          {"wants_logits", o.wants_logits}};
}

UseOptions use_options(const Json& json) {
  try {
    return {json.at("split").get<std::string>(),
            json.at("files"),
            json.at("unseen").get<std::string>(),
            json.at("id").get<std::string>(),
            json.at("metrics"),
            json.at("predicts").get<bool>(),
            json.at("describes").get<bool>(),
            json.at("output_format").get<std::string>(),
            json.at("wants_logits").get<bool>()};
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed use: ") + fault.what());
  }
}

Json to_json(const Use& use) {
  Json json = {{"examples", use.examples},
               {"metrics", Json::array()},
               {"undefined", use.undefined},
               {"runtime", to_json(use.runtime)},
               {"prepared", use.prepared}};
  for (const Metric& metric : use.metrics) json["metrics"].push_back({metric.name, number_to_json(metric.value)});
  return json;
}

Use use_of(const Json& json) {
  try {
    Use use{.examples = whole<std::int64_t>(json.at("examples")),
            .undefined = json.at("undefined").get<std::vector<std::string>>(),
            .runtime = runtime(json.at("runtime")),
            .prepared = json.at("prepared")};
    for (const Json& metric : json.at("metrics"))
      use.metrics.push_back({metric.at(0).get<std::string>(), number_from_json(metric.at(1))});
    return use;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed answer about a use: ") + fault.what());
  }
}

}  // namespace dlrun::trial
