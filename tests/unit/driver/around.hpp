// SPDX-License-Identifier: Apache-2.0
// A small study in a real store, and stand-ins for the world around a driver: its parts are built from these.
#pragma once
#include <fmt/format.h>

#include "driver/amending.hpp"
#include "driver/clock.hpp"
#include "driver/driver.hpp"
#include "executor/executor.hpp"
#include "samplers/sampler.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/files.hpp"

namespace dlrun::support {

/// Keeps the lines that people would see.
class Lines final : public driver::Display {
 public:
  void progress(const driver::Progress&) override {}
  void line(const std::string& text) override { all.push_back(text); }

  std::vector<std::string> all;
};

/// Stands still until it is moved.
class StillClock final : public driver::Clock {
 public:
  time_point now() const override { return time; }

  time_point time{std::chrono::hours(1)};
};

/// Writes down what is sent: "ack to 1", "reply to 9".
class WritingExecutor final : public executor::Executor {
 public:
  void start(int) override {}
  std::vector<executor::Happening> wait(std::chrono::milliseconds) override { return {}; }
  std::chrono::steady_clock::time_point read_up_to() const override { return {}; }
  void send(std::int64_t worker, const protocol::Message& message) override {
    if (std::holds_alternative<protocol::Ack>(message)) lines.push_back(fmt::format("ack to {}", worker));
    if (std::holds_alternative<protocol::Fenced>(message)) lines.push_back(fmt::format("fenced to {}", worker));
    if (std::holds_alternative<protocol::Abandon>(message)) lines.push_back(fmt::format("abandon to {}", worker));
    if (std::holds_alternative<protocol::Assign>(message)) lines.push_back(fmt::format("assign to {}", worker));
  }
  void flush() override {}
  void answer(std::int64_t client, const Json&) override { lines.push_back(fmt::format("reply to {}", client)); }
  void shut_down(std::chrono::milliseconds grace) override {
    lines.push_back(fmt::format("shut down within {} s", grace.count() / 1000));
  }
  int alive() const override { return workers; }
  std::string address() const override { return {}; }

  std::vector<std::string> lines;
  int workers = 0;
};

/// The study that a file of this text describes.
inline spec::StudySpec spec_from(const std::string& text, std::vector<std::string> sets = {}) {
  const TempFolder folder;
  write_file(folder / "study.yaml", text);
  return spec::read({.file = folder / "study.yaml", .sets = std::move(sets)});
}

/// Nothing is decided yet.
inline study::Study study_of(const spec::StudySpec& spec, const char* sampler = "random") {
  return study::Study(spec.rules, spec.space, samplers::make_sampler(sampler, spec.space, 0),
                      pruners::make_pruner(spec.pruner));
}

inline spec::StudySpec small_spec(const TempFolder& folder) {
  write_file(folder / "study.yaml", R"(study: small
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 3}
limits: {trials: 3}
retry: {exception: 0}
trial: {kind: function, function: {op: sphere}}
)");
  return spec::read({.file = folder / "study.yaml"});
}

/// A study of three trials side by side, with nothing decided yet.
struct Around {
  TempFolder folder;
  spec::StudySpec spec = small_spec(folder);
  study::Study study = study_of(spec);
  std::unique_ptr<storage::Store> store = storage::Store::create(folder / "store", driver::row_of(spec), spec.space);
  StillClock clock;
  Lines display;
  WritingExecutor executor;

  /// As the worker of a trial's first piece would send it.
  static trial::PieceResult measured(std::int64_t trial, double value, int attempt = 1) {
    return {.key = piece_of(trial), .attempt = attempt, .reports = {{1, {{"value", value}}}}};
  }
  static trial::PieceResult failed(std::int64_t trial, trial::Cause cause, const std::string& message) {
    trial::PieceResult result{.key = piece_of(trial), .attempt = 1};
    result.outcome = trial::Outcome::failed;
    result.cause = cause;
    result.message = message;
    return result;
  }
  /// Rows of the log that hold a Row (an event's type, or study::Decision). REQUIRES: no transaction is open.
  template <class Row>
  int rows() const {
    int count = 0;
    store->replay([&](const storage::LogRow& row) {
      if constexpr (std::is_same_v<Row, study::Decision>) {
        count += std::holds_alternative<study::Decision>(row);
      } else {
        const auto* event = std::get_if<study::Event>(&row);
        count += event && std::holds_alternative<Row>(*event);
      }
    });
    return count;
  }
};

}  // namespace dlrun::support
