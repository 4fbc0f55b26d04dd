// SPDX-License-Identifier: Apache-2.0
// Commands of people to a running study (the requests are listed in README.md).
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "driver/side_rows.hpp"
#include "spec/study_spec.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// A reply, and what follows from the request.
struct Commanded {
  Json reply;
  std::optional<study::Event> event = {};      ///< to be absorbed, before the reply leaves
  std::optional<Remark> remark = {};           ///< to be written likewise
  std::optional<std::string> stops = {};       ///< the run ends: why
  std::optional<std::string> hands_over = {};  ///< the run ends for another driver
};

/// Decides nothing: a command is granted by the study's present state, and the study absorbs its event.
class Commands {
 public:
  /// @param spec, study  outlive it    @param status  the reply to "status"
  Commands(const spec::StudySpec& spec, const study::Study& study, std::function<Json()> status)
      : spec_(spec), study_(study), status_(std::move(status)) {}

  /// A request that cannot be granted has a reply with "error", and nothing follows from it.
  Commanded answer(const Json& request) const;

 private:
  Commanded obey(const std::string& command, const Json& request) const;
  Commanded cancel(const Json& request) const;
  Commanded retry(const Json& request) const;
  Commanded enqueue(const Json& asked) const;
  Commanded annotate(const Json& request, bool is_tag) const;
  trial::TrialId trial_in(const Json& request) const;

  const spec::StudySpec& spec_;
  const study::Study& study_;
  std::function<Json()> status_;
};

}  // namespace dlrun::driver
