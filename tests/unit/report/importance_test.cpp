// SPDX-License-Identifier: Apache-2.0
// Importances of a study that a Store really wrote: which trials count.
#include "report/report.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"
#include "util/random.hpp"

namespace importance_test {

using namespace dlrun;
using report::Reader;
using report::Table;
using support::TempFolder;
using trial::TrialState;

namespace {

constexpr std::int64_t kTrials = 60;

storage::StudyRow row_of_study() {
  storage::StudyRow row = support::sample_row();
  row.spec["trial"]["epochs"] = 4;
  const auto axis = [](const char* name) {
    return Json{{"name", name}, {"at", ""},          {"type", "float"}, {"low", 0.0},
                {"high", 1.0},  {"scale", "linear"}, {"step", nullptr}};
  };
  row.spec["space"] = Json::array({axis("matters"), axis("idle")});
  return row;
}

void write(storage::Store& store, std::int64_t trial, TrialState state) {
  const double x = double(trial * 7 % kTrials) / kTrials;
  support::write_trial(store, trial, 2 * x, {x, double(trial * 11 % kTrials) / kTrials});
  store.begin();
  const bool has_value = state != TrialState::failed;
  store.change({trial::TrialId(trial), state, has_value ? std::optional(2 * x) : std::nullopt, 2});
  store.commit(storage::Durability::normal);
}

Json fact(const Table& table, const std::string& name) {
  for (const auto& row : table.rows) {
    if (row[0] == name) return row[1];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("importances count what has a result and say what has none", "[report][importance]") {
  const TempFolder folder;
  auto store =
      storage::Store::create(folder.path(), row_of_study(), space::Space({{.name = "matters"}, {.name = "idle"}}));
  for (std::int64_t i = 0; i < kTrials; ++i) {
    const TrialState states[] = {TrialState::completed, TrialState::completed, TrialState::pruned, TrialState::failed};
    write(*store, i, states[i % 4]);
  }
  const std::string method = GENERATE("fanova", "ped_anova", "shapley");
  const auto tables = Reader(folder.path(), {}).importance(method);
  const Table& shares = tables.front();
  const Table& basis = tables.back();
  CHECK(tables.size() == (method == "fanova" ? 3 : 2));
  CHECK(shares.title == "importance for val.accuracy (" + method + ")");
  CHECK(shares.rows[0][0] == "matters");
  CHECK(shares.columns[1] == "rank");
  CHECK(shares.rows[0][1] == 1);
  CHECK(shares.rows[1][1] == 2);
  CHECK(shares.rows[0][2].get<double>() > 0.75);
  CHECK(shares.rows[0].back() == 45);
  CHECK(fact(basis, "no ranking").is_null());
  CHECK(fact(basis, "trials") == 45);
  CHECK(fact(basis, "of them with a part of the budget") == 15);
  CHECK(fact(basis, "left out, without a result") == 15);
  CHECK(fact(basis, "explained of unseen trials (R2)").is_null() == (method == "ped_anova"));
  CHECK(fact(basis, "warning").is_null() == (method != "ped_anova"));  // which asks for five among the best tenth
}

TEST_CASE("trials with a choice that an amendment gave up lie outside of the space", "[report][importance]") {
  const TempFolder folder;
  storage::StudyRow row = row_of_study();
  row.spec["space"].push_back(
      {{"name", "op"}, {"at", ""}, {"type", "categorical"}, {"choices", {"s", "m"}}, {"when", nullptr}});
  row.spec["constraints"] = Json::array({{{"forbid", {{"op", {"s"}}}}}});
  const space::Parameter op{.name = "op", .type = space::Type::categorical, .choices = {"s", "m"}};
  auto store = storage::Store::create(folder.path(), row, space::Space({{.name = "matters"}, {.name = "idle"}, op}));
  for (std::int64_t i = 0; i < kTrials; ++i) {
    const double x = double(i * 7 % kTrials) / kTrials;
    support::write_trial(*store, i, 2 * x,
                         {x, double(i * 11 % kTrials) / kTrials, space::Choice{i % 4 == 0 ? 0U : 1U}});
  }
  const Table basis = Reader(folder.path(), {}).importance("fanova").back();
  CHECK(fact(basis, "trials") == 45);
  CHECK(fact(basis, "left out, outside of the amended space") == 15);
}

TEST_CASE("a study of noise has no ranking and no shares, and says so", "[report][importance]") {
  const TempFolder folder;
  auto store =
      storage::Store::create(folder.path(), row_of_study(), space::Space({{.name = "matters"}, {.name = "idle"}}));
  RandomStream random(1, {"noise"});
  for (std::int64_t i = 0; i < kTrials; ++i) {
    const double x = random.uniform(), y = random.uniform();
    support::write_trial(*store, i, random.normal(), {x, y});
  }
  const auto [method, reason] = GENERATE(
      table<std::string, std::string>({{"fanova", "the surrogate explains nothing for sure: out-of-bag R2 "},
                                       {"shapley", "the surrogate explains nothing for sure: out-of-bag R2 "},
                                       {"ped_anova", "the best trials differ from all no more than by chance: p "}}));
  const auto tables = Reader(folder.path(), {}).importance(method);
  CHECK(tables.front().title == "importance for val.accuracy (" + method + "): no ranking");
  for (std::size_t row = 0; row < 2; ++row) {
    CHECK(tables.front().rows[row][0] == (row == 0 ? "matters" : "idle"));
    for (std::size_t column = 1; column <= 4; ++column) CHECK(tables.front().rows[row][column].is_null());
  }
  CHECK(tables[1].rows.empty() == (method == "fanova"));
  CHECK(fact(tables.back(), "no ranking").get<std::string>().starts_with(reason));
}

TEST_CASE("a study without results has no importances and says so", "[report][importance]") {
  const TempFolder folder;
  const auto store =
      storage::Store::create(folder.path(), row_of_study(), space::Space({{.name = "matters"}, {.name = "idle"}}));
  const auto tables = Reader(folder.path(), {}).importance("fanova");
  CHECK(tables[0].rows[0][0] == "matters");
  CHECK(tables[0].rows[0][2].is_null());
  CHECK(fact(tables.back(), "no ranking") == "there is nothing to rank by");
  CHECK(fact(tables.back(), "warning") == "0 trials are too few to tell: 30 or more are advised");
  CHECK_THROWS_AS(Reader(folder.path(), {}).importance("mdi"), Error);
}

}  // namespace importance_test
