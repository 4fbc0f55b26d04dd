// SPDX-License-Identifier: Apache-2.0
// A plugin that is a pruner.
#include <dlrun/plugin/pruner.hpp>
#include <stdexcept>

#include "host_random.hpp"
#include "plugin/section.hpp"
#include "service.hpp"

namespace dlrun {

namespace {

plugin::RungValue rung_value_from(const Json& json) {
  return {.trial = json.at(0), .rung = json.at(1), .value = json.at(2), .violation = json.at(3)};
}

std::vector<plugin::CurvePoint> points_from(const Json& json) {
  std::vector<plugin::CurvePoint> points;
  for (const Json& one : json) points.push_back({one.at(0), one.at(1)});
  return points;
}

class PrunerService final : public Service {
 public:
  explicit PrunerService(const Opened& opened)
      : options_(plugin::options_of(opened.options, opened.manifest.keys)),
        streams_(opened.setting.at("seed"), opened.manifest.name),
        pruner_(opened.object.function<plugin::Pruner*(const plugin::Judging&)>("dlrun_plugin_pruner")(
            {.options = options_,
             .streams = streams_,
             .rungs = opened.setting.at("rungs").get<std::vector<std::int64_t>>(),
             .maximize = opened.setting.at("maximize"),
             .members = opened.setting.at("members")})) {}

  void handle_news(const Json& news) override {
    const std::string& what = news.begin().key();
    const Json& told = news.begin().value();
    if (what == "on_curve") return pruner_->on_curve(told.at(0), points_from(told.at(1)));
    if (what == "on_whole") return pruner_->on_whole(rung_value_from(told));
    if (what == "on_failed") return pruner_->on_failed(told.at(0), told.at(1));
    if (what == "on_end") return pruner_->on_end(told.at(0), told.at(1));
    throw std::invalid_argument("a pruner has no news " + what);
  }

  Json call(const std::string& name, const Json& request) override {
    if (name != "judge") throw std::invalid_argument("a pruner has no call " + name);
    const plugin::Verdict verdict = pruner_->judge(rung_value_from(request.at("at")));
    return {{"stops", verdict.stops}, {"reason", verdict.reason}};
  }

 private:
  plugin::Options options_;
  HostStreams streams_;
  std::unique_ptr<plugin::Pruner> pruner_;
};

}  // namespace

std::unique_ptr<Service> make_pruner_service(const Opened& opened) { return std::make_unique<PrunerService>(opened); }

}  // namespace dlrun
