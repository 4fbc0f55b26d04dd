// SPDX-License-Identifier: Apache-2.0
// The machines of a gang for one epoch: in virtual time, or processes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "parallel/deal.hpp"
#include "parallel/time_split.hpp"

namespace dlrun::parallel {

/// Cost of an epoch, of one process: a rank, or a server with all its shards.
struct Cost {
  int process = 0;
  std::int64_t gradients = 0;
  Seconds seconds;
  double sent = 0, received = 0;  ///< bytes
  double mailbox = 0;             ///< most bytes that have waited to be taken in

  /// REQUIRES: the same process.
  Cost& operator+=(const Cost& more) {
    gradients += more.gradients;
    seconds += more.seconds;
    sent += more.sent;
    received += more.received;
    mailbox = std::max(mailbox, more.mailbox);
    return *this;
  }
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Begins all coroutines. They take the gradients of these batches.
  virtual void begin(const Deal& deal) = 0;
  /// Does the next thing there is to do. @return false: all batches are done and all messages have come in
  /// @throws whatever the learner throws
  virtual bool advance() = 0;
  /// Destroys the coroutines and empties the mailboxes, once advance() has returned false.
  virtual void end() = 0;

  /// Batches of the epoch that ranks have begun, as far as this process knows.
  virtual std::int64_t started() const = 0;
  /// The same when the server that is under way took in its last message: its schedule goes by this.
  virtual std::int64_t begun() const { return started(); }
  /// Batches that are not trained on again if a rank is lost now: before the round of the first rank, if ranks go in
  /// step; or all that were begun.
  virtual std::int64_t settled() const = 0;
  /// Seconds since the epoch began.
  virtual double now() const = 0;
  /// Costs of the processes that are played here, in order.
  virtual std::vector<Cost> costs() const = 0;
  /// Bytes that they have sent, all together.
  virtual double bytes() const = 0;
  /// Record of the process that is played here (record.hpp); empty: nothing is recorded.
  virtual std::string record() const { return {}; }
};

}  // namespace dlrun::parallel
