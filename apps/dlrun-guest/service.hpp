// SPDX-License-Identifier: Apache-2.0
// A plugin at work: the calls of its kind.
#pragma once
#include <memory>
#include <string>

#include "object.hpp"
#include "plugin/manifest.hpp"
#include "util/json.hpp"

namespace dlrun {

class Service {
 public:
  virtual ~Service() = default;
  /// News have no answer. Exceptions of the plugin pass through, of `call` too.
  virtual void handle_news(const Json& news) = 0;
  /// Answers a call.
  virtual Json call(const std::string& name, const Json& request) = 0;
};

/// Facts that a plugin is made with.
struct Opened {
  const Object& object;
  const plugin::Manifest& manifest;
  const Json& options;  ///< the section of the study
  const Json& setting;  ///< further facts, by kind
};

/// @throws Error(usage) for a kind that has no service; any exception of the plugin's constructor
std::unique_ptr<Service> make_service(const Opened& opened);

/// The kinds, one for each.
std::unique_ptr<Service> make_sampler_service(const Opened& opened);
std::unique_ptr<Service> make_pruner_service(const Opened& opened);
std::unique_ptr<Service> make_exporter_service(const Opened& opened);
std::unique_ptr<Service> make_executor_service(const Opened& opened);

}  // namespace dlrun
