// SPDX-License-Identifier: Apache-2.0
// The median rule, as docs/pruners.md states it: a trial stops at a rung if its best value so far is worse than the
// median of what the completed trials had there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <dlrun/plugin/pruner.hpp>
#include <limits>
#include <map>
#include <optional>

namespace {

using namespace dlrun::plugin;

/// A trial that is not complete.
struct Open {
  double best = std::numeric_limits<double>::infinity();
  std::optional<double> newest;       ///< of the epochs since the last rung
  std::vector<double> at_rungs = {};  ///< the newest value before each rung
};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

/// Between the two in the middle, if their number is even. REQUIRES: there are some.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t below = (values.size() - 1) / 2, above = values.size() / 2;
  return values[below] + (below == above ? 0 : 0.5) * (values[above] - values[below]);
}

class Middle final : public Pruner {
 public:
  explicit Middle(const Judging& judging)
      : judging_(judging),
        startup_(judging.options.integer("startup_trials")),
        least_(judging.options.integer("min_trials")),
        complete_(judging.rungs.size()) {}

  void on_curve(std::int64_t trial, const std::vector<CurvePoint>& points) override {
    for (const CurvePoint& point : points) {
      if (std::isfinite(point.value)) see(open_[trial], point.value);
    }
  }

  Verdict judge(const RungValue& at) override {
    const Open& open = add_rung_value(at);
    if (completed_ < startup_)
      return {false, std::to_string(completed_) + " of the first " + std::to_string(startup_) + " trials are complete"};
    const std::vector<double>& others = complete_[std::size_t(at.rung)];
    if (others.empty() || std::int64_t(others.size()) < least_)
      return {false, std::to_string(others.size()) + " completed trials to be held against"};
    const double limit = median(others);
    const bool stops = open.best > limit;
    return {stops, "its best, " + number(judging_.shown(open.best)) + ", is " +
                       (stops ? "worse than " : "no worse than ") + number(judging_.shown(limit)) + ", the median of " +
                       std::to_string(others.size()) + " completed trials at epoch " +
                       std::to_string(judging_.rungs[std::size_t(at.rung)])};
  }

  void on_whole(const RungValue& at) override { add_rung_value(at); }

  void on_end(std::int64_t trial, bool is_complete) override {
    const auto found = open_.find(trial);
    if (found == open_.end()) return;
    const std::vector<double>& values = found->second.at_rungs;
    for (std::size_t rung = 0; is_complete && rung < values.size(); ++rung) complete_[rung].push_back(values[rung]);
    completed_ += is_complete ? 1 : 0;
    open_.erase(found);
  }

 private:
  static void see(Open& open, double value) {
    open.best = std::min(open.best, value);
    open.newest = value;
  }

  Open& add_rung_value(const RungValue& at) {
    Open& open = open_[at.trial];
    if (!open.newest) see(open, at.value);
    open.at_rungs.push_back(*open.newest);
    open.best = std::min(open.best, at.value);
    open.newest.reset();
    return open;
  }

  Judging judging_;
  std::int64_t startup_, least_;
  std::map<std::int64_t, Open> open_;
  std::vector<std::vector<double>> complete_;  ///< values of completed trials, by rung
  std::int64_t completed_ = 0;
};

}  // namespace

DLRUN_PRUNER(Middle)
