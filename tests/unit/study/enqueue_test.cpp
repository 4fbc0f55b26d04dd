// SPDX-License-Identifier: Apache-2.0
// Trials that a person asks for.
#include <algorithm>
#include <cmath>
#include <set>

#include "unit/study/helpers.hpp"

namespace enqueue_test {

using namespace dlrun;
using namespace dlrun::test;

namespace {

space::Space plane() {
  return space::Space({{.name = "x", .low = 0, .high = 1}, {.name = "y", .low = 0, .high = 1}},
                      {{"", space::Linear{{{0}, {1}}, space::Relation::equal, 1}}});
}

/// Replays a log into a new study.
Study replayed(const Rules& rules, const std::vector<std::variant<Event, Decision>>& log) {
  Study study = make(rules, {}, plane());
  for (const auto& row : log) {
    if (const auto* event = std::get_if<Event>(&row)) (void)study.absorb(*event);
    if (const auto* decision = std::get_if<Decision>(&row)) study.apply(*decision);
  }
  return study;
}

double value(const Study& study, std::int64_t trial, std::size_t parameter) {
  return std::get<double>(study.trial(TrialId(trial)).values[parameter]);
}

}  // namespace

TEST_CASE("what the study asks for comes first, and the rest is filled in", "[study][enqueue]") {
  Rules r = rules(2, 5);
  r.enqueue = {{0.25, 0.75}, {std::monostate(), 0.125}};
  Study study = make(r, {}, plane());
  Player player(study);
  player.run();
  CHECK(study.trial_count() == 5);
  CHECK(study.trial(TrialId(0)).values == space::Values{0.25, 0.75});
  CHECK(value(study, 1, 1) == 0.125);
  CHECK(value(study, 1, 0) == Approx(0.875));  // the constraint asks for it
  CHECK_THAT(player.decisions[0], Contains("asked for"));
  CHECK_THAT(player.decisions[1], Contains("asked for; the rest by the sampler"));
  CHECK_THAT(player.decisions[2], !Contains("asked for"));
}

TEST_CASE("a person's values get one trial, beside the limit, and replay agrees", "[study][enqueue][replay]") {
  const Rules r = rules(2, 6);
  Study study = make(r, {}, plane());
  Player player(study);
  player.decide();
  player.finish_one();
  player.absorb(EnqueueAsked{{0.5, 0.5}});
  (void)study.absorb(EnqueueAsked{{0.5, 0.5}});  // asked again: nothing happens
  player.run();
  (void)study.absorb(EnqueueAsked{{0.5, 0.5}});
  CHECK(study.is_finished());
  CHECK(study.trial_count() == 7);
  int asked = 0;
  for (std::int64_t i = 0; i < 7; ++i) asked += study.trial(TrialId(i)).values == space::Values{0.5, 0.5} ? 1 : 0;
  CHECK(asked == 1);
  SECTION("wherever the driver dies") {
    for (std::size_t cut = 0; cut <= player.log.size(); ++cut) {
      std::vector<std::variant<Event, Decision>> head(player.log.begin(),
                                                      player.log.begin() + static_cast<std::ptrdiff_t>(cut));
      Study again = replayed(r, head);
      Player rest(again);
      rest.record(again.resume_work());
      rest.run();
      INFO("after row " << cut);
      const bool was_asked = cut > 0 && std::any_of(head.begin(), head.end(), [](const auto& row) {
                               const auto* event = std::get_if<Event>(&row);
                               return event && std::holds_alternative<EnqueueAsked>(*event);
                             });
      CHECK(again.trial_count() == (was_asked ? 7 : 6));
      for (std::int64_t i = 0; was_asked && i < 7; ++i) {
        CHECK(again.trial(TrialId(i)).values == study.trial(TrialId(i)).values);
      }
    }
  }
  SECTION("also after the end") {
    player.absorb(EnqueueAsked{{0.0, 1.0}});
    CHECK_FALSE(study.is_finished());
    player.run();
    CHECK(study.is_finished());
    CHECK(study.trial_count() == 8);
    CHECK(study.trial(TrialId(7)).values == space::Values{0.0, 1.0});
    CHECK(study.finish_reason() == "limit of 8 trials");
  }
}

TEST_CASE("a finite space ends when all of it was tried, asked for or not", "[study][enqueue][end]") {
  const space::Space space({{.name = "n", .type = space::Type::integer, .low = 0, .high = 4},
                            {.name = "m", .type = space::Type::integer, .low = 0, .high = 4}},
                           {{"", space::Linear{{{0, 1}, {1, -1}}, space::Relation::less, 0}}});
  for (const std::string& sampler : samplers::sampler_names()) {
    INFO(sampler);
    Rules r = rules(3, 100);
    r.enqueue = {{std::int64_t(2), std::int64_t(4)}, {std::int64_t(3), std::monostate()}};
    Study study = make(r, {}, space, sampler);
    Player player(study);
    player.decide();
    while (!player.queue.empty()) {
      const StartPiece start = player.pop();
      PieceResult result = failure_of(start, Cause::exception);
      if (start.key.member.trial.value % 3 != 0) {
        result.outcome = Outcome::completed;
        result.reports = {{1, {{"loss", double(start.key.member.trial.value % 3 == 1 ? 1 : NAN)}}}};
      }
      player.absorb(PieceEnded{result});
      player.decide();
    }
    CHECK(study.trial_count() == 10);  // pairs n < m of 0..4
    std::set<std::string> seen;
    for (std::int64_t i = 0; i < study.trial_count(); ++i) {
      seen.insert(to_text(space.params(study.trial(TrialId(i)).values)));
    }
    CHECK(seen.size() == 10);
    CHECK(study.is_finished());
    CHECK_THAT(study.finish_reason(), Contains("all 10 points"));
  }
}

}  // namespace enqueue_test
