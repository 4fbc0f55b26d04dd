// SPDX-License-Identifier: Apache-2.0
#include "driver/stragglers.hpp"

#include <algorithm>
#include <vector>

namespace dlrun::driver {

namespace {

double median(std::vector<double>& values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void Stragglers::begin(const study::StartPiece& piece, study::Tick ticks, Clock::time_point now) {
  running_.insert_or_assign({piece.key, piece.attempt}, Running{{piece, ticks}, now});
}

void Stragglers::learn(const study::StartPiece& piece, study::Tick ticks, double seconds) {
  learn({piece, ticks}, seconds);
}

void Stragglers::learn(const Length& length, double seconds) {
  finished_.push_back({length, seconds});
  if (finished_.size() > kMost) finished_.pop_front();
}

bool Stragglers::is_whole(const trial::PieceResult& result) {
  return result.outcome == trial::Outcome::completed && result.attempt == 1 && !result.shared;
}

void Stragglers::finish(const trial::PieceResult& result) {
  const auto found = running_.find({result.key, result.attempt});
  if (found == running_.end()) return;
  if (is_whole(result)) learn(found->second.length, result.seconds);
  running_.erase(found);
}

std::optional<double> Stragglers::expected(const Length& length) const {
  const auto of_equals = expected(length, true);
  return of_equals ? of_equals : expected(length, false);
}

std::optional<double> Stragglers::expected(const Length& length, bool is_of_equals) const {
  std::vector<double> by_epoch, by_tick;
  for (const Finished& finished : finished_) {
    if (is_of_equals && finished.length.epochs != length.epochs) continue;
    by_epoch.push_back(finished.seconds / finished.length.epochs);
    by_tick.push_back(finished.seconds / finished.length.ticks);
  }
  if (by_epoch.size() < kLeast) return std::nullopt;
  return std::max(median(by_epoch) * length.epochs, median(by_tick) * length.ticks);
}

std::optional<Stragglers::Late> Stragglers::worst(
    Clock::time_point now, const std::function<bool(const executor::AttemptKey&)>& may_be_copied) const {
  std::optional<Late> worst;
  for (const auto& [attempt, running] : running_) {
    const double seconds = std::chrono::duration<double>(now - running.since).count();
    if (seconds < rules_->after) continue;
    const auto expected = this->expected(running.length);
    if (!expected || seconds <= rules_->factor * *expected) continue;
    if (worst && seconds * worst->expected <= worst->seconds * *expected) continue;
    if (may_be_copied(attempt)) worst = Late{attempt, seconds, *expected};
  }
  return worst;
}

}  // namespace dlrun::driver
