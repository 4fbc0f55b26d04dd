// SPDX-License-Identifier: Apache-2.0
// A plugin that is a sampler.
#include <dlrun/plugin/sampler.hpp>
#include <stdexcept>

#include "guest/space_json.hpp"
#include "host_random.hpp"
#include "host_space.hpp"
#include "plugin/section.hpp"
#include "service.hpp"

namespace dlrun {

namespace {

plugin::Result result_from(const Json& json) {
  return {.trial = json.at(0),
          .point = json.at(1).get<plugin::Point>(),
          .objectives = json.at(2).get<std::vector<double>>(),
          .epochs = json.at(3),
          .is_final = json.at(4),
          .violation = json.at(5)};
}

class SamplerService final : public Service {
 public:
  explicit SamplerService(const Opened& opened)
      : space_(guest::space_from_json(opened.setting.at("space"))),
        options_(plugin::options_of(opened.options, opened.manifest.keys)),
        streams_(opened.setting.at("seed"), opened.manifest.name),
        learns_(opened.manifest.whole.at("learns")),
        sampler_(opened.object.function<plugin::Sampler*(const plugin::Search&)>("dlrun_plugin_sampler")(
            {.space = space_,
             .options = options_,
             .streams = streams_,
             .objectives = opened.setting.at("objectives")})) {}

  void handle_news(const Json& news) override {
    if (news.contains("on_result")) return sampler_->on_result(result_from(news["on_result"]));
    if (news.contains("on_start")) return sampler_->on_start(news["on_start"].at(0), news["on_start"].at(1));
    std::vector<plugin::Result> lessons;
    for (const Json& one : news.at("learn")) lessons.push_back(result_from(one));
    if (learns_) sampler_->learn(lessons);
  }

  Json call(const std::string& name, const Json& request) override {
    if (name != "propose") throw std::invalid_argument("a sampler has no call " + name);
    HostRandom random = streams_.of_decision(request.at("number"), request.at("attempt"));
    const auto point = sampler_->propose(request.at("number"), random);
    return {{"values", point ? Json(*point) : Json()}, {"reason", sampler_->reason()}};
  }

 private:
  HostSpace space_;
  plugin::Options options_;
  HostStreams streams_;
  bool learns_;
  std::unique_ptr<plugin::Sampler> sampler_;
};

}  // namespace

std::unique_ptr<Service> make_sampler_service(const Opened& opened) { return std::make_unique<SamplerService>(opened); }

}  // namespace dlrun
