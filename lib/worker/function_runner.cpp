// SPDX-License-Identifier: Apache-2.0
#include "worker/function_runner.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "trial/test_functions.hpp"
#include "util/error.hpp"
#include "util/random.hpp"
#include "worker/bbob/bbob.hpp"
#include "worker/faults.hpp"
#include "worker/functions.hpp"

namespace dlrun::worker {

namespace {

using trial::Host;
using trial::PieceOrder;
using trial::PieceResult;

/// `trial.function`, read.
struct FunctionSettings {
  const Function* function = nullptr;
  int id = 0;  ///< number of a BBOB function; 0: another function
  int instance = 1;
  double curve = 0;
  double noise = 0;
  double sleep = 0;
  std::string fault = "none";
  std::int64_t fault_step = 1;
  int fault_attempts = 0;
  int first_replicate = 1;
};

FunctionSettings read_function(const Json& trial) {
  try {
    const Json& json = trial.at("function");
    FunctionSettings s;
    s.function = &find_function(json.at("op").get<std::string>());
    s.id = json.value("id", 0);
    s.instance = json.value("instance", 1);
    s.curve = json.value("curve", 0.0);
    s.noise = json.value("noise", 0.0);
    s.sleep = json.value("sleep", 0.0);
    s.fault = json.value("fault", s.fault);
    s.fault_step = json.value("fault_step", s.fault_step);
    s.fault_attempts = json.value("fault_attempts", s.fault_attempts);
    s.first_replicate = trial.value("first_replicate", s.first_replicate);
    return s;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed 'function' section: ") + fault.what());
  }
}

/// "x10" after "x2": the text, then the number at its end.
std::pair<std::string, long> natural(const std::string& name) {
  std::size_t cut = name.size();
  while (cut > 0 && name.size() - cut < 9 && std::isdigit(static_cast<unsigned char>(name[cut - 1])) != 0) --cut;
  return {name.substr(0, cut), cut == name.size() ? -1 : std::stol(name.substr(cut))};
}

/// The parameters that key the noise. Which cell of an ablation this is does not: the same replicate of two variants
/// has the same noise.
Json drawn_by(Json params) {
  const auto variant = params.find("variant");
  if (variant == params.end() || !variant->is_string()) return params;
  params.erase(variant);
  params.erase("replicate");
  params.erase("purpose");
  params.erase("tuning");
  return params;
}

std::vector<double> values_at(const FunctionSettings& own, const std::vector<double>& x) {
  if (own.id == 0) return evaluate_all(*own.function, x);
  require_coordinates(*own.function, x.size());
  return {bbob::value(own.id, own.instance, x)};
}

bool is_coordinate(const Json& parameters, const std::string& name, const Json& value) {
  if (!value.is_number()) return false;
  const auto found = parameters.find(name);
  return found == parameters.end() || !found->is_string() || found->get_ref<const std::string&>().empty();
}

class FunctionRunner final : public trial::Runner {
 public:
  explicit FunctionRunner(const trial::WorkSetup& setup) : setup_(setup), settings_(read_function(setup.trial)) {}

  PieceResult run(const PieceOrder& order, Host& host) override {
    const FunctionSettings own =
        order.sets.empty() ? settings_ : read_function(trial::configured(setup_.trial, order.sets));
    const std::vector<double> x = coordinates(order.params);
    PieceResult result{.key = order.key, .attempt = order.attempt};
    for (std::int64_t step = order.from_step + 1; step <= order.to_step; ++step) {
      if (!run_epoch(own, order, x, step, host, result)) break;
    }
    return result;
  }

 private:
  /// False: the trial diverged.
  bool run_epoch(const FunctionSettings& own, const PieceOrder& order, const std::vector<double>& x, std::int64_t step,
                 Host& host, PieceResult& result) const {
    host.step();
    if (host.is_stopping()) throw trial::Stopped{};
    pass_time(own.sleep, host);
    trial::Report report{step, measure(own, order, x, step)};
    const double measured = worst(report.metrics);
    host.report(report);
    result.reports.push_back(std::move(report));
    if (std::isfinite(measured)) return true;
    result.outcome = trial::Outcome::failed;
    result.cause = trial::Cause::nan;
    result.message =
        std::string("value is ") + (std::isnan(measured) ? "nan" : "infinite") + " at epoch " + std::to_string(step);
    return false;
  }

  static void pass_time(double seconds, Host& host) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (seconds > 0 && std::chrono::steady_clock::now() < end) {
      const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
      std::this_thread::sleep_for(std::min(left, std::chrono::duration<double>(0.02)));
      host.step();
      if (host.is_stopping()) throw trial::Stopped{};
    }
  }

  /// The first that is not finite, if there is one.
  static double worst(const std::vector<trial::Metric>& metrics) {
    const auto bad = std::find_if(metrics.begin(), metrics.end(), [](auto& m) { return !std::isfinite(m.value); });
    return bad == metrics.end() ? metrics.front().value : bad->value;
  }

  static std::vector<trial::Metric> measure(const FunctionSettings& own, const PieceOrder& order,
                                            const std::vector<double>& x, std::int64_t step) {
    std::vector<double> values = values_at(own, x);
    const double curve = own.curve * (1 + std::abs(x[0])) / static_cast<double>(step);
    for (int i = 0; i < own.function->objectives; ++i) values[std::size_t(i)] += curve;
    if (own.noise > 0) {
      const trial::Member& m = order.key.member;
      const std::string fold = m.fold == 0 ? "" : "." + std::to_string(m.fold);
      RandomStream random(order.seed, {"noise", std::to_string(own.first_replicate - 1 + m.replicate) + fold,
                                       to_text(drawn_by(order.params)), std::to_string(step)});
      for (int i = 0; i < own.function->objectives; ++i) values[std::size_t(i)] += own.noise * random.normal();
    }
    const bool is_due = own.fault_attempts == 0 || order.attempt <= own.fault_attempts;
    if (step == own.fault_step && is_due) {
      commit_fault(own.fault);
      if (own.fault == "nan") values[0] = std::numeric_limits<double>::quiet_NaN();
      if (own.fault == "inf") values[0] = std::numeric_limits<double>::infinity();
    }
    std::vector<trial::Metric> metrics;
    const std::vector<std::string> names = trial::metric_names(own.function->name);
    for (std::size_t i = 0; i < values.size(); ++i) metrics.push_back({names[i], values[i]});
    return metrics;
  }

  std::vector<double> coordinates(const Json& params) const {
    std::vector<std::pair<std::pair<std::string, long>, double>> found;
    for (const auto& [name, value] : params.items()) {
      if (is_coordinate(setup_.parameters, name, value)) found.emplace_back(natural(name), value.get<double>());
    }
    std::sort(found.begin(), found.end());
    std::vector<double> x;
    for (const auto& item : found) x.push_back(item.second);
    return x;
  }

  trial::WorkSetup setup_;
  FunctionSettings settings_;
};

}  // namespace

std::unique_ptr<trial::Runner> make_function_runner(const trial::WorkSetup& setup) {
  return std::make_unique<FunctionRunner>(setup);
}

}  // namespace dlrun::worker
