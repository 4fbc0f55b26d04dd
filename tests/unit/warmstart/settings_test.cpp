// SPDX-License-Identifier: Apache-2.0
// `warm_start:` from its normal form, and what a policy leaves open.
#include "warmstart/settings.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace warm_settings_test {

using namespace dlrun;
using namespace dlrun::warmstart;
using Names = std::vector<std::string>;

namespace {

WarmStart start_of(const char* text) { return warm_start_of(parse_json(text, "section")).value(); }

Json filled(const char* text) {
  Json section = parse_json(text, "section");
  fill_in(section);
  return section;
}

}  // namespace

TEST_CASE("every key of a warm start is read", "[warmstart][settings]") {
  const WarmStart start = start_of(R"({"policy":"shrink_perturb","lambda":0.25,"sigma":0.5,"include":["a"],
    "exclude":["b","c"],"map":{"^x":"y"},"on_mismatch":"slice","min_fraction":0.75,"buffers":"reset","batches":7,
    "optimizer":"carry","schedule":"continue","lr_scale":0.125,"guard":{"max_val_drop":2.5,"fallback":"none"},
    "allow_superset":true,"why":"it is tried",
    "donors":[{"sha256":"s","from":"f","study":"digits","trial":17,"replicate":2,"fold":3,"epoch":6,"horizon":24,
               "value":0.5},{"sha256":"t"}]})");
  CHECK(start.policy == "shrink_perturb");
  CHECK((start.lambda == 0.25 && start.sigma == 0.5 && start.min_fraction == 0.75 && start.lr_scale == 0.125));
  CHECK((start.include == Names{"a"} && start.exclude == Names{"b", "c"}));
  CHECK(start.renames == std::vector<std::pair<std::string, std::string>>{{"^x", "y"}});
  CHECK((start.on_mismatch == "slice" && start.buffers == "reset" && start.batches == 7));
  CHECK((start.carries_optimizer && start.allow_superset && start.schedule == "continue"));
  CHECK((start.max_drop == 2.5 && start.fallback == "none" && start.why == "it is tried"));
  REQUIRE(start.donors.size() == 2);
  const Donor& first = start.donors[0];
  CHECK((first.sha256 == "s" && first.from == "f" && first.study == "digits" && first.trial == 17));
  CHECK((first.replicate == 2 && first.fold == 3 && first.epoch == 6 && first.horizon == 24 && first.value == 0.5));
  CHECK((start.donors[1].sha256 == "t" && start.donors[1].trial == -1 && !start.donors[1].value));
  CHECK(start.fraction() == 0.25);
  CHECK(start.measures());
}

TEST_CASE("donors are told by study, trial and epoch, or by their file", "[warmstart][settings]") {
  CHECK(Donor{.from = "a.safetensors"}.describe() == "'a.safetensors'");
  CHECK(Donor{.study = "digits", .trial = 17, .epoch = 6}.describe() == "digits/17, epoch 6");
  CHECK(Donor{.study = "digits", .trial = 17, .replicate = 1, .fold = 2, .epoch = 6}.describe() ==
        "digits/17, replicate 1, fold 2, epoch 6");
}

TEST_CASE("a malformed section, and one without donors, is refused", "[warmstart][settings]") {
  CHECK_FALSE(warm_start_of(nullptr));
  CHECK_THROWS_AS(warm_start_of({{"policy", "best"}, {"donors", Json::array()}}), Error);
  CHECK_THROWS_AS(warm_start_of({{"policy", "best"}}), Error);
  CHECK_THROWS_AS(warm_start_of({{"policy", 7}}), Error);
  CHECK_NOTHROW(warm_start_of({{"policy", "fresh_shrunk"}}));
}

TEST_CASE("what a section leaves open is filled in by its policy", "[warmstart][settings]") {
  const Json best = filled("{}"), resume = filled(R"({"policy":"resume"})"), part = filled(R"({"policy":"partial"})"),
             mixed = filled(R"({"policy":"topk_average","on_mismatch":"reinit"})");
  CHECK((best["policy"] == "best" && best["on_mismatch"] == "error" && best["buffers"] == "copy"));
  CHECK((best["optimizer"] == "reset" && resume["optimizer"] == "carry"));
  CHECK((part["on_mismatch"] == "skip" && mixed["on_mismatch"] == "skip" && mixed["buffers"] == "recalibrate"));
}

TEST_CASE("places of files and remarks are no part of a start", "[warmstart][settings]") {
  const Json section = without_places(
      parse_json(R"({"policy":"best","why":"w","donors":[{"sha256":"s","from":"f"},{"sha256":"t"}]})", "section"));
  CHECK(section == parse_json(R"({"policy":"best","donors":[{"sha256":"s"},{"sha256":"t"}]})", "section"));
  CHECK(without_places("none") == "none");
}

}  // namespace warm_settings_test
