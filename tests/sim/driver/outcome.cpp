// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "storage/paths.hpp"
#include "util/arithmetic.hpp"
#include "util/files.hpp"
#include "util/json.hpp"
#include "util/random.hpp"
#include "util/sha256.hpp"

namespace dlrun::driver_sim {

namespace {

/// A trial's fate, drawn once from its values: each event at an epoch, 0: never.
struct Course {
  double quality, speed;
  std::int64_t nan_at, raises_at, ends_at;
};

Course course_of(const Scenario& s, const std::string& params) {
  RandomStream random(s.seed, {"driver_sim", "course", params});
  const auto epoch = [&](double share) {
    const bool happens = random.uniform() < share;
    const auto at = std::int64_t(random.below(8)) + 1;
    return happens ? at : 0;
  };
  Course c{};
  c.quality = random.uniform();
  c.speed = random.uniform();
  c.nan_at = epoch(s.nature.nan);
  c.raises_at = epoch(s.nature.exception);
  c.ends_at = epoch(s.nature.early);
  return c;
}

double value_at(const Scenario& s, const Course& c, const std::string& params, std::int64_t epoch) {
  if (epoch == c.nan_at) return std::numeric_limits<double>::quiet_NaN();
  RandomStream random(s.seed, {"driver_sim", "noise", params, std::to_string(epoch)});
  const double value = c.quality + arithmetic::exp(-c.speed * double(epoch)) + 0.1 * random.normal();
  return s.nature.coarse ? std::round(value * 10) / 10 : value;
}

}  // namespace

trial::PieceResult failed(const trial::PieceOrder& order, trial::Cause cause, const std::string& message) {
  trial::PieceResult result{.key = order.key, .attempt = order.attempt};
  result.outcome = trial::Outcome::failed;
  result.cause = cause;
  result.message = message;
  return result;
}

trial::PieceResult outcome(const Scenario& s, const trial::PieceOrder& order) {
  const std::string params = to_text(order.params);
  const Course c = course_of(s, params);
  trial::PieceResult result{.key = order.key, .attempt = order.attempt};
  for (std::int64_t e = order.from_step + 1; e <= order.to_step; ++e) {
    if (e == c.raises_at) return failed(order, trial::Cause::exception, "no such file");
    result.reports.push_back({e, {{s.metric, value_at(s, c, params, e)}}});
    if (e == c.nan_at && e % 2 == 0) {
      result.outcome = trial::Outcome::failed;
      result.cause = trial::Cause::nan;
      result.message = "the value is nan";
      return result;
    }
    if (e != c.ends_at) continue;
    result.outcome = trial::Outcome::early;
    break;
  }
  return result;
}

void complete(const Scenario& s, const trial::PieceOrder& order, trial::PieceResult& result) {
  result.peak_rss = 1'000'000 + 1000 * order.key.member.trial.value;
  result.log_tail = fmt::format("{} epochs\n", order.to_step - order.from_step);
  for (trial::Report& report : result.reports) {
    report.metrics.push_back({"train.loss", double(report.step)});
    report.metrics.push_back({"val.accuracy", 1 / double(report.step + order.key.member.trial.value)});
    if (order.task == "test") report.metrics = {{"test.loss", 0.5}};
  }
  if (result.outcome == trial::Outcome::failed || order.task == "test") return;
  const std::string content = to_text(order.params) + std::to_string(order.to_step);
  const std::string hash = Sha256::hex_of(content);
  const std::filesystem::path file = storage::checkpoint_file(s.artifacts.parent_path(), hash);
  make_folders(file.parent_path());
  dlrun::write_file(file, content, {.durable = false});
  result.artifacts.push_back({"last", hash, std::int64_t(content.size()), order.to_step});
}

trial::GangReport gang_of(std::int64_t epoch) {
  return {
      epoch, true, {{false, 0, 4, 1.0, 0.5, 0.25, 0.125, 100, 50, 4, 0.5, 2}, {true, 0, 0, 0, 1, 1, 2, 50, 100, 0}}};
}

}  // namespace dlrun::driver_sim
