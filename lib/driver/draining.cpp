// SPDX-License-Identifier: Apache-2.0
#include "driver/draining.hpp"

#include <vector>

namespace dlrun::driver {

namespace {

constexpr std::chrono::milliseconds kGrace{10000};    ///< for workers to save and end
constexpr std::chrono::milliseconds kFarewell{5000};  ///< for idle workers to end

}  // namespace

void Draining::watch() {
  Ending& ending = parts_.ending;
  if (parts_.signals.count() >= 2) ending.begin_at_once("interrupted");
  const auto passed = parts_.limits.passed(parts_.clock.now());
  if (ending.has_begun()) return;
  if (parts_.signals.count() == 1) {
    parts_.display.line("interrupted: workers save and end (at most 10 s); once more ends at once");
    return begin(Ending::By::signal, "interrupted");
  }
  if (!passed || parts_.study.is_finished()) return;
  parts_.incoming.push_back({study::StopAsked{*passed}});  // an event, as if a person asked
  begin(Ending::By::time, *passed);
}

void Draining::end_outage() {
  if (parts_.ending.has_begun() || !parts_.outage.has_begun()) return;
  std::vector<trial::PieceKey> running;
  for (const Placement& placement : parts_.dispatcher.running()) running.push_back(placement.work.piece.key);
  if (parts_.outage.is_general(running)) begin(Ending::By::outage, parts_.outage.message());
}

void Draining::stop(const std::string& why) {
  if (!parts_.ending.has_begun()) parts_.incoming.push_back({study::StopAsked{why}});
  begin(Ending::By::person, why);
}

void Draining::begin(Ending::By by, const std::string& why) {
  if (parts_.ending.has_begun()) return;
  parts_.ending.begin(by, why);
  parts_.executor.shut_down(parts_.dispatcher.is_idle() ? kFarewell : kGrace);
}

}  // namespace dlrun::driver
