// SPDX-License-Identifier: Apache-2.0
// Events and decisions as rows of the open transaction, in the order in which the study takes them.
#pragma once
#include <cstdint>
#include <optional>

#include "driver/effects.hpp"
#include "driver/incoming.hpp"
#include "driver/origins.hpp"

namespace dlrun::driver {

/// Invariant: the study absorbs events in the order of their rows. A result counts once: if it is not the current
/// attempt's, its worker is answered `fenced` and it is not recorded.
class Recorder {
 public:
  /// All of these outlive it.
  struct Parts {
    study::Study& study;
    storage::Store& store;
    Effects& effects;
    const Retrying& retrying;
    Origins& origins;
    Outbox& outbox;
    Display& display;
  };

  explicit Recorder(const Parts& parts) : parts_(parts) {}

  /// Records an event and all that follows from it. REQUIRES: a transaction is open.
  void absorb(const Incoming& incoming);
  /// Records what the study decides now. REQUIRES: likewise.
  void decide();
  /// Results that were cited so far.
  std::int64_t cited() const { return cited_; }

 private:
  void record(const Incoming& incoming);
  bool is_stale(const study::Event& event) const;
  std::optional<Incoming> as_failure(const Incoming& incoming) const;
  void add_event(const Incoming& incoming);
  void add_decision(const study::Decision& decision);
  void tell_overtaken(const study::Event& event);
  void tell_test(const trial::PieceResult& result);

  Parts parts_;
  std::int64_t cited_ = 0;
};

}  // namespace dlrun::driver
