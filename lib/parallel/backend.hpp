// SPDX-License-Identifier: Apache-2.0
// The machines of a gang for one epoch: in virtual time, or processes.
#pragma once
#include <cstdint>

#include "parallel/deal.hpp"

namespace dlrun::parallel {

/// Sums over the nodes that are played here.
struct Cost {
  std::int64_t gradients = 0;
  double computing = 0;  ///< seconds in gradients
  double bytes = 0;      ///< sent

  Cost& operator+=(const Cost& more) {
    gradients += more.gradients;
    computing += more.computing;
    bytes += more.bytes;
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
  /// Seconds since the epoch began.
  virtual double now() const = 0;
  virtual Cost cost() const = 0;
};

}  // namespace dlrun::parallel
