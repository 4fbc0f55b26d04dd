// SPDX-License-Identifier: Apache-2.0
// Decisions of a store that are computed again, and logs that their events do not lead to.
#include "driver/decisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "driver/amending.hpp"
#include "driver/recorded_study.hpp"
#include "storage/store.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace decisions_test {

using namespace dlrun;

namespace {

spec::StudySpec read_study() {
  const support::TempFolder folder;
  write_file(folder / "study.yaml", R"(
study: first
objective: {metric: value, direction: minimize}
space: {x: {type: float, low: 0, high: 1}}
search: {sampler: random, lanes: 2}
limits: {trials: 4}
trial: {kind: function, function: sphere}
)");
  return spec::read({.file = folder / "study.yaml"});
}

using Rows = std::vector<storage::LogRow>;

/// The log of the whole study, whose trials each measure their number.
Rows played(const spec::StudySpec& spec) {
  const auto study = driver::new_study(spec);
  Rows rows;
  std::deque<study::StartPiece> pieces;
  const auto record = [&](const study::Output& output) {
    for (const study::Decision& decision : output.decisions) rows.emplace_back(decision);
    for (const study::Effect& effect : output.effects) {
      if (const auto* start = std::get_if<study::StartPiece>(&effect)) pieces.push_back(*start);
    }
  };
  record(study->decide());
  for (; !pieces.empty(); pieces.pop_front()) {
    const trial::PieceKey key = pieces.front().key;
    const auto value = double(key.member.trial.value);
    const study::Event ended = study::PieceEnded{{.key = key, .attempt = 1, .reports = {{1, {{"value", value}}}}}};
    rows.emplace_back(ended);
    record(study->absorb(ended));
    record(study->decide());
  }
  return rows;
}

/// Changes of trials that follow from the events of a log.
std::vector<study::TrialChanged> changes_in(const spec::StudySpec& spec, const Rows& rows) {
  const auto study = driver::new_study(spec);
  std::vector<study::TrialChanged> changes;
  for (const storage::LogRow& row : rows) {
    if (const auto* decision = std::get_if<study::Decision>(&row)) study->apply(*decision);
    const auto* event = std::get_if<study::Event>(&row);
    if (!event) continue;
    for (const study::Effect& effect : study->absorb(*event).effects) {
      if (const auto* change = std::get_if<study::TrialChanged>(&effect)) changes.push_back(*change);
    }
  }
  return changes;
}

/// What is found in a store with these rows.
driver::Recomputed found_in(const spec::StudySpec& spec, const Rows& rows,
                            const std::vector<study::TrialChanged>& changes = {}) {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), driver::row_of(spec), spec.space);
  store->begin();
  for (const storage::LogRow& row : rows) std::visit([&](const auto& what) { store->add(what); }, row);
  for (const study::TrialChanged& change : changes) store->change(change);
  store->commit(storage::Durability::normal);
  store->close();
  return driver::recompute_decisions(folder.path(), "first");
}

std::int64_t decisions_in(const Rows& rows) {
  return std::count_if(rows.begin(), rows.end(), [](const auto& row) { return row.index() == 1; });
}

}  // namespace

TEST_CASE("a log whose decisions follow from its events has no fault", "[driver][decisions]") {
  const spec::StudySpec spec = read_study();
  const Rows rows = played(spec);
  const driver::Recomputed found = found_in(spec, rows, changes_in(spec, rows));
  CHECK(found.fault.empty());
  CHECK(found.decisions == decisions_in(rows));
  CHECK(found.decisions > 4);
}

TEST_CASE("a trial's row that does not follow from the log is named with both", "[driver][decisions]") {
  const spec::StudySpec spec = read_study();
  const Rows rows = played(spec);
  auto changes = changes_in(spec, rows);
  study::TrialChanged& last = changes.back();
  const std::string computed = fmt::format("completed after 1 epochs, objective {}", last.trial.value);
  std::string recorded = computed;
  SECTION("its objective") {
    last.objective = 0.5;
    recorded = "completed after 1 epochs, objective 0.5";
  }
  SECTION("its state") {
    last.state = trial::TrialState::pruned;
    recorded = fmt::format("pruned after 1 epochs, objective {}", last.trial.value);
  }
  SECTION("its epochs") {
    last.steps = 2;
    recorded = fmt::format("completed after 2 epochs, objective {}", last.trial.value);
  }
  SECTION("its violation") {
    last.violation = 0.25;
    recorded += ", 0.25 beyond its bounds";
  }
  CHECK(found_in(spec, rows, changes).fault ==
        fmt::format("trial {}: {} recorded, {} computed", last.trial.value, recorded, computed));
}

TEST_CASE("the first decision that differs is named with both values", "[driver][decisions]") {
  const spec::StudySpec spec = read_study();
  Rows rows = played(spec);
  auto& second = std::get<study::Decision>(rows.at(1));
  REQUIRE(second.kind == study::DecisionKind::start);
  second.values = {0.25};
  const driver::Recomputed found = found_in(spec, rows);
  CHECK(found.decisions == 1);
  CHECK_THAT(found.fault, Contains("decision 1 (start on trial 1): values [0.25] recorded, [0."));
  CHECK_THAT(found.fault, Contains("] computed"));
}

TEST_CASE("a decision that is missing is named", "[driver][decisions]") {
  const spec::StudySpec spec = read_study();
  Rows rows = played(spec);
  const auto is_event = [](const storage::LogRow& row) { return row.index() == 0; };
  const auto first = std::find_if(rows.begin(), rows.end(), is_event) - rows.begin();  // all before it are of one call
  study::Decision last = std::get<study::Decision>(rows.at(std::size_t(first - 1)));
  SECTION("in the log") {
    rows.erase(rows.begin() + first - 1);
    CHECK_THAT(found_in(spec, rows).fault, Contains(fmt::format("decision {} ", last.number)));
    CHECK_THAT(found_in(spec, rows).fault, Contains("is computed, but not recorded"));
  }
  SECTION("in what is computed") {
    rows.resize(std::size_t(first));
    ++last.number;
    last.kind = study::DecisionKind::idle;
    rows.emplace_back(last);
    CHECK_THAT(found_in(spec, rows).fault, Contains(fmt::format("decision {} ", last.number)));
    CHECK_THAT(found_in(spec, rows).fault, Contains("is recorded, but not computed"));
  }
}

TEST_CASE("a study that is not there is no fault of a study", "[driver][decisions]") {
  const support::TempFolder folder;
  CHECK_THROWS_AS(driver::recompute_decisions(folder.path(), "first"), Error);
}

}  // namespace decisions_test
