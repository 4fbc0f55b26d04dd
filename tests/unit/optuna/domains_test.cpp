// SPDX-License-Identifier: Apache-2.0
// Distributions as Optuna 5.0.0 writes them, as one space.
#include "optuna/domains.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace domains_test {

using namespace dlrun;
using optuna::Domains;
using storage::OptunaParam;
using storage::OptunaStudy;
using storage::OptunaTrial;

namespace {

OptunaParam real(const std::string& name, double value, double low, double high, const std::string& step = "null",
                 bool log = false) {
  return {name, value,
          R"({"name": "FloatDistribution", "attributes": {"step": )" + step + R"(, "low": )" + std::to_string(low) +
              R"(, "high": )" + std::to_string(high) + R"(, "log": )" + (log ? "true" : "false") + "}}"};
}

OptunaParam whole(const std::string& name, double value, int low, int high, int step = 1) {
  return {name, value,
          R"({"name": "IntDistribution", "attributes": {"log": false, "step": )" + std::to_string(step) +
              R"(, "low": )" + std::to_string(low) + R"(, "high": )" + std::to_string(high) + "}}"};
}

OptunaParam choice(const std::string& name, int index, const std::string& choices) {
  return {name, double(index), R"({"name": "CategoricalDistribution", "attributes": {"choices": )" + choices + "}}"};
}

OptunaTrial trial(std::vector<OptunaParam> params, const std::string& state = "COMPLETE") {
  return {.state = state, .params = std::move(params)};
}

OptunaStudy study(std::vector<OptunaTrial> trials) {
  return {.name = "s", .directions = {"MINIMIZE"}, .attributes = {}, .trials = std::move(trials)};
}

}  // namespace

TEST_CASE("ranges that change from trial to trial become one that has them all", "[optuna][domains]") {
  const Domains domains(study({trial({real("x", 0.5, 0, 1), whole("n", 8, 8, 16, 4)}),
                               trial({real("x", -1, -2, 0.5), whole("n", 4, 4, 12, 4)})}));
  CHECK(domains.space() == Json::parse(R"([{"name": "x", "type": "float", "low": -2.0, "high": 1.0},
                                           {"name": "n", "type": "int", "low": 4, "high": 16, "step": 4}])"));
}

TEST_CASE("a step stays where the grids are one", "[optuna][domains]") {
  SECTION("values are on dlrun's grid, which has no noise of binary fractions") {
    const OptunaStudy one = study({trial({real("x", 0.30000000000000004, 0, 0.5, "0.1")})});
    const Domains domains(one);
    CHECK(domains.space()[0]["step"] == 0.1);
    CHECK(domains.values_of(one.trials[0]) == Json{{"x", 0.3}});
  }
  SECTION("not with another step") {
    CHECK_FALSE(Domains(study({trial({whole("n", 4, 4, 12, 4)}), trial({whole("n", 4, 4, 12, 2)})}))
                    .space()[0]
                    .contains("step"));
  }
  SECTION("not where one grid lies beside the other") {
    CHECK_FALSE(Domains(study({trial({whole("n", 4, 4, 12, 4)}), trial({whole("n", 6, 6, 14, 4)})}))
                    .space()[0]
                    .contains("step"));
  }
}

// The import ended with "5.0 is no value of parameter", and 0.33 became 0.3.
TEST_CASE("values that were enqueued outside of the range or beside the grid are kept", "[optuna][domains]") {
  SECTION("outside") {
    const OptunaStudy one = study({trial({real("x", 5, 0, 1)}), trial({real("x", -0.5, 0, 1)})});
    const Domains domains(one);
    CHECK(domains.space() == Json::parse(R"([{"name": "x", "type": "float", "low": -0.5, "high": 5.0}])"));
    CHECK(domains.values_of(one.trials[0]) == Json{{"x", 5.0}});
  }
  SECTION("beside") {
    const OptunaStudy one = study({trial({real("x", 0.33, 0, 1, "0.1")}), trial({real("x", 0.2, 0, 1, "0.1")})});
    const Domains domains(one);
    CHECK_FALSE(domains.space()[0].contains("step"));
    CHECK(domains.values_of(one.trials[0]) == Json{{"x", 0.33}});
  }
  SECTION("beside a grid of whole numbers") {
    const OptunaStudy one = study({trial({whole("n", 4, 4, 12, 4)}), trial({whole("n", 5, 4, 12, 4)})});
    CHECK(Domains(one).space() == Json::parse(R"([{"name": "n", "type": "int", "low": 4, "high": 12}])"));
  }
  SECTION("outside, on the grid") {
    const OptunaStudy one = study({trial({whole("n", 4, 4, 12, 4)}), trial({whole("n", 16, 4, 12, 4)})});
    CHECK(Domains(one).space() == Json::parse(R"([{"name": "n", "type": "int", "low": 4, "high": 16, "step": 4}])"));
  }
  SECTION("where a log scale does not reach") {
    const Json space = Domains(study({trial({real("x", 0, 0.1, 1, "null", true)})})).space();
    CHECK_FALSE(space[0].contains("scale"));
    CHECK(space[0]["low"] == 0.0);
  }
  SECTION("a fine grid of large numbers stays one") {
    CHECK(Domains(study({trial({real("x", 100000.000001, 0, 200000, "1e-6")})})).space()[0].contains("step"));
  }
}

TEST_CASE("a range of one value is a constant", "[optuna][domains]") {
  const OptunaStudy one = study({trial({real("x", 0.5, 0.5, 0.5), whole("n", 4, 4, 4, 4)})});
  const Domains domains(one);
  CHECK(domains.space() == Json::parse(R"([{"name": "x", "type": "constant", "value": 0.5},
                                           {"name": "n", "type": "constant", "value": 4}])"));
  CHECK(domains.values_of(one.trials[0]) == Json{{"x", 0.5}, {"n", 4}});
}

TEST_CASE("choices that dlrun does not have become text", "[optuna][domains]") {
  const std::string choices = R"([null, "None", true, 1, 1.5, [2]])";
  std::vector<OptunaTrial> trials;
  for (int i = 0; i < 6; ++i) trials.push_back(trial({choice("c", i, choices)}));
  const Domains domains(study(trials));
  CHECK(domains.space()[0]["choices"] == Json::parse(R"(["None", "None_", true, 1, 1.5, "[2]"])"));
  CHECK(domains.values_of(trials[0])["c"] == "None");
  CHECK(domains.values_of(trials[5])["c"] == "[2]");
}

TEST_CASE("a parameter that some trials lack gets a condition", "[optuna][domains]") {
  const std::string kinds = R"(["sgd", "adam"])";
  SECTION("on the choice that tells it, wherever that stands") {
    const Domains domains(
        study({trial({real("m", 0.5, 0, 1), choice("opt", 0, kinds)}), trial({choice("opt", 1, kinds)})}));
    CHECK(domains.space()[0]["name"] == "opt");
    CHECK(domains.space()[1]["when"] == Json{{"opt", {"sgd"}}});
  }
  SECTION("on a parameter of its own, where no choice tells it") {
    const OptunaStudy both =
        study({trial({choice("opt", 0, kinds), real("m", 0.5, 0, 1)}), trial({choice("opt", 0, kinds)})});
    const Domains domains(both);
    CHECK(domains.space()[1] == Json::parse(R"({"name": "has.m", "type": "categorical", "choices": ["no", "yes"]})"));
    CHECK(domains.space()[2]["when"] == Json{{"has.m", {"yes"}}});
    CHECK(domains.values_of(both.trials[1])["has.m"] == "no");
  }
  SECTION("on one that has a condition itself") {
    const std::string two = R"([1, 2])";
    const Domains domains(
        study({trial({choice("opt", 0, kinds), choice("n", 0, two), real("m", 0.5, 0, 1)}),
               trial({choice("opt", 0, kinds), choice("n", 1, two)}), trial({choice("opt", 1, kinds)})}));
    CHECK(domains.space()[1]["when"] == Json{{"opt", {"sgd"}}});
    CHECK(domains.space()[2]["when"] == Json{{"n", {1}}});
  }
  SECTION("on a parameter of its own, where only trials that failed have it") {  // no choice told it: `when: {opt: []}`
    const Domains domains(
        study({trial({choice("opt", 0, kinds)}), trial({choice("opt", 0, kinds), real("m", 0.5, 0, 1)}, "FAIL")}));
    CHECK(domains.space()[2]["when"] == Json{{"has.m", {"yes"}}});
  }
  SECTION("a trial that failed says nothing of it") {
    CHECK_FALSE(Domains(study({trial({real("m", 0.5, 0, 1)}), trial({}, "FAIL")})).space()[0].contains("when"));
  }
}

TEST_CASE("names that dlrun does not have are written with others", "[optuna][domains]") {
  const Json space =
      Domains(study({trial({real("a b", 0, 0, 1), real("a_b", 0, 0, 1), real("1", 0, 0, 1), real("é/x", 0, 0, 1)})}))
          .space();
  CHECK(space[0]["name"] == "a_b");
  CHECK(space[1]["name"] == "a_b_2");
  CHECK(space[2]["name"] == "x1");
  CHECK(space[3]["name"] == "__x");
}

TEST_CASE("a distribution that has no place here is refused", "[optuna][domains]") {
  CHECK_THROWS_WITH(Domains(study({trial({{"x", 0, R"({"name": "OddDistribution", "attributes": {}})"}})})),
                    "parameter 'x' has the distribution 'OddDistribution', which dlrun does not know");
  CHECK_THROWS_WITH(Domains(study({trial({real("x", 0, 0, 1)}), trial({whole("x", 0, 0, 1)})})),
                    "parameter 'x' is float in some trials and int in others");
  CHECK_THROWS_AS(Domains(study({trial({{"x", 0, "nothing"}})})), Error);
  CHECK_THROWS_AS(Domains(study({trial({{"x", 0, R"({"name": "FloatDistribution", "attributes": {"low": 1}})"}})})),
                  Error);
  CHECK_THROWS_AS(Domains(study({trial({{"x", 0, R"({"name": "IntDistribution", "attributes": {"low": "a"}})"}})})),
                  Error);
  CHECK_THROWS_AS(Domains(study({trial({{"x", 0, "[1]"}})})), Error);
  CHECK_THROWS_WITH(Domains(study({trial({choice("c", 3, "[1, 2]")})})).values_of(trial({choice("c", 3, "[1, 2]")})),
                    "parameter 'c' has a value that is none of its choices");
}

}  // namespace domains_test
