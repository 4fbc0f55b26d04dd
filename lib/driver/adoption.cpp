// SPDX-License-Identifier: Apache-2.0
#include "driver/adoption.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dlrun::driver {

void Adoption::wait_for(const std::vector<study::StartPiece>& under_way, Clock::time_point now) {
  until_ = now + kPatience;
  for (const study::StartPiece& piece : under_way) {
    waiting_.insert({{piece.key, piece.attempt}, {piece, waiting_.size()}});
  }
}

std::optional<study::StartPiece> Adoption::claim(const executor::AttemptKey& attempt) {
  auto found = waiting_.extract(attempt);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped().piece);
}

std::vector<study::AttemptLost> Adoption::overdue(Clock::time_point now) {
  if (now < until_) return {};
  std::vector<Waiting> left;
  for (const auto& [attempt, waiting] : std::exchange(waiting_, {})) left.push_back(waiting);
  std::sort(left.begin(), left.end(), [](const Waiting& a, const Waiting& b) { return a.place < b.place; });
  std::vector<study::AttemptLost> out;
  const std::string message =
      fmt::format("its driver ended, and its worker did not come back within {} s", kPatience.count());
  for (const auto& [piece, place] : left) {
    out.push_back({piece.key, piece.attempt, trial::Cause::driver_lost, message, ""});
  }
  return out;
}

}  // namespace dlrun::driver
