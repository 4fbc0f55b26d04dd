// SPDX-License-Identifier: Apache-2.0
// Effects of the study as rows of the open transaction and as orders for the outbox.
#pragma once
#include <vector>

#include "driver/adoption.hpp"
#include "driver/citing.hpp"
#include "driver/curves.hpp"
#include "driver/driver.hpp"
#include "driver/outbox.hpp"
#include "driver/retrying.hpp"
#include "driver/stages.hpp"
#include "driver/tally.hpp"

namespace dlrun::driver {

/// Carries out what a step of the study asks for. Nothing leaves the process: orders wait in the outbox.
class Effects {
 public:
  /// All of these outlive it.
  struct Parts {
    const spec::StudySpec& spec;
    const study::Study& study;
    storage::Store& store;
    Outbox& outbox;
    Citing& citing;
    const Retrying& retrying;
    Adoption& adoption;
    Stages& stages;
    Tally& tally;
    Curves& curves;
    Display& display;
  };

  explicit Effects(const Parts& parts) : parts_(parts) {}

  /// REQUIRES: a transaction is open. @param wait  before the pieces that these start
  void carry_out(const std::vector<study::Effect>& effects, Clock::duration wait = {});

 private:
  void carry_out(const study::StartPiece& start, Clock::duration wait);
  void carry_out(const study::MeasureTest& measure, Clock::duration wait);
  void carry_out(const study::AbandonPiece& abandoned);
  void carry_out(const study::TrialChanged& change);
  void carry_out(const study::MemberMeasured& measured);
  void carry_out(const study::Diverged& diverged);
  void carry_out(const study::Finished& finished);

  Parts parts_;
  int test_attempts_ = 0;
};

}  // namespace dlrun::driver
