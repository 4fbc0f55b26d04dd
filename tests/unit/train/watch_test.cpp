// SPDX-License-Identifier: Apache-2.0
// Watching a training: curves by step, and a profile by layer. Neither changes a bit of it.
#include <cmath>

#include "model/graph.hpp"
#include "support/catch.hpp"
#include "train/profile.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace watch_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

std::vector<trial::Report> curve_of(Json trial, std::int64_t epochs = 2) {
  Fixture fixture(std::move(trial));
  FakeHost host;
  REQUIRE(fixture.run(fixture.order(0, epochs), host).outcome == trial::Outcome::completed);
  return host.curve;
}

Json logged(std::int64_t every) {
  Json trial = digits_trial();
  trial["log"] = {{"every", every}};
  return trial;
}

const trial::LayerProfile& layer(const trial::ModelProfile& profile, const std::string& name) {
  for (const trial::LayerProfile& l : profile.layers) {
    if (l.name == name) return l;
  }
  FAIL("no layer " + name);
  throw 0;
}

trial::ModelProfile profile_of(const Json& trial, trial::ProfileOptions options = {.steps = 5, .warmup = 1}) {
  Fixture fixture(trial);
  const Trainer trainer(fixture.setup);  // settles the number of threads, as where the library is asked
  return profile_trial(fixture.setup, fixture.order(0, 1), options);
}

}  // namespace

TEST_CASE("a log tells of every nth step", "[train][watch]") {
  const std::vector<trial::Report> curve = curve_of(logged(6));
  REQUIRE(curve.size() == 2 * 20 / 6);  // 1,258 examples are 20 batches of 64
  for (std::size_t i = 0; i < curve.size(); ++i) {
    CHECK(curve[i].step == std::int64_t(6 * (i + 1)));
    for (const char* name : {"train.loss", "lr", "grad_norm", "weight_norm", "samples_per_second", "memory"}) {
      INFO(name);
      CHECK(std::isfinite(metric(curve[i], name)));
      CHECK(metric(curve[i], name) > 0);
    }
  }
  CHECK(metric(curve.front(), "train.loss") > metric(curve.back(), "train.loss"));
  CHECK(metric(curve.front(), "lr") > metric(curve.back(), "lr"));  // a cosine
}

TEST_CASE("what is not asked for is not told", "[train][watch]") { CHECK(curve_of(digits_trial()).empty()); }

TEST_CASE("a log changes no bit of a training", "[train][watch]") {
  Fixture silent(digits_trial()), watched(logged(1));
  CHECK(artifact(silent.run(silent.order(0, 2)), "last") == artifact(watched.run(watched.order(0, 2)), "last"));
}

TEST_CASE("the gradient's norm is that before clipping", "[train][watch]") {
  Json clipped = logged(1);
  clipped["clip_norm"] = 1e-3;
  const trial::Report first = curve_of(clipped).front();
  CHECK(metric(first, "grad_norm") == metric(curve_of(logged(1)).front(), "grad_norm"));
  CHECK(metric(first, "grad_norm") > 1e-2);
}

TEST_CASE("a profile has the layers' own figures", "[train][profile]") {
  const trial::ModelProfile profile = profile_of(digits_trial());
  CHECK(profile.batch == 64);
  CHECK(profile.steps == 5);
  CHECK(profile.layers.size() == 5);
  const trial::LayerProfile& fc1 = layer(profile, "fc1");
  CHECK(fc1.op == "linear");
  CHECK(fc1.parameters == 64 * 32 + 0);  // its bias is the batch norm's
  CHECK(fc1.activation == 64 * 32 * 4);
  CHECK(fc1.operations == 64 * (64 * 32));
  CHECK(layer(profile, "bn1").parameters == 64);
  for (const trial::LayerProfile& l : profile.layers) {
    INFO(l.name);
    CHECK(l.forward > 0);
    CHECK(l.backward > 0);
  }
  CHECK(profile.runtime.threads == 1);
  CHECK(profile.peak_rss > 0);
}

TEST_CASE("the parts of a step are the whole step", "[train][profile]") {
  const trial::ModelProfile profile = profile_of(digits_trial(), {.steps = 1, .warmup = 1});
  double sum = 0;
  for (const trial::PhaseProfile& phase : profile.phases) sum += phase.seconds;
  CHECK(sum == Approx(profile.step));
  double in_layers = 0;
  for (const trial::LayerProfile& l : profile.layers) in_layers += l.forward + l.backward;
  CHECK(in_layers <= profile.step);
}

TEST_CASE("a profile goes on over the end of an epoch, whose smaller last batch does not count", "[train][profile]") {
  Json trial = digits_trial();
  trial["batch_size"] = 500;  // 500, 500, 258
  const trial::ModelProfile profile = profile_of(trial, {.steps = 7, .warmup = 0});
  CHECK(profile.steps == 7);
  CHECK(profile.batch == 500);
  CHECK(layer(profile, "fc1").activation == 500 * 32 * 4);
}

TEST_CASE("a reshaped view has no memory of its own", "[train][profile]") {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "square"}, {"op", "reshape"}, {"shape", {1, 8, 8}}},
                             {{"name", "flat"}, {"op", "flatten"}},
                             {{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  const trial::ModelProfile profile = profile_of(trial);
  CHECK(layer(profile, "square").activation == 0);
  CHECK(layer(profile, "flat").activation == 0);
  CHECK(layer(profile, "head").activation == 64 * 10 * 4);
}

TEST_CASE("a profile of a training that diverges says so", "[train][profile]") {
  Json trial = digits_trial();
  trial["optimizer"] = {{"op", "sgd"}, {"lr", 1e30}};
  CHECK_THROWS_WITH(profile_of(trial), Contains("training diverged"));
}

TEST_CASE("a profile survives its way to the command line", "[train][profile]") {
  const trial::ModelProfile profile = profile_of(digits_trial());
  CHECK(trial::to_json(trial::model_profile(trial::to_json(profile))) == trial::to_json(profile));
}

}  // namespace watch_test
