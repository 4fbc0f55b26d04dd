// SPDX-License-Identifier: Apache-2.0
// Messages that a node was sent and has not taken, and the coroutines of the node that wait for one.
#pragma once
#include <coroutine>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "parallel/message.hpp"

namespace dlrun::parallel {

template <class Real>
class Mailbox {
 public:
  /// The oldest that fits.
  std::optional<Message<Real>> take(const Filter& filter) {
    for (auto at = messages_.begin(); at != messages_.end(); ++at) {
      if (!filter.fits(*at)) continue;
      std::optional<Message<Real>> found = std::move(*at);
      messages_.erase(at);
      waiting_share_ -= found->share * found->packed;
      return found;
    }
    return std::nullopt;
  }
  /// @param into  lent until `then` is resumed or forget() is called
  void wait(Filter filter, std::coroutine_handle<> then, std::optional<Message<Real>>* into) {
    waiting_.push_back({filter, then, into});
  }
  /// Gives the message to the first that waits for it, which goes on at once, or keeps it.
  void deliver(Message<Real> message) {
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at) {
      if (!at->filter.fits(message)) continue;
      const Waiting one = *at;
      waiting_.erase(at);
      *one.into = std::move(message);
      return one.then.resume();
    }
    waiting_share_ += message.share * message.packed;
    messages_.push_back(std::move(message));
  }
  /// Size of the messages that wait, as a part of the model's bytes.
  double waiting_share() const { return waiting_share_; }
  /// For when the coroutines are destroyed.
  void forget() { waiting_.clear(); }

 private:
  struct Waiting {
    Filter filter;
    std::coroutine_handle<> then;
    std::optional<Message<Real>>* into;
  };
  std::deque<Message<Real>> messages_;
  std::vector<Waiting> waiting_;
  double waiting_share_ = 0;
};

}  // namespace dlrun::parallel
