// SPDX-License-Identifier: Apache-2.0
// What an ablation's store is told as: contributions, interactions, and what is not ranked.
#include "report/report.hpp"
#include "support/ablation_study.hpp"
#include "support/catch.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace ablation_test {

using namespace dlrun;
using report::Reader;
using report::Table;
using support::AblationPlan;
using support::Metric;
using support::TempFolder;

namespace {

using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// A little noise of the run, other for each variant; and the seed's own, shared.
double noise(const Names& off, int r) {
  const int salt = int(support::id_of(off).size()) * 7 + r * 3;
  return 0.001 * double(salt % 5 - 2) + 0.004 * double(r % 3);
}

/// bn is worth .05, dropout costs .04, idle does nothing; relu and gelu stand in for one another.
std::optional<double> usual(const Names& off, int r) {
  double value = 0.9 + noise(off, r);
  if (has(off, "bn")) value -= 0.05;
  if (has(off, "dropout")) value += 0.04;
  if (has(off, "relu") && has(off, "gelu")) value -= 0.1;
  return value;
}

std::vector<Table> tables_of(const AblationPlan& plan, const Metric& metric,
                             report::Audience audience = report::Audience::programs) {
  const TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, metric);
  return Reader(folder.path(), {}).ablation(audience);
}

const Table& named(const std::vector<Table>& tables, const std::string& title) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const Table& t) { return t.title == title; });
  REQUIRE(found != tables.end());
  return *found;
}

bool is_there(const std::vector<Table>& tables, const std::string& title) {
  return std::any_of(tables.begin(), tables.end(), [&](const Table& t) { return t.title == title; });
}

Json at(const Table& table, const std::string& first, const std::string& column) {
  const auto place = std::find(table.columns.begin(), table.columns.end(), column);
  REQUIRE(place != table.columns.end());
  for (const auto& row : table.rows) {
    if (row[0] == first) return row[std::size_t(place - table.columns.begin())];
  }
  FAIL("no row " + first);
  return nullptr;
}

std::vector<std::string> warnings(const Table& claim) {
  std::vector<std::string> out;
  for (const auto& row : claim.rows) {
    if (row[0] == "warning") out.push_back(row[1].get<std::string>());
  }
  return out;
}

std::vector<std::string> picture_names(const AblationPlan& plan, const Metric& metric) {
  const TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, metric);
  std::vector<std::string> names;
  for (const report::NamedPicture& one : Reader(folder.path(), {}).pictures()) {
    if (one.kind != "gantt") names.push_back(one.picture.name);
  }
  return names;
}

std::string program_of(const AblationPlan& plan, const Metric& metric, const std::string& name) {
  const TempFolder folder;
  const auto store = support::write_ablation(folder.path(), plan, metric);
  for (const report::NamedPicture& one : Reader(folder.path(), {}).pictures()) {
    if (one.picture.name == name) return one.picture.program;
  }
  FAIL("no picture " + name);
  return {};
}

}  // namespace

TEST_CASE("contributions of components, the largest first", "[report][ablation]") {
  const auto tables = tables_of({.off = {{"idle"}, {"dropout"}, {"bn"}}}, usual);
  const Table& table = named(tables, "contributions");
  CHECK(table.rows[0][0] == "bn");
  CHECK(at(table, "bn", "verdict") == "helps");
  CHECK(at(table, "bn", "contribution").get<double>() == Approx(.05).margin(.003));
  CHECK(at(table, "bn", "metric").get<double>() == Approx(.85).margin(.01));
  CHECK(at(table, "bn", "p_better") == 1.0);
  CHECK(at(table, "bn", "pairs") == 8);
  CHECK(at(table, "bn", "parameters_saved_%") == 10.0);
  CHECK(at(table, "bn", "operations_saved_%") == 20.0);
  CHECK(at(table, "bn", "time_saved_%") == 0.0);
  CHECK(at(table, "dropout", "verdict") == "hurts");
  CHECK(at(table, "idle", "verdict") == "negligible");
  CHECK(at(tables[0], "claims are about", "value").get<std::string>().find("new seeds") != std::string::npos);
  CHECK(warnings(tables[0]).empty());
}

TEST_CASE("components that say what is expected are a family of their own", "[report][ablation]") {
  AblationPlan plan{.off = {{"idle"}, {"dropout"}, {"bn"}}};
  plan.components = {{{"id", "idle"}}, {{"id", "dropout"}, {"expected", "helps"}}, {{"id", "bn"}}};
  const auto tables = tables_of(plan, usual);
  const Table& table = named(tables, "contributions");
  CHECK(at(table, "dropout", "expected") == "helps");
  CHECK(at(table, "dropout", "family") == "exploratory");
  CHECK(at(table, "bn", "expected").is_null());
  CHECK(at(table, "bn", "family") == "planned");
  CHECK(at(table, "dropout", "p_corrected") == at(table, "dropout", "p"));  // Holm of one
  const double p = at(table, "bn", "p").get<double>();
  CHECK(at(table, "bn", "p_corrected").get<double>() == Approx(2 * p).epsilon(1e-4));  // the less of two
  CHECK(at(tables[0], "exploratory", "value").get<std::string>().starts_with("1 that"));
  const auto paper = tables_of(plan, usual, report::Audience::paper);
  CHECK(at(paper[0], "dropout", "family") == "exploratory");
}

TEST_CASE("matches of one component share what is expected of it", "[report][ablation]") {
  AblationPlan plan{.off = {{"all.bn1"}, {"all.bn2"}, {"allow"}}};
  plan.components = {{{"id", "all"}, {"as", "each"}, {"expected", "none"}}, {{"id", "allow"}}};
  const auto tables = tables_of(plan, [](const Names&, int r) { return 0.9 + 0.001 * double(r % 3); });
  const Table& table = named(tables, "contributions");
  CHECK(at(table, "all.bn2", "expected") == "none");
  CHECK(at(table, "allow", "family") == "planned");
}

TEST_CASE("where less is better a contribution is positive where the component lowers it", "[report][ablation]") {
  AblationPlan plan{.off = {{"bn"}, {"dropout"}}};
  plan.maximize = false;
  const auto tables = tables_of(plan, usual);
  CHECK(at(named(tables, "contributions"), "bn", "verdict") == "hurts");
  CHECK(at(named(tables, "contributions"), "dropout", "contribution").get<double>() == Approx(.04).margin(.003));
}

TEST_CASE("a lost pair is counted, an unstable variant is not ranked", "[report][ablation]") {
  const auto tables = tables_of({.off = {{"bn"}, {"dropout"}}}, [](const Names& off, int r) -> std::optional<double> {
    if (has(off, "bn") && r == 3) return std::nullopt;
    if (has(off, "dropout") && r < 2) return std::nullopt;
    return usual(off, r);
  });
  const Table& table = named(tables, "contributions");
  CHECK(at(table, "bn", "pairs") == 7);
  CHECK(at(table, "bn", "lost") == 1);
  CHECK(at(table, "bn", "verdict") == "helps");
  CHECK(at(table, "dropout", "verdict") == "invalid: unstable");
  CHECK(at(table, "dropout", "contribution").is_null());
  CHECK(warnings(tables[0]).size() == 2);
}

TEST_CASE("what predicts a constant is not ranked", "[report][ablation]") {
  SECTION("a variant that ends alike in all replicates") {
    const auto tables = tables_of({.off = {{"bn"}, {"idle"}}},
                                  [](const Names& off, int r) { return has(off, "bn") ? 0.5964912 : *usual(off, r); });
    CHECK(at(named(tables, "contributions"), "bn", "verdict") == "invalid: collapsed");
    CHECK(at(named(tables, "contributions"), "idle", "verdict") == "negligible");
  }
  SECTION("a variant that guesses: two classes, 10,000 examples") {
    const auto tables = tables_of({.off = {{"bn"}}}, [](const Names& off, int r) {
      return has(off, "bn") ? 0.498 + 0.001 * (r % 3) : *usual(off, r);
    });
    CHECK(at(named(tables, "contributions"), "bn", "verdict") == "invalid: collapsed");
  }
  SECTION("the baseline: then nothing is") {
    const auto tables = tables_of({.off = {{"bn"}, {"idle"}}},
                                  [](const Names& off, int r) { return off.empty() ? 0.5 : *usual(off, r); });
    for (const char* id : {"bn", "idle"}) {
      CHECK(at(named(tables, "contributions"), id, "verdict") == "invalid: collapsed");
    }
    CHECK(warnings(tables[0])[0].find("the baseline did not train") == 0);
  }
}

// A net that is right in every example "did not train", as its accuracy was the same in all replicates.
TEST_CASE("equal values are no collapse where the most frequent class is known to get less", "[report][ablation]") {
  const Metric easy = [](const Names& off, int r) -> std::optional<double> {
    return off.empty() ? 1 : 0.8 + 0.01 * (r % 3);
  };
  AblationPlan plan{.off = {{"bn"}}, .majority = {{"val", 0.62}}};
  CHECK(at(named(tables_of(plan, easy), "contributions"), "bn", "verdict") == "helps");
  const Metric guesses = [](const Names& off, int r) { return off.empty() ? std::optional(0.62) : usual(off, r); };
  CHECK(at(named(tables_of(plan, guesses), "contributions"), "bn", "verdict") == "invalid: collapsed");
  plan.majority = {};
  plan.derived = {{"folds", 8}};
  CHECK(at(named(tables_of(plan, easy), "contributions"), "bn", "verdict") == "helps");
}

// The later pairs of a variant moved up, and the study was never over.
TEST_CASE("a replicate whose baseline failed is lost where variants begin with it", "[report][ablation]") {
  AblationPlan plan{.off = {{"bn"}}};
  const TempFolder folder;
  const Metric metric = [](const Names& off, int r) { return off.empty() && r == 3 ? std::nullopt : usual(off, r); };
  const auto store = support::write_ablation(folder.path(), plan, metric, {{"start_from", "baseline"}});
  store->begin();
  store->change({trial::TrialId(7), trial::TrialState::waiting, {}, 0});  // without bn, in the same replicate
  store->commit(storage::Durability::normal);
  const auto tables = Reader(folder.path(), {}).ablation();
  CHECK(at(named(tables, "contributions"), "bn", "pairs") == 7);
  CHECK(at(named(tables, "contributions"), "bn", "lost") == 1);
  CHECK_FALSE(has(warnings(tables[0]), "1 runs are not over yet"));
}

// Steps knew nothing of the runs that failed, whose replicates they leave out.
TEST_CASE("a path counts lost replicates, and does not rank what fails too often", "[report][ablation]") {
  AblationPlan plan{.design = "path", .off = {{"a", "b"}, {"b"}}, .replicates = 10};
  plan.derived = {{"steps", {{"components", {"a", "b"}}, {"puts_back", true}, {"order", "given"}}}};
  const auto tables = tables_of(plan, [](const Names& off, int r) -> std::optional<double> {
    if (has(off, "a") && r < 4) return std::nullopt;
    return 0.9 + noise(off, r) - 0.05 * double(off.size());
  });
  const Table& steps = named(tables, "path, as given: what each change brought");
  CHECK(at(steps, "a", "verdict") == "invalid: unstable");
  CHECK(at(steps, "b", "verdict") == "helps");
  CHECK(at(steps, "b", "pairs") == 6);
  CHECK(has(warnings(tables[0]), "a: more than a fifth of the replicates failed, not ranked"));
  CHECK(tables.back().rows[0][0].get<std::string>().find("8 pairs lost") != std::string::npos);
}

TEST_CASE("interactions are a family beside the contributions", "[report][ablation]") {
  const auto tables = tables_of(
      {.design = "pairwise", .off = {{"relu"}, {"gelu"}, {"bn"}, {"relu", "gelu"}, {"relu", "bn"}, {"gelu", "bn"}}},
      usual);
  const Table& table = named(tables, "interactions");
  REQUIRE(table.rows.size() == 3);
  CHECK(table.rows[0][0] == "relu");
  CHECK(table.rows[0][1] == "gelu");
  CHECK(table.rows[0][2].get<double>() == Approx(-.1).margin(.006));
  CHECK(table.rows[0].back() == "each stands in for the other");
  CHECK(table.rows[1].back() == "not shown");
  CHECK(named(tables, "contributions").rows.size() == 3);
}

TEST_CASE("a factorial design has a table of variance, orders, and both ends side by side", "[report][ablation]") {
  const auto tables = tables_of({.design = "factorial", .off = {{"relu"}, {"gelu"}, {"relu", "gelu"}}}, usual);
  const Table& variance = named(tables, "analysis of variance, the replicate as block");
  CHECK(at(variance, "relu", "effect").get<double>() == Approx(.05).margin(.003));
  CHECK(at(variance, "relu x gelu", "effect").get<double>() == Approx(-.1).margin(.006));
  CHECK(at(variance, "residual", "degrees") == 3 * 7);
  const Table& shares = named(tables, "shares over all orders (Shapley)");
  CHECK(at(shares, "relu", "share").get<double>() + at(shares, "gelu", "share").get<double>() ==
        Approx(at(shares, "all together", "share").get<double>()));
  const Table& sides = named(tables, "left out of all, and put back alone");
  CHECK(at(sides, "relu", "left_out").get<double>() == Approx(0).margin(.003));
  CHECK(at(sides, "relu", "put_back").get<double>() == Approx(.1).margin(.003));
}

// Each mean was over whatever replicates the variant had: after one failure the luck of a seed was a component's share.
TEST_CASE("shares over all orders compare the replicates that all variants measured", "[report][ablation]") {
  const Metric lucky = [](const Names& off, int r) -> std::optional<double> {
    if (off == Names{"gelu"} && r == 3) return std::nullopt;
    return 90.0 * (r % 4) + (has(off, "relu") ? 0 : 3) + noise(off, r);
  };
  const auto tables = tables_of({.design = "factorial", .off = {{"relu"}, {"gelu"}, {"relu", "gelu"}}}, lucky);
  const Table& shares =
      named(tables, "shares over all orders (Shapley), of the 7 of 8 replicates that all variants measured");
  CHECK(at(shares, "relu", "share").get<double>() == Approx(3).margin(.01));
  CHECK(at(shares, "gelu", "share").get<double>() == Approx(0).margin(.01));
  CHECK(at(shares, "all together", "share").get<double>() == Approx(3).margin(.01));
}

// The table of both ends had numbers of gains that were invalid, and they read as redundancy.
TEST_CASE("a core that guesses tells nothing of components put back alone", "[report][ablation]") {
  const Metric guessing = [](const Names& off, int r) -> std::optional<double> {
    return has(off, "bn") && has(off, "idle") ? 0.5 : usual(off, r);
  };
  const auto tables = tables_of({.design = "factorial", .off = {{"bn"}, {"idle"}, {"bn", "idle"}}}, guessing);
  CHECK(at(named(tables, "contributions"), "bn", "verdict") == "helps");
  CHECK_FALSE(is_there(tables, "left out of all, and put back alone"));
}

TEST_CASE("a table of variance says what its p know, and is not there beside what collapsed", "[report][ablation]") {
  AblationPlan plan{.design = "factorial", .off = {{"relu"}, {"gelu"}, {"relu", "gelu"}}};
  plan.analysis["metric"] = "val.accuracy";
  const TempFolder folder;
  const auto store =
      support::write_ablation(folder.path(), plan, usual, {{"replicates", {{"n", 8}, {"vary", {"split"}}}}});
  named(Reader(folder.path(), {}).ablation(),
        "analysis of variance, the replicate as block, of these runs alone: its p know neither other examples nor what "
        "splits share");
  const Metric guessing = [](const Names& off, int r) { return off.size() == 2 ? std::optional(0.5) : usual(off, r); };
  CHECK_FALSE(is_there(tables_of(plan, guessing), "analysis of variance, the replicate as block"));
}

TEST_CASE("components put back alone are judged against what is left", "[report][ablation]") {
  const auto tables = tables_of({.design = "add_one_in", .off = {{"bn", "idle"}, {"idle"}, {"bn"}}}, usual);
  const Table& table = named(tables, "contributions, each put back alone");
  CHECK(at(table, "bn", "contribution").get<double>() == Approx(.05).margin(.003));
  CHECK(at(table, "idle", "verdict") == "negligible");
  CHECK_FALSE(is_there(tables, "contributions"));
}

TEST_CASE("runs that are not over yet are said, and no failures", "[report][ablation]") {
  const TempFolder folder;
  AblationPlan plan{.off = {{"bn"}}};
  auto store = support::write_ablation(folder.path(), plan, usual);
  for (const std::int64_t open : {15, 14}) {
    store->begin();
    store->change({trial::TrialId(open), trial::TrialState::running, {}, 0});
    store->commit(storage::Durability::normal);
  }
  const auto tables = Reader(folder.path(), {}).ablation();
  CHECK(at(named(tables, "contributions"), "bn", "pairs") == 7);
  CHECK(at(named(tables, "contributions"), "bn", "lost") == 0);
  CHECK(warnings(tables[0]) == Names{"2 runs are not over yet"});
}

TEST_CASE("what the most frequent class alone gets right is no training", "[report][ablation]") {
  // Of 10,000 examples 62 % are of one class: a standard error is .0049.
  const auto idle_gets = [](double accuracy) {
    return [=](const Names& off, int r) -> std::optional<double> {
      return has(off, "idle") ? accuracy + 0.001 * noise(off, r) : usual(off, r);
    };
  };
  AblationPlan plan{.off = {{"bn"}, {"idle"}}, .majority = {{"val", 0.62}, {"test", 0.6}}};
  const auto verdict = [&](double accuracy) {
    return at(named(tables_of(plan, idle_gets(accuracy)), "contributions"), "idle", "verdict").get<std::string>();
  };
  CHECK(verdict(0.624) == "invalid: collapsed");
  CHECK(verdict(0.626) == "helps");
  plan.majority = {};
  CHECK(verdict(0.624) == "helps");  // nobody counted: as if both classes were as frequent
  CHECK(verdict(0.504) == "invalid: collapsed");
}

TEST_CASE("a function without noise is ranked, with no size in deviations", "[report][ablation]") {
  const Metric exact = [](const Names& off, int) -> std::optional<double> { return has(off, "bn") ? 0.8 : 0.9; };
  const AblationPlan plan{.off = {{"bn"}}, .kind = "function"};
  const auto tables = tables_of(plan, exact), paper = tables_of(plan, exact, report::Audience::paper);
  const Table& table = named(tables, "contributions");
  CHECK(at(table, "bn", "verdict") == "helps");
  CHECK(at(table, "bn", "contribution") == 0.1);
  CHECK(at(table, "bn", "d_z").is_null());
  CHECK(at(paper[0], "bn", "d_z").is_null());
}

TEST_CASE("with looks the p value may be read at each of them", "[report][ablation]") {
  AblationPlan plan{.off = {{"bn"}}};
  const double once = at(named(tables_of(plan, usual), "contributions"), "bn", "p").get<double>();
  plan.stopping = {{"looks", {4, 6, 8}}, {"boundary", "pocock"}};
  const auto tables = tables_of(plan, usual);
  CHECK(at(named(tables, "contributions"), "bn", "p").get<double>() > once);
  CHECK(at(named(tables, "contributions"), "bn", "verdict") == "helps");
  CHECK(at(tables[0], "looks", "value") == "4, 6, 8 (Pocock)");
}

TEST_CASE("why a variant has no more replicates", "[report][ablation]") {
  AblationPlan plan{.off = {{"bn"}, {"idle"}, {"dropout"}}, .analysis = {{"rope", nullptr}}};
  plan.stopping = {{"looks", {4, 6, 8}}, {"boundary", "obf"}};
  const auto usual_tables = tables_of(plan, usual);
  const Table& table = named(usual_tables, "why no more replicates");
  CHECK(at(table, "baseline", "why") == "runs as long as any variant is open");
  CHECK(at(table, "bn", "why").get<std::string>().starts_with("helps at the look at 4: p "));
  CHECK(at(table, "dropout", "why").get<std::string>().starts_with("hurts at the look at 4: p "));
  CHECK(at(table, "idle", "look") == 8);
  CHECK(at(table, "idle", "why").get<std::string>().ends_with("settles; these are all"));
  plan.analysis["rope"] = 0.02;
  const auto with_rope = tables_of(plan, usual);
  CHECK(at(named(with_rope, "why no more replicates"), "idle", "why")
            .get<std::string>()
            .starts_with("within ±0.02 at the look at 4: p "));
  plan.stopping = {};
  CHECK_FALSE(is_there(tables_of(plan, usual), "why no more replicates"));
}

TEST_CASE("the largest interaction comes first, whichever way", "[report][ablation]") {
  const auto tables =
      tables_of({.design = "pairwise",
                 .off = {{"idle"}, {"relu"}, {"gelu"}, {"idle", "relu"}, {"idle", "gelu"}, {"relu", "gelu"}}},
                usual);
  CHECK(named(tables, "interactions").rows[0][0] == "relu");
  CHECK(named(tables, "interactions").rows[0][1] == "gelu");
}

TEST_CASE("an effect that is shown and yet within the rope says both, everywhere", "[report][ablation]") {
  const Metric metric = [](const Names& off, int r) -> std::optional<double> {
    return 0.9 + 0.004 * double(r % 3) - (has(off, "bn") ? 0.005 + 0.001 * double(r % 2) : 0);
  };
  AblationPlan plan{.off = {{"bn"}}, .replicates = 10};
  CHECK(at(named(tables_of(plan, metric), "contributions"), "bn", "verdict") == "helps (within ±0.02)");
  const auto paper = tables_of(plan, metric, report::Audience::paper);
  CHECK(at(paper[0], "bn", "verdict") == "helps (within ±0.02)");
  CHECK(program_of(plan, metric, "parts-forest").find("helps (within ±0.02)") != std::string::npos);
  plan.analysis["rope"] = 0.005;
  CHECK(at(named(tables_of(plan, metric), "contributions"), "bn", "verdict") == "helps");
  // At 4 replicates within the rope, and at 8 more than nothing.
  const Metric wide = [](const Names& off, int r) -> std::optional<double> {
    return 0.9 + 0.004 * double(r % 3) - (has(off, "bn") ? 0.005 + 0.004 * double(r % 2) : 0);
  };
  plan = {.off = {{"bn"}}, .replicates = 8, .analysis = {{"rope", 0.05}}, .stopping = {{"looks", {4, 6, 8}}}};
  const auto tables = tables_of(plan, wide);
  CHECK(at(named(tables, "why no more replicates"), "bn", "why")
            .get<std::string>()
            .starts_with("within ±0.05 at the look at 4: p "));
  CHECK(at(named(tables, "contributions"), "bn", "verdict") == "helps (within ±0.05)");
}

TEST_CASE("a paper's table and paragraph", "[report][ablation]") {
  const auto tables = tables_of({.off = {{"bn"}, {"idle"}}}, usual, report::Audience::paper);
  REQUIRE(tables.size() == 2);
  CHECK(tables[0].columns == Names{"component", "contribution", "95 % interval", "d_z", "p (holm)", "verdict"});
  CHECK(tables[0].rows[0][0] == "bn");
  const auto text = tables[1].rows[0][0].get<std::string>();
  CHECK(text.find("We trained 3 variants of the model with 8 seeds each") == 0);
  CHECK(text.find("within ±0.02 are called negligible") != std::string::npos);
  CHECK(tables[1].columns == Names{"paragraph"});
}

TEST_CASE("another study has no such section", "[report][ablation]") {
  const TempFolder folder;
  const auto store = storage::Store::create(folder.path(), support::sample_row(), space::Space({{.name = "lr"}}));
  const Reader reader(folder.path(), {});
  CHECK_FALSE(reader.is_ablation());
  CHECK_THROWS_AS(reader.ablation(), Error);
}

TEST_CASE("an ablation has the pictures that it has figures for", "[report][ablation][plot]") {
  const Names some = {"parts-forest", "parts-pairs"}, all = {"parts-forest", "parts-interactions", "parts-pairs"};
  CHECK(picture_names({.off = {{"bn"}, {"idle"}}}, usual) == some);
  CHECK(picture_names({.design = "pairwise", .off = {{"relu"}, {"gelu"}, {"relu", "gelu"}}}, usual) == all);
}

TEST_CASE("what is not ranked has a row without an interval, a lost pair a cross", "[report][ablation][plot]") {
  const Metric metric = [](const Names& off, int r) -> std::optional<double> {
    if (has(off, "bn") && r == 3) return std::nullopt;
    return has(off, "idle") ? 0.5 : *usual(off, r);
  };
  const std::string forest = program_of({.off = {{"bn"}, {"idle"}}}, metric, "parts-forest");
  CHECK(forest.find("'idle' 1") != std::string::npos);
  CHECK(forest.find("'invalid: collapsed' 1") != std::string::npos);
  CHECK(forest.find("7 paired seeds") != std::string::npos);
  const std::string pairs = program_of({.off = {{"bn"}}}, metric, "parts-pairs");
  CHECK(pairs.find("$lonely << EOD\n0 0.898") != std::string::npos);
}

TEST_CASE("a line to the worse is blue, whichever way better is", "[report][ablation][plot]") {
  AblationPlan plan{.off = {{"bn"}}};  // without bn the metric falls
  CHECK(program_of(plan, usual, "parts-pairs")
            .find("$down using 1:2 with linespoints lw 1.5 pt 7 ps 0.45 lc rgb '#0072b2'") != std::string::npos);
  plan.maximize = false;
  CHECK(program_of(plan, usual, "parts-pairs")
            .find("$down using 1:2 with linespoints lw 1.5 pt 7 ps 0.45 lc rgb '#d55e00'") != std::string::npos);
}

TEST_CASE("variants with names of their own are judged as they are", "[report][ablation]") {
  const auto tables = tables_of({.design = "list", .off = {{"bn"}, {"bn", "dropout"}}}, usual);
  const Table& table = named(tables, "contributions");
  CHECK(at(table, "bn+dropout", "kind") == "several");
  CHECK(at(table, "bn+dropout", "contribution").get<double>() == Approx(.01).margin(.003));
  CHECK(at(table, "bn", "contribution").get<double>() == Approx(.05).margin(.003));
}

// 2^(3-1), I = abc: the runs are the baseline and every two of a, b, c left out. With y = 10 a + 4 b + 2 bc (1 where
// there), without bn and idle: y(abc) = 16, y(c) = 0, y(b) = 4, y(a) = 10, so the effect of a is (16 + 10 - 0 - 4) / 2
// = 11: its own 10 and half of what b and c are worth together, with which it is aliased.
TEST_CASE("effects of a fraction are those of a hand calculation, with their aliases", "[report][ablation]") {
  AblationPlan plan{.design = "fractional", .off = {{"a", "b"}, {"a", "c"}, {"b", "c"}}};
  plan.derived = parse_json(
      R"({"fraction":{"resolution":3,"words":[["a","b","c"]],"aliases":[{"effect":["a"],"with":[["b","c"]]}]}})",
      "derived");
  const auto tables = tables_of(plan, [](const Names& off, int r) -> std::optional<double> {
    const double a = has(off, "a") ? 0 : 1, b = has(off, "b") ? 0 : 1, c = has(off, "c") ? 0 : 1;
    return 10 * a + 4 * b + 2 * b * c + 0.01 * (r % 3) + 0.001 * ((r * 7 + int(a)) % 5);
  });
  const Table& table = named(tables, "contributions, averaged over the fraction");
  CHECK(at(table, "a", "contribution").get<double>() == Approx(11).margin(.005));
  CHECK(at(table, "b", "contribution").get<double>() == Approx(5).margin(.005));
  CHECK(at(table, "c", "contribution").get<double>() == Approx(1).margin(.005));
  CHECK(at(table, "a", "parameters_saved_%").is_null());
  CHECK(named(tables, "aliases: what is measured together").rows[0][1] == "b x c");
  CHECK_FALSE(is_there(tables, "analysis of variance, the replicate as block"));
}

}  // namespace ablation_test
