// SPDX-License-Identifier: Apache-2.0
// Statistics beside SciPy 1.17.1's and statsmodels 0.15.0's on the same numbers (statistics/generate writes the file).
#include "statistics/anova.hpp"
#include "statistics/bootstrap.hpp"
#include "statistics/boundaries.hpp"
#include "statistics/corrections.hpp"
#include "statistics/equivalence.hpp"
#include "statistics/paired.hpp"
#include "statistics/power.hpp"
#include "statistics/sign_flip.hpp"
#include "statistics/signed_rank.hpp"
#include "statistics/summary.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace statistics_test {

using namespace dlrun;
using namespace dlrun::statistics;

namespace {

const Json& recorded() {
  static const Json all = parse_json(read_file(DLRUN_STATISTICS, 1 << 20), "the recorded statistics");
  return all;
}

/// To 1e-9, relative to the larger of it and 1.
Approx near(const Json& value) { return Approx(value.get<double>()).epsilon(1e-9).margin(1e-9); }

std::vector<double> numbers(const Json& list) { return list.get<std::vector<double>>(); }

}  // namespace

TEST_CASE("paired comparisons agree with SciPy's", "[golden][statistics]") {
  for (const auto& [name, theirs] : recorded().at("pairs").items()) {
    CAPTURE(name);
    const std::vector<double> base = numbers(theirs["base"]), variant = numbers(theirs["variant"]);
    const std::vector<double> differences = gains(base, variant, true);
    const auto effect = effect_of(differences);
    REQUIRE(effect);
    CHECK(effect->mean == near(theirs["mean"]));
    CHECK(effect->sd == near(theirs["sd"]));
    CHECK(effect->t == near(theirs["t"]));
    CHECK(effect->p == near(theirs["p"]));
    CHECK(effect->low == near(theirs["low"]));
    CHECK(effect->high == near(theirs["high"]));
    CHECK(correlation(base, variant).value() == near(theirs["correlation"]));
    CHECK(superiority(differences) == near(theirs["superiority"]));
    CHECK(equivalence_p(*effect, 0.5) == near(theirs["equivalence"]));
    const double margins[] = {0.1, 0.5, 1.0};  // statsmodels' ttost_paired
    for (std::size_t i = 0; i < 3; ++i) CHECK(equivalence_p(*effect, margins[i]) == near(theirs["tost"][i]));
    CHECK(effect_of(differences, {.test_share = 0.25})->p == near(theirs["resampled_p"]));
  }
}

TEST_CASE("Wilcoxon's test and sign flips agree with SciPy's", "[golden][statistics]") {
  for (const auto& [name, theirs] : recorded().at("pairs").items()) {
    CAPTURE(name);
    const std::vector<double> differences = gains(numbers(theirs["base"]), numbers(theirs["variant"]), true);
    CHECK(wilcoxon_p(differences, RankMethod::asymptotic) == near(theirs["wilcoxon_asymptotic"]));
    if (theirs.contains("wilcoxon_exact")) {
      CHECK(wilcoxon_p(differences, RankMethod::exact) == near(theirs["wilcoxon_exact"]));
    }
    if (theirs.contains("sign_flip")) CHECK(sign_flip_p(differences) == near(theirs["sign_flip"]));
  }
}

TEST_CASE("bootstrap intervals agree with SciPy's to a hundredth of the spread", "[golden][statistics]") {
  for (const auto& [name, theirs] : recorded().at("pairs").items()) {
    if (!theirs.contains("BCa")) continue;
    CAPTURE(name);
    const std::vector<double> differences = gains(numbers(theirs["base"]), numbers(theirs["variant"]), true);
    const double margin = 1e-2 * theirs["sd"].get<double>();
    for (const auto& [kind, key] : {std::pair(BootstrapKind::percentile, "percentile"), {BootstrapKind::bca, "BCa"}}) {
      CAPTURE(key);
      const auto ours = bootstrap_interval(differences, {.kind = kind, .resamples = 100'000});
      CHECK(ours.low == Approx(theirs[key][0].get<double>()).margin(margin));
      CHECK(ours.high == Approx(theirs[key][1].get<double>()).margin(margin));
    }
  }
}

TEST_CASE("corrections agree with statsmodels'", "[golden][statistics]") {
  for (const Json& theirs : recorded().at("corrections")) {
    const std::vector<double> p = numbers(theirs["p"]);
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK(holm(p)[i] == near(theirs["holm"][i]));
      CHECK(benjamini_hochberg(p)[i] == near(theirs["bh"][i]));
    }
  }
}

namespace {

/// "C(a, Sum):C(b, Sum)" -> "a x b"
std::string our_name(std::string theirs) {
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"C(", ""},
                                 {", Sum)", ""},
                                 {":", " x "},
                                 {"block", "replicate"},
                                 {"Residual", "residual"}}) {
    for (std::size_t at; (at = theirs.find(from)) != std::string::npos;) theirs.replace(at, from.size(), to);
  }
  return theirs;
}

std::vector<Observation> observations_of(const Json& rows) {
  std::vector<Observation> out;
  for (const Json& row : rows) {
    Observation o;
    for (std::size_t i = 0; i + 2 < row.size(); ++i) o.levels.push_back(row[i].get<int>());
    o.block = row[row.size() - 2].get<int>();
    o.value = row.back().get<double>();
    out.push_back(o);
  }
  return out;
}

}  // namespace

TEST_CASE("tables of variance agree with statsmodels'", "[golden][statistics]") {
  for (const Json& theirs : recorded().at("anova")) {
    const auto rows = anova(theirs["names"].get<std::vector<std::string>>(), observations_of(theirs["rows"]),
                            {.order = theirs["order"].get<int>(), .has_blocks = theirs["has_blocks"].get<bool>()});
    REQUIRE(rows.size() == theirs["table"].size());
    for (const auto& [name, row] : theirs["table"].items()) {
      CAPTURE(name);
      const std::string wanted = our_name(name);
      const auto ours = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.name == wanted; });
      REQUIRE(ours != rows.end());
      CHECK(ours->sum_of_squares == near(row["sum_of_squares"]));
      CHECK(ours->degrees == row["degrees"].get<int>());
      if (row["f"].is_null()) continue;
      CHECK(ours->f == near(row["f"]));
      CHECK(ours->p == near(row["p"]));
    }
  }
}

TEST_CASE("effects of a factorial plan agree with statsmodels' coefficients", "[golden][statistics]") {
  const Json& theirs = recorded().at("anova")[0];
  const auto rows = anova({"a", "b"}, observations_of(theirs["rows"]));
  const auto coefficient = [&](const char* set, const char* name) { return theirs[set][name].get<double>(); };
  // level 0 is S.0 = +1 there, and what having it is worth is minus two of it
  CHECK(rows[0].effect == Approx(-2 * coefficient("coefficients", "C(a, Sum)[S.0]")).epsilon(1e-9));
  CHECK(rows[0].standard_error == Approx(2 * coefficient("errors", "C(a, Sum)[S.0]")).epsilon(1e-9));
  CHECK(rows[2].effect == Approx(4 * coefficient("coefficients", "C(a, Sum)[S.0]:C(b, Sum)[S.0]")).epsilon(1e-9));
  CHECK(rows[2].standard_error == Approx(4 * coefficient("errors", "C(a, Sum)[S.0]:C(b, Sum)[S.0]")).epsilon(1e-9));
}

TEST_CASE("power agrees with statsmodels', and with SciPy's quadrature", "[golden][statistics]") {
  for (const Json& theirs : recorded().at("power").at("paired_t")) {
    CAPTURE(theirs.dump());
    CHECK(paired_t_power(theirs["d_z"].get<double>(), theirs["n"].get<int>(), theirs["alpha"].get<double>()) ==
          near(theirs["power"]));
  }
  for (const Json& theirs : recorded().at("power").at("equivalence")) {
    CAPTURE(theirs.dump());
    CHECK(equivalence_power(theirs["rope"].get<double>(), theirs["n"].get<int>(), theirs["alpha"].get<double>(),
                            theirs["d_z"].get<double>()) == near(theirs["power"]));
  }
}

TEST_CASE("boundaries agree with two million simulated studies", "[golden][statistics]") {
  for (const Json& theirs : recorded().at("boundaries")) {
    CAPTURE(theirs.dump());
    const auto levels = nominal_levels(theirs["looks"].get<std::vector<int>>(),
                                       boundary_named(theirs["boundary"].get<std::string>()), 0.05);
    for (std::size_t i = 0; i < levels.size(); ++i) {
      CHECK(levels[i] == Approx(theirs["levels"][i].get<double>()).epsilon(0.02));
    }
  }
}

}  // namespace statistics_test
