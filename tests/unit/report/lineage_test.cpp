// SPDX-License-Identifier: Apache-2.0
// Ancestors and descendants in stores that a Store really wrote.
#include "report/lineage.hpp"

#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace lineage_test {

using namespace dlrun;
using report::lineage_of;
using report::lineage_of_artifact;
using report::lineage_text;
using report::TrialName;
using support::TempFolder;

namespace {

using Ids = std::vector<std::string>;

/// A study whose trials come from one another: trial n from each of `origins[n]`.
void write_family(const std::filesystem::path& folder, const std::string& name,
                  const std::vector<std::vector<storage::Origin>>& origins) {
  auto store = storage::Store::create(folder, support::sample_row(name), {});
  for (std::size_t i = 0; i < origins.size(); ++i) support::write_trial(*store, std::int64_t(i), 0.5);
  store->begin();
  for (std::size_t i = 0; i < origins.size(); ++i) {
    for (const storage::Origin& origin : origins[i]) store->attempts().descend(trial::TrialId(std::int64_t(i)), origin);
  }
  store->commit(storage::Durability::normal);
  store->close();
}

storage::Origin from(std::int64_t trial, const char* kind = "ablated_from", std::optional<std::string> study = {}) {
  return {kind, trial::TrialId(trial), std::move(study)};
}

Ids trials_of(const report::Lineage& lineage) {
  Ids names;
  for (const auto& [name, trial] : lineage.trials) names.push_back(to_string(name));
  return names;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("ancestors and descendants are followed over studies as far as the depth says", "[report][lineage]") {
  const TempFolder folder;
  write_family(folder.path(), "one", {{}, {from(0)}, {from(1)}, {from(1)}});
  write_family(folder.path(), "two", {{from(2, "started_from", "one")}, {from(0)}, {}});
  const auto asked = [&](const TrialName& name, int depth) {
    return lineage_of(folder.path(), name, {.depth = depth});
  };
  CHECK(trials_of(asked({"one", 2}, 3)) == Ids{"one/0", "one/1", "one/2", "two/0", "two/1"});
  CHECK(trials_of(asked({"one", 2}, 1)) == Ids{"one/1", "one/2", "two/0"});
  CHECK(asked({"one", 2}, 1).cut == std::set<TrialName>{{"one", 1}, {"two", 0}});
  CHECK(asked({"one", 2}, 3).cut.empty());
  CHECK(trials_of(asked({"two", 2}, 3)) == Ids{"two/2"});
  CHECK(trials_of(asked({"two", 1}, 9)) == Ids{"one/0", "one/1", "one/2", "two/0", "two/1"});
}

TEST_CASE("a kind that nobody knows is followed and called by its name", "[report][lineage]") {
  const TempFolder folder;
  write_family(folder.path(), "one", {{}, {from(0, "distilled_from")}});
  CHECK(has(lineage_text(lineage_of(folder.path(), {"one", 1}, {})), "└─ distilled from one/0: completed"));
}

TEST_CASE("of several kinds between two trials each is said, and a trial is opened once", "[report][lineage]") {
  const TempFolder folder;
  write_family(folder.path(), "one", {{}, {from(0)}, {from(1), from(1, "started_from")}});
  const std::string text = lineage_text(lineage_of(folder.path(), {"one", 2}, {}));
  CHECK(has(text,
            "  ├─ was ablated from one/1: completed, 1 epoch, val.accuracy 0.5\n"
            "  │  └─ was ablated from one/0: completed, 1 epoch, val.accuracy 0.5\n"
            "  └─ started from the weights of one/1: completed, 1 epoch, val.accuracy 0.5 (above)\n"));
}

TEST_CASE("an ancestor of a study that was deleted is named", "[report][lineage]") {
  const TempFolder folder;
  write_family(folder.path(), "two", {{from(4, "started_from", "gone")}});
  CHECK(has(lineage_text(lineage_of(folder.path(), {"two", 0}, {})), "gone/4: not in this store"));
}

/// A study that was deleted and made anew was shown as the donor of weights that it never had.
TEST_CASE("another study of an ancestor's name is no ancestor", "[report][lineage]") {
  const TempFolder folder;
  const auto write = [&](const std::string& name, const std::string& sha256, const std::string& donated) {
    auto store = storage::Store::create(folder.path(), support::sample_row(name), {});
    trial::PieceResult result = support::result_of(0, 0.5);
    result.artifacts = {{"last", sha256, 9, 1}};
    store->begin();
    store->add(support::start_of(0));
    store->attempts().start({support::piece_of(0), 1, 0});
    store->add(study::Event(study::PieceEnded{result}));
    store->change({trial::TrialId(0), trial::TrialState::completed, 0.5, 1});
    if (!donated.empty()) store->attempts().start_from(support::piece_of(0), 1, {{donated, "donor", 0}});
    store->commit(storage::Durability::normal);
    store->close();
  };
  const std::string first(64, 'a'), second(64, 'b');
  write("heir", std::string(64, 'c'), first);
  const auto asked = [&](const char* study) { return lineage_text(lineage_of(folder.path(), {study, 0}, {})); };
  CHECK(has(asked("heir"), "donor/0: not in this store"));
  SECTION("the donor") {
    write("donor", first, "");
    CHECK(has(asked("heir"), "donor/0: completed"));
    CHECK(has(asked("donor"), "heir/0"));
  }
  SECTION("another study") {
    write("donor", second, "");
    CHECK(has(asked("heir"), "donor (an earlier one)/0: not in this store"));
    CHECK_FALSE(has(asked("donor"), "heir/0"));
  }
}

TEST_CASE("many heirs are counted, not all drawn", "[report][lineage]") {
  const TempFolder folder;
  std::vector<std::vector<storage::Origin>> origins(101, {from(0)});
  origins[0].clear();
  write_family(folder.path(), "one", origins);
  const report::Lineage lineage = lineage_of(folder.path(), {"one", 0}, {});
  CHECK(lineage.edges.size() == 100);
  CHECK(has(lineage_text(lineage), "└─ and 81 more\n"));
}

TEST_CASE("a trial that is not there is said", "[report][lineage]") {
  const TempFolder folder;
  write_family(folder.path(), "one", {{}});
  CHECK_THROWS_AS(lineage_of(folder.path(), {"one", 3}, {}), Error);
  CHECK_THROWS_AS(lineage_of_artifact(folder.path(), "0000000000", {}), Error);
}

}  // namespace lineage_test
