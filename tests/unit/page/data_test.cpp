// SPDX-License-Identifier: Apache-2.0
// Numbers behind the plots of a page, of a study that a Store really wrote.
#include "page/curve_data.hpp"
#include "page/headline.hpp"
#include "page/trial_data.hpp"
#include "page/worker_data.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace page_data_test {

using namespace dlrun;
using support::TempFolder;

namespace {

space::Space sample_space() {
  const space::Parameter lr{.name = "lr", .at = "optimizer.lr", .low = 1e-4, .high = 1, .log = true};
  const space::Parameter width{.name = "width", .type = space::Type::integer, .low = 1, .high = 9, .step = 2};
  space::Parameter opt{.name = "opt", .at = "optimizer.op", .type = space::Type::categorical};
  opt.choices = {"sgd", "adam", true};
  return space::Space({lr, width, opt});
}

/// Trials 0 to 3 with the values 0, 0.7, 0.4 and 0.1; the last one has no optimiser.
void write_sample(const std::filesystem::path& folder) {
  auto store = storage::Store::create(folder, support::sample_row(), sample_space());
  store->study_state("running", "");
  for (std::int64_t i = 0; i < 4; ++i) {
    space::Values values{0.123456789 * double(i + 1), i % 5 * 2 + 1, space::Choice{std::uint32_t(i % 3)}};
    if (i == 3) values[2] = std::monostate();
    support::write_trial(*store, i, double(i * 7 % 10) / 10, values);
  }
}

}  // namespace

TEST_CASE("trials are columns, with choices by their index", "[page][data]") {
  const TempFolder folder;
  write_sample(folder.path());
  const auto study = report::open_study(folder.path(), "sample");
  const Json trials = page::trials_json(study);
  CHECK(trials.at("number") == Json({0, 1, 2, 3}));
  CHECK(trials.at("state") == Json({3, 3, 3, 3}));
  CHECK(trials.at("objectives") == Json::array({{0, 0.7, 0.4, 0.1}}));
  CHECK(trials.at("params") ==
        Json::array({{0.1234568, 0.2469136, 0.3703704, 0.4938272}, {1, 3, 5, 7}, {0, 1, 2, nullptr}}));
  CHECK(trials.at("epochs") == Json({1, 1, 1, 1}));
  CHECK_FALSE(trials.contains("feasible"));
}

TEST_CASE("parameters have their scale and choices", "[page][data]") {
  const TempFolder folder;
  write_sample(folder.path());
  const Json parameters = page::parameters_json(report::open_study(folder.path(), "sample"));
  REQUIRE(parameters.size() == 3);
  CHECK(parameters[0] == Json({{"name", "lr"}, {"type", "float"}, {"scale", "log"}, {"low", 0.0001}, {"high", 1}}));
  CHECK(parameters[1].at("scale") == "linear");
  CHECK(parameters[2].at("choices") == Json({"sgd", "adam", true}));
}

TEST_CASE("the headline names the best trial and its settings", "[page][data]") {
  const TempFolder folder;
  write_sample(folder.path());
  const auto study = report::open_study(folder.path(), "sample");
  REQUIRE(page::headline_of(study).size() == 1);
  CHECK(page::words_of(study) == std::string("hyperparameter search"));
  CHECK(page::headline_of(study)[0] ==
        "Trial 1 is the best of 4 trials: `val.accuracy` 0.7, with `lr` 0.2469, `width` 3 and `opt` adam.");
}

TEST_CASE("one trial is no search for the best", "[page][data]") {
  const TempFolder folder;
  storage::StudyRow row = support::sample_row();
  row.spec["final"] = {{"of", "another"}};
  auto store = storage::Store::create(folder.path(), row, sample_space());
  support::write_trial(*store, 0, 0.25, {0.5, 3, space::Choice{1}});
  store->study_state("finished", "");
  const auto study = report::open_study(folder.path(), "sample");
  CHECK(page::headline_of(study)[0] ==
        "The only trial reached `val.accuracy` 0.25, with `lr` 0.5, `width` 3 and `opt` adam.");
  CHECK(page::words_of(study) == std::string("final training"));
}

TEST_CASE("a study without a result says so", "[page][data]") {
  const TempFolder folder;
  storage::Store::create(folder.path(), support::sample_row(), sample_space())->study_state("running", "");
  const auto study = report::open_study(folder.path(), "sample");
  CHECK(page::headline_of(study) == std::vector<std::string>{"No trial has a result yet."});
  CHECK(page::curves_json(study).is_null());
  CHECK(page::workers_json(study).is_null());
  CHECK(page::trials_json(study).at("number") == Json::array());
}

TEST_CASE("one epoch is no curve", "[page][data]") {
  const TempFolder folder;
  write_sample(folder.path());
  CHECK(page::curves_json(report::open_study(folder.path(), "sample")).is_null());
}

}  // namespace page_data_test
