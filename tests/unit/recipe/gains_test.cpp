// SPDX-License-Identifier: Apache-2.0
// Factors of `lr_scaling`, against numbers by hand and by numpy.
#include <cmath>

#include "recipe/gains.hpp"
#include "support/catch.hpp"

namespace gains_test {

using namespace dlrun;
using namespace dlrun::recipe;

namespace {

/// Micro-batches that make the numbers of each tensor by a formula; `count` of them make a step.
struct Norms {
  std::vector<double> each, mean;
};

Norms norms_of(int step, int count) {
  Norms norms;
  for (int tensor = 0; tensor < 3; ++tensor) {
    double each = 0, square = 0;
    for (int k = 0; k < 2; ++k) {
      double sum = 0;
      for (int i = 0; i < count; ++i) {
        const double g = std::sin(1 + i + 2 * tensor + 3 * k + 5 * step) + 0.5 * tensor;
        each += g * g / count;
        sum += g / count;
      }
      square += sum * sum;
    }
    norms.each.push_back(each);
    norms.mean.push_back(square);
  }
  return norms;
}

LrScalingConfig config_of(const char* op, const char* warmup) {
  LrScalingConfig config;
  config.op = op;
  config.warmup = warmup;
  config.alpha = 0.25;
  config.longest = 1e6;
  config.smoothing = 0.25;
  return config;
}

constexpr GainsPlan kPlan{.micro_batches = 4, .updates = 10, .batches = 40};

std::vector<double> after(Gains& gains, int step) {
  const Norms norms = norms_of(step, 4);
  gains.observe(norms.each, norms.mean, 4);
  return gains.factors(step, 4);
}

void check(const std::vector<double>& found, const std::vector<double>& wanted) {
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == Approx(wanted[i]).epsilon(1e-7));
}

/// The gain of n gradients that have norm 100 each.
double gain_of(double square_of_mean, std::int64_t n) {
  Gains gains(config_of("lena", "none"), {.micro_batches = n, .updates = 1, .batches = n}, 1);
  gains.observe(std::vector{1e4}, std::vector{square_of_mean}, n);
  return gains.factors(0, n).front();
}

}  // namespace

TEST_CASE("equal gradients gain nothing, orthogonal ones of equal norm their number", "[recipe][lr_scaling]") {
  for (const std::int64_t n : {2, 8, 256}) {
    CHECK(gain_of(1e4, n) == Approx(1).epsilon(1e-6));
    CHECK(gain_of(1e4 / double(n), n) == Approx(double(n)).epsilon(1e-6));
  }
  CHECK(gain_of(1.01e4, 8) == 1);     // rounding may make the mean longer
  CHECK(gain_of(1e4 / 8.1, 8) == 8);  // and no gain exceeds what n batches are worth
}

// numpy: A = (1-w)A + w mean|g_i|^2, B likewise of the mean, seen = (1-w)seen + w, with w = 0.25
// r = clip((A/seen + 1e-6) / (B/seen + 1e-6), 1, 4); S += r; factor = r min(1, S / (0.25 * 40))
TEST_CASE("LENA's gains and warm-up follow numpy's over five steps", "[recipe][lr_scaling]") {
  Gains bare(config_of("lena", "none"), kPlan, 3);
  check(after(bare, 0), {4, 1.44692715, 1.56029211});
  check(after(bare, 1), {3.15288759, 2.37477191, 1.34419359});
  check(after(bare, 2), {4, 1.89733077, 1.36584076});
  CHECK(bare.gain() == Approx((4 + 1.89733077 + 1.36584076) / 3));
  Gains warmed(config_of("lena", "layer_wise"), kPlan, 3);
  check(after(warmed, 0), {1.6, 0.20935982, 0.24345115});
  check(after(warmed, 1), {2.25522505, 0.90756636, 0.39041911});
  check(after(warmed, 2), {4, 1.08508913, 0.58325859});
  check(after(warmed, 3), {3.55254472, 1.60739767, 0.79751113});
  check(after(warmed, 4), {4, 2.06597189, 0.92159495});
}

// numpy, as published: sigma^2 = sum |g_i - mean|^2 / (n - 1), mu^2 = |mean|^2 - sigma^2 / n, running means of both,
// and r = (sigma^2 + mu^2) / (sigma^2 / n + mu^2). LENA's eps moves it by 3e-7.
TEST_CASE("AdaScale's gain is the whole model's", "[recipe][lr_scaling]") {
  Gains gains(config_of("adascale", "none"), kPlan, 3);
  const double published[] = {1.75553549, 1.71074708, 1.75347138, 1.74198963, 1.72906537};
  for (int step = 0; step < 5; ++step) CHECK(after(gains, step).front() == Approx(published[step]).epsilon(5e-7));
  CHECK(gains.gain() == gains.factors(5, 4).front());
}

TEST_CASE("fixed factors go by the micro-batches of a step, and by the examples of the base", "[recipe][lr_scaling]") {
  const Gains linear(config_of("linear", "none"), kPlan, 3), root(config_of("sqrt", "none"), kPlan, 3);
  check(linear.factors(0, 4), {4});
  check(linear.factors(9, 3), {3});  // the last step of an epoch
  check(root.factors(0, 4), {2});
  GainsPlan plan = kPlan;
  plan.base_share = 64.0 / 32;  // micro-batches of 64 examples, for a rate that was chosen with 32
  check(Gains(config_of("linear", "none"), plan, 3).factors(0, 4), {8});
}

TEST_CASE("a fixed warm-up leads from the base rate to the whole factor", "[recipe][lr_scaling]") {
  LrScalingConfig config = config_of("linear", "fixed");
  config.warmup_share = 0.3;  // 3 of 10 updates
  const Gains gains(config, kPlan, 3);
  check(gains.factors(0, 4), {2});
  check(gains.factors(1, 4), {3});
  check(gains.factors(2, 4), {4});
  check(gains.factors(9, 4), {4});
  GainsPlan later = kPlan;
  later.is_warmed = true;
  check(Gains(config, later, 3).factors(0, 4), {4});
}

TEST_CASE("a warm-up by layers is over at the latest after its longest share", "[recipe][lr_scaling]") {
  LrScalingConfig config = config_of("linear", "layer_wise");
  config.alpha = 1;      // 40 in gains, which are 1: never
  config.longest = 0.5;  // 5 updates
  Gains gains(config, kPlan, 1);
  for (int step = 0; step < 10; ++step) {
    gains.observe(std::vector{1.0}, std::vector{1.0}, 4);
    check(gains.factors(step, 4), {4 * std::min(1.0, (step + 1) / 5.0)});
  }
}

TEST_CASE("the last step of an epoch gains at most its own micro-batches", "[recipe][lr_scaling]") {
  Gains gains(config_of("lena", "none"), kPlan, 1);
  gains.observe(std::vector{4.0}, std::vector{1.0}, 4);
  check(gains.factors(0, 4), {4.000001 / 1.000001});
  gains.observe(std::vector{4.0}, std::vector{2.0}, 2);
  check(gains.factors(1, 2), {2});
}

TEST_CASE("gains go on from their state with the same bits", "[recipe][lr_scaling]") {
  Gains whole(config_of("lena", "layer_wise"), kPlan, 3), first = whole, second = whole;
  for (int step = 0; step < 2; ++step) (after(whole, step), after(first, step));
  after(second, 7);  // forgotten
  second.restore(parse_json(to_text(first.state()), "state"));
  for (int step = 2; step < 5; ++step) CHECK(after(second, step) == after(whole, step));
  second.restore(Json());
  check(after(second, 0), {1.6, 0.20935982, 0.24345115});
  CHECK_THROWS_WITH(Gains(config_of("lena", "none"), kPlan, 2).restore(first.state()), Contains("of other tensors"));
}

TEST_CASE("the weight of a step is a thousandth of its micro-batches, and at most 1", "[recipe][lr_scaling]") {
  LrScalingConfig config = config_of("lena", "none");
  config.smoothing.reset();
  Gains few(config, {.micro_batches = 100, .updates = 1, .batches = 100}, 1);
  few.observe(std::vector{4.0}, std::vector{1.0}, 100);
  few.observe(std::vector{4.0}, std::vector{4.0}, 100);
  check(few.factors(1, 100), {4.000001 / (0.9 / 1.9 * 1 + 1 / 1.9 * 4 + 1e-6)});  // weights 0.09 and 0.1
  Gains many(config, {.micro_batches = 2000, .updates = 1, .batches = 2000}, 1);
  many.observe(std::vector{4.0}, std::vector{1.0}, 2000);
  many.observe(std::vector{8.0}, std::vector{4.0}, 2000);
  check(many.factors(1, 2000), {8.000001 / 4.000001});  // the last alone
}

TEST_CASE("a step of one micro-batch is not scaled, and settings without effect do not count", "[recipe][lr_scaling]") {
  const Json trial = {{"lr_scaling", {{"op", "linear"}, {"alpha", 0.5}, {"base_batch", 32}}}};
  CHECK(!read_lr_scaling(trial, 32, 1));
  CHECK(read_lr_scaling(trial, 64, 1)->base_batch == 32);
  CHECK(to_json(*read_lr_scaling(trial, 32, 4)) == to_json(*read_lr_scaling({{"lr_scaling", "linear"}}, 32, 4)));
  CHECK(!read_lr_scaling({{"lr_scaling", {{"op", "none"}}}}, 32, 4));
  CHECK(read_lr_scaling({{"lr_scaling", "lena"}}, 32, 4)->warmup == "layer_wise");
  CHECK_THROWS_WITH(read_lr_scaling({{"lr_scaling", "lars"}}, 32, 4), Contains("lr_scaling.op"));
}

}  // namespace gains_test
