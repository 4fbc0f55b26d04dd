// SPDX-License-Identifier: Apache-2.0
// Proposals of every sampler, decision by decision: a change of any rule, order or stream is seen here. Whoever means
// to change decisions writes the files anew (DLRUN_APPROVE=1) and says so in the changelog.
#include <fmt/format.h>

#include <Eigen/Core>

#include <cmath>
#include <deque>
#include <nlopt.hpp>

#include "samplers/sampler.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/sanitized.hpp"
#include "support/spaces.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace decisions_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Space;
using space::Values;

namespace {

constexpr int kTrials = 48, kLanes = 3;

/// Two reals, one on a logarithmic scale, integers, a choice, and a real below one of its choices.
Space mixed() {
  return Space({support::categorical("opt", {"sgd", "adam", "lion"}),
                support::under(0, {.name = "mom", .low = 0, .high = 0.99}),
                {.name = "lr", .low = 1e-4, .high = 1, .log = true},
                {.name = "drop", .low = 0, .high = 0.5, .step = 0.05},
                support::integer("width", 1, 200)});
}

Space numbers() {
  return Space({{.name = "a"}, {.name = "b"}, {.name = "c", .low = -5, .high = 10}},
               {{"a + b <= 1.2", space::Linear{{{0}, {1}}, space::Relation::at_most, 1.2}}});
}

Space finite() {
  return Space({support::categorical("opt", {"sgd", "adam"}), support::under(0, support::integer("mom", 0, 3)),
                support::integer("width", 1, 9)});
}

/// How far from a place within the space, in units of it, without a function of the C library.
double distance(const Space& space, const Values& values, double place) {
  double sum = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (std::holds_alternative<std::monostate>(values[i])) continue;
    const double d = space.to_unit(i, values[i]) - place;
    sum += d * d * double(i + 1);
  }
  return sum;
}

/// Trial 7 fails, 11 and 19 are stopped after an epoch of three, 13 breaks a bound by a half.
Observation observed(const Space& space, int trial, const Values& values, bool has_several, bool has_bound) {
  Observation out{trial::TrialId(trial), values, distance(space, values, 0.3), 3};
  if (has_several) out.further = {distance(space, values, 0.8)};
  if (has_bound) out.excess = {trial == 13 ? 0.5 : -0.25};
  if (trial == 7) out.objective.reset();
  if (trial == 7) out.further.clear();
  if (trial == 11 || trial == 19) out.steps = 1, out.is_whole = false;
  return out;
}

/// A line for each decision, three of which are under way at a time.
std::string decisions(Sampler& sampler, const Space& space, bool has_several, bool has_bound) {
  std::string lines;
  std::deque<std::pair<int, Values>> pending;
  for (int i = 0; i < kTrials; ++i) {
    const auto values = sampler.propose(i);
    lines += fmt::format("{} {} | {}\n", i, values ? to_text(space.params(*values)) : "-", sampler.reason());
    if (!values) break;
    sampler.on_start(trial::TrialId(i), *values);
    pending.emplace_back(i, *values);
    if (pending.size() < kLanes) continue;
    sampler.on_result(observed(space, pending.front().first, pending.front().second, has_several, has_bound));
    pending.pop_front();
  }
  return lines;
}

std::unique_ptr<Sampler> sampler_for(const std::string& name, const Space& space) {
  try {
    return make_sampler(name, space, 7);
  } catch (const Error&) {
    return nullptr;  // it cannot search this space
  }
}

/// Decisions by linear algebra and by climbs are those of Debian 12's libraries on x86-64; elsewhere rounding differs.
bool is_comparable(const std::string& file) {
  const bool rests_on_libraries = file.starts_with("gp") || file.starts_with("auto") || file.starts_with("cma_es");
#if defined(__x86_64__)
  const bool are_known = EIGEN_WORLD_VERSION == 3 && EIGEN_MAJOR_VERSION == 4 && EIGEN_MINOR_VERSION == 0 &&
                         nlopt::version_major() == 2 && nlopt::version_minor() == 7;
  return !rests_on_libraries || are_known;
#else
  return !rests_on_libraries;
#endif
}

void check(const std::string& file, const std::string& lines) {
  if (!is_comparable(file)) return;
  const std::string place = DLRUN_SOURCE_DIR "/tests/golden/decisions/" + file + ".txt";
  CHECK(lines == support::golden(place, lines));
}

}  // namespace

TEST_CASE("every sampler decides as it did", "[samplers][golden]") {
  if (kIsSanitized) return;  // another compiler, at another speed
  const std::pair<const char*, Space> spaces[] = {{"mixed", mixed()}, {"numbers", numbers()}, {"finite", finite()}};
  for (const std::string& name : sampler_names()) {
    std::string lines;
    for (const auto& [title, space] : spaces) {
      const auto sampler = sampler_for(name, space);
      if (sampler) lines += fmt::format("{}\n{}", title, decisions(*sampler, space, false, false));
    }
    check(name, lines);
  }
}

TEST_CASE("every sampler for several objectives decides as it did", "[samplers][golden]") {
  if (kIsSanitized) return;
  for (const std::string& name : sampler_names_for_several()) {
    const auto sampler = sampler_for(name, mixed());
    if (sampler) check(name + "_several", decisions(*sampler, mixed(), true, true));
  }
}

TEST_CASE("samplers whose trials have a bound to keep decide as they did", "[samplers][golden]") {
  if (kIsSanitized) return;
  for (const char* const name : {"auto", "gp", "tpe", "tpe_univariate", "cma_es", "evolution"})
    check(std::string(name) + "_bounded", decisions(*make_sampler(name, mixed(), 7), mixed(), false, true));
}

TEST_CASE("samplers that learn from earlier trials decide as they did", "[samplers][golden]") {
  if (kIsSanitized) return;
  const Space space = mixed();
  const auto random = make_sampler("random", space, 3);
  std::vector<Observation> earlier;
  for (int i = 0; i < 12; ++i) {
    const Values values = *random->propose(i);
    earlier.push_back(observed(space, i, values, false, false));
  }
  for (const std::string& name : sampler_names_that_learn()) {
    const auto sampler = make_sampler(name, space, 7);
    sampler->learn(earlier);
    check(name + "_learned", decisions(*sampler, space, false, false));
  }
}

}  // namespace decisions_test
