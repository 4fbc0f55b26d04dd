// SPDX-License-Identifier: Apache-2.0
// A plugin that is an executor.
#include <dlrun/plugin/executor.hpp>
#include <stdexcept>

#include "plugin/section.hpp"
#include "service.hpp"

namespace dlrun {

namespace {

plugin::Worker worker_from(const Json& json) {
  plugin::Worker out{.name = json.at("name"),
                     .command = json.at("command"),
                     .environment = {},
                     .log = json.at("log").get<std::string>(),
                     .cores = json.at("cores"),
                     .gpus = json.at("gpus"),
                     .memory_mb = json.at("memory_mb")};
  for (const auto& [name, value] : json.at("environment").items())
    out.environment.emplace_back(name, value.get<std::string>());
  return out;
}

Json to_json(const plugin::WorkerState& state) {
  return {int(state.phase), state.exit_code ? Json(*state.exit_code) : Json(), state.reason};
}

class ExecutorService final : public Service {
 public:
  explicit ExecutorService(const Opened& opened)
      : executor_(opened.object.function<plugin::Executor*(const plugin::Options&)>("dlrun_plugin_executor")(
            plugin::options_of(opened.options, opened.manifest.keys))) {}

  void handle_news(const Json&) override { throw std::invalid_argument("an executor has no news"); }

  Json call(const std::string& name, const Json& request) override {
    if (name == "start") {
      const auto handle = executor_->start(worker_from(request.at("worker")));
      return handle ? Json(*handle) : Json();
    }
    if (name == "state") return states_of(request.at("handles").get<std::vector<std::string>>());
    if (name != "stop") throw std::invalid_argument("an executor has no call " + name);
    executor_->stop(request.at("handle").get<std::string>());
    return {};
  }

 private:
  Json states_of(const std::vector<std::string>& handles) {
    Json out = Json::array();
    for (const plugin::WorkerState& state : executor_->state(handles)) out.push_back(to_json(state));
    return out;
  }

  std::unique_ptr<plugin::Executor> executor_;
};

}  // namespace

std::unique_ptr<Service> make_executor_service(const Opened& opened) {
  return std::make_unique<ExecutorService>(opened);
}

}  // namespace dlrun
