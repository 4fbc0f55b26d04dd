// SPDX-License-Identifier: Apache-2.0
// A misspelt objective is told while the first program runs, not at its end.
#pragma once
#include <map>
#include <set>
#include <string>

#include "driver/driver.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// Watches what programs report. A line to people, once in a run: trial and metrics, where a second step came and
/// neither this nor any other trial has reported the objective. What dlrun trains reports what its spec promises.
class ObjectiveHint {
 public:
  /// All of these outlive it.
  ObjectiveHint(const spec::StudySpec& spec, const study::Study& study, Display& display);
  void see(const trial::Member& member, const trial::Report& report);

 private:
  struct Seen {
    std::int64_t first_step;
    std::set<std::string> names;
  };
  void tell(const trial::Member& member, const std::set<std::string>& names);

  const std::string& metric_;
  Display& display_;
  bool is_over_;  ///< told, or there is nothing to tell
  std::map<trial::Member, Seen> members_;
};

}  // namespace dlrun::driver
