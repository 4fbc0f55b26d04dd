// SPDX-License-Identifier: Apache-2.0
#include "trial/plugin_contract.hpp"

#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

Json to_json(const PluginTest& t) {
  return {{"kind", t.kind}, {"name", t.name}, {"section", t.section}, {"first", t.first}, {"deadline", t.deadline}};
}

PluginTest plugin_test(const Json& json) {
  try {
    return {json.at("kind").get<std::string>(), json.at("name").get<std::string>(), json.at("section"),
            whole<std::int64_t>(json.at("first")), json.at("deadline").get<double>()};
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed test of a plugin: ") + fault.what());
  }
}

Json to_json(const PluginVerdict& v) {
  return {{"test", v.test}, {"has_begun", v.has_begun}, {"has_passed", v.has_passed}, {"detail", v.detail}};
}

PluginVerdict plugin_verdict(const Json& json) {
  try {
    return {json.at("test").get<std::string>(), json.at("has_begun").get<bool>(), json.at("has_passed").get<bool>(),
            json.at("detail").get<std::string>()};
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed verdict on a plugin: ") + fault.what());
  }
}

}  // namespace dlrun::trial
