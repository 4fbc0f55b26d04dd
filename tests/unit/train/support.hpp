// SPDX-License-Identifier: Apache-2.0
// A trainer on the digits, in a store of its own.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "train/artifacts.hpp"
#include "train/trainer.hpp"
#include "trial/json.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::trial {

// Printed by a failed check; without these, libtorch's operator for vectors does not compile.
inline std::ostream& operator<<(std::ostream& out, const Report& report) { return out << to_text(to_json(report)); }
inline std::ostream& operator<<(std::ostream& out, const GangReport& gang) { return out << to_text(to_json(gang)); }
inline std::ostream& operator<<(std::ostream& out, const Artifact& file) { return out << to_text(to_json(file)); }

}  // namespace dlrun::trial

namespace dlrun::train {

/// A folder that goes with the test.
class TempFolder {
 public:
  TempFolder() {
    char name[] = "/tmp/dlrun-train-XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::filesystem::path make(const std::string& name) const {
    make_folders(path_ / name);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

/// Remembers what it was told; asks to stop after a number of steps.
class FakeHost final : public trial::Host {
 public:
  explicit FakeHost(std::int64_t stop_after = -1) : stop_after_(stop_after) {}
  void report(const trial::Report& report) override { reports.push_back(report); }
  void step_report(const trial::Report& report) override { curve.push_back(report); }
  void gang_report(const trial::GangReport& report) override { gangs.push_back(report); }
  void step() override { ++steps; }
  bool is_stopping() const override { return stop_after_ >= 0 && steps > stop_after_; }
  void log(const std::string& line) override { lines.push_back(line); }

  std::int64_t steps = 0;
  std::vector<trial::Report> reports;
  std::vector<trial::Report> curve;  ///< by optimiser step
  std::vector<trial::GangReport> gangs;
  std::vector<std::string> lines;

 private:
  std::int64_t stop_after_;
};

inline Json digits_trial() {
  return {{"kind", "train"},
          {"data",
           {{"op", "csv"},
            {"path", DLRUN_SOURCE_DIR "/examples/digits/data/digits.csv.gz"},
            {"header", false},
            {"target", -1},
            {"split", {{"train", 0.7}, {"val", 0.15}, {"test", 0.15}}}}},
          {"model",
           {{"nodes",
             {{{"name", "fc1"}, {"op", "linear"}, {"out", 32}},
              {{"name", "bn1"}, {"op", "batchnorm"}},
              {{"name", "act1"}, {"op", "relu"}},
              {{"name", "drop1"}, {"op", "dropout"}, {"p", 0.2}},
              {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}}}}},
          {"loss", "cross_entropy"},
          {"optimizer", {{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}}},
          {"schedule", {{"op", "cosine"}}},
          {"epochs", 4},
          {"batch_size", 64}};
}

/// A store and the pieces of one trial in it.
class Fixture {
 public:
  explicit Fixture(Json trial = digits_trial(), SaveRules rules = {.least = std::chrono::milliseconds(0)})
      : rules_(rules) {
    setup.study = "test";
    setup.trial = std::move(trial);
    setup.metric = "val.accuracy";
    setup.maximize = true;
    setup.keep_best = true;
    setup.artifacts = folder.make("artifacts");
  }

  trial::PieceOrder order(std::int64_t from, std::int64_t to, const std::string& attempt = "a1") const {
    trial::PieceOrder order;
    order.key.member.trial = trial::TrialId(0);
    order.attempt = 1;
    order.from_step = from;
    order.to_step = to;
    order.seed = 7;
    order.params = Json::object();
    order.sets = Json::object();
    order.folder = folder.make(attempt);
    return order;
  }

  trial::PieceResult run(const trial::PieceOrder& order) {
    FakeHost host;
    return Trainer(setup, rules_).run(order, host);
  }
  trial::PieceResult run(const trial::PieceOrder& order, FakeHost& host) {
    return Trainer(setup, rules_).run(order, host);
  }

  TempFolder folder;
  trial::WorkSetup setup;

 private:
  SaveRules rules_;
};

inline std::string artifact(const trial::PieceResult& result, const std::string& role) {
  for (const trial::Artifact& a : result.artifacts) {
    if (a.role == role) return a.sha256;
  }
  return "none";
}

inline double metric(const trial::Report& report, const std::string& name) {
  for (const trial::Metric& m : report.metrics) {
    if (m.name == name) return m.value;
  }
  return -1;
}

}  // namespace dlrun::train
