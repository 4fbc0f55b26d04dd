// SPDX-License-Identifier: Apache-2.0
#include "train/step_log.hpp"

#include <unistd.h>

#include <fstream>

#include "train/training.hpp"

namespace dlrun::train {

namespace {

/// 0 where /proc does not say.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t whole = 0, resident = 0;
  return file >> whole >> resident ? double(resident) * double(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace

void StepLog::begin_epoch() {
  if (every_ == 0) return;
  since_ = Clock::now();
  samples_ = 0;
}

void StepLog::note(const Training& training) {
  if (every_ == 0) return;
  samples_ += training.last_step().examples;
  if (training.state().step % every_ == 0) tell(training);
}

void StepLog::tell(const Training& training) {
  const StepFacts& facts = training.last_step();
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  trial::Report report{training.state().step,
                       {{"train.loss", facts.loss},
                        {"lr", facts.lr},
                        {"weight_norm", training.network().weight_norm()},
                        {"samples_per_second", seconds > 0 ? double(samples_) / seconds : 0},
                        {"memory", resident_bytes()}}};
  if (!facts.is_skipped) report.metrics.push_back({"grad_norm", facts.grad_norm});
  if (facts.gain) report.metrics.push_back({"lr.gain", *facts.gain});
  if (facts.loss_scale > 0) report.metrics.push_back({"loss_scale", facts.loss_scale});
  host_.step_report(report);
  begin_epoch();
}

}  // namespace dlrun::train
