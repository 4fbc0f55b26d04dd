// SPDX-License-Identifier: Apache-2.0
#include "worker/orders.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::worker {

namespace {

Attempt attempt_of(const trial::PieceOrder& order) { return {order.key, order.attempt}; }

}  // namespace

void Orders::add(trial::PieceOrder order) {
  const Attempt attempt = attempt_of(order);
  const auto is_it = [&](const trial::PieceOrder& other) { return attempt_of(other) == attempt; };
  const bool is_here = current_ == attempt || std::any_of(waiting_.begin(), waiting_.end(), is_it);
  if (!may_repeat_ || !is_here) waiting_.push_back(std::move(order));
}

trial::PieceOrder Orders::begin() {
  trial::PieceOrder order = std::move(waiting_.front());
  waiting_.pop_front();
  current_ = attempt_of(order);
  stop_ = abandoned_.erase(*current_) > 0 ? StopReason::abandoned : StopReason::none;
  return order;
}

void Orders::stop(StopReason reason) {
  if (reason == StopReason::shutdown || stop_ == StopReason::none) stop_ = reason;
}

void Orders::abandon(const Attempt& attempt) {
  if (current_ == attempt) return stop(StopReason::abandoned);
  for (const trial::PieceOrder& order : waiting_) {
    if (attempt_of(order) == attempt) abandoned_.insert(attempt);
  }
}

std::vector<Attempt> Orders::held() const {
  std::vector<Attempt> all;
  if (current_ && stop_ != StopReason::abandoned) all.push_back(*current_);
  for (const trial::PieceOrder& order : waiting_) {
    if (!abandoned_.contains(attempt_of(order))) all.push_back(attempt_of(order));
  }
  return all;
}

void Orders::keep_all() {
  unsettled_.clear();
  if (current_) unsettled_.insert(*current_);
  for (const trial::PieceOrder& order : waiting_) unsettled_.insert(attempt_of(order));
}

void Orders::give_up_all() {
  unsettled_.clear();
  waiting_.clear();
  if (current_) stop(StopReason::abandoned);
}

}  // namespace dlrun::worker
