// SPDX-License-Identifier: Apache-2.0
// Trials whose artifacts are kept when a study is over.
#include "driver/keeping.hpp"

#include <algorithm>

#include "around.hpp"
#include "support/catch.hpp"

namespace keeping_test {

using namespace dlrun;
using Numbers = std::vector<std::int64_t>;

namespace {

spec::StudySpec spec_of(const char* objective) {
  return support::spec_from(std::string("study: kept\nobjective: ") + objective + R"(
space: {x: {type: int, low: 0, high: 3}}
search: {sampler: grid, lanes: 4}
keep: {best: 2, last: 3, rungs: false}
trial: {kind: command, command: [any, "{x}"]}
)");
}

/// Policy of a study whose trials measured these values of `a` and `b`.
storage::KeepPolicy policy_after(const spec::StudySpec& spec, const std::vector<std::pair<double, double>>& values) {
  study::Study study = support::study_of(spec, "grid");
  for (const study::Effect& effect : study.decide().effects) {
    const auto* start = std::get_if<study::StartPiece>(&effect);
    if (start == nullptr) continue;
    trial::PieceResult result{.key = start->key, .attempt = start->attempt};
    const auto& [a, b] = values.at(std::size_t(start->key.member.trial.value));
    result.reports = {{start->to_step, {{"a", a}, {"b", b}}}};
    std::ignore = study.absorb(study::PieceEnded{result});
  }
  std::ignore = study.decide();
  return driver::keep_policy(spec, study);
}

}  // namespace

TEST_CASE("of several objectives the whole front is kept", "[driver][keeping]") {
  const auto spec = spec_of("[{metric: a, direction: minimize}, {metric: b, direction: minimize}]");
  const storage::KeepPolicy policy = policy_after(spec, {{1, 3}, {2, 2}, {2.5, 2.5}, {3, 1}});
  CHECK(policy.best == 2);
  CHECK(policy.last == 3);
  CHECK_FALSE(policy.rungs);
  Numbers front(policy.also.begin(), policy.also.end());
  std::sort(front.begin(), front.end());
  CHECK(front == Numbers{0, 1, 3});
}

TEST_CASE("of one objective the best are kept, and nothing beside them", "[driver][keeping]") {
  const auto spec = spec_of("{metric: a, direction: minimize}");
  CHECK(policy_after(spec, {{1, 3}, {2, 2}, {2.5, 2.5}, {3, 1}}).also.empty());
}

}  // namespace keeping_test
