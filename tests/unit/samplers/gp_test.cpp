// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <cmath>
#include <set>

#include "samplers/gp/fit.hpp"
#include "samplers/gp/improvement.hpp"
#include "samplers/gp/inverse.hpp"
#include "samplers/gp/log_ei.hpp"
#include "samplers/gp/search.hpp"
#include "samplers/gp/warp.hpp"
#include "samplers/gp_sampler.hpp"
#include "support/catch.hpp"
#include "util/json.hpp"

namespace gp_test {

using namespace dlrun;
using namespace dlrun::samplers;
using Eigen::ArrayXd;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using space::Parameter;
using space::Space;

namespace {

Space square() { return Space({Parameter{.name = "x"}, Parameter{.name = "y"}}); }

/// A smooth function at 12 points of the square.
gp::Data samples() {
  gp::Data data{axes_of(square()), MatrixXd(12, 2), VectorXd(12)};
  RandomStream random(3, {"test"});
  for (int i = 0; i < 12; ++i) {
    const double x = data.points(i, 0) = random.uniform();
    const double y = data.points(i, 1) = random.uniform();
    data.values[i] = std::sin(5 * x) + y * y;
  }
  return data;
}

gp::Hyperparameters plain() { return {VectorXd::Constant(2, 4.0), 1.3, 0.01}; }

/// With a share of the axes alone.
gp::Hyperparameters mixed() { return {Eigen::Vector2d(2, 0.5), 1.3, 0.01, 0.4, 3}; }

gp::Kernel kernel(const gp::Hyperparameters& h, const MatrixXd& squared) {
  gp::Kernel out(squared);
  out.set(h);
  return out;
}

}  // namespace

TEST_CASE("log h is exact in the middle and far out", "[samplers][gp]") {
  struct Exact {
    double z, value, slope;
  };
  // From 60 digits: log(pdf(z) + z cdf(z)) and cdf / (pdf + z cdf).
  for (const Exact& exact :
       {Exact{1.5, 0.4248145567622593, 0.61020640367076151}, Exact{-0.5, -1.6205162643873199, 1.5598731483480797},
        Exact{-3, -7.8696860596030285, 3.5323375176251605}, Exact{-10, -55.553122036122356, 10.194383033412553},
        Exact{-30, -457.724653760598, 30.066446154162419}, Exact{-1000, -500014.73445209116, 1000.001999994}}) {
    CHECK(gp::log_h(exact.z).value == Approx(exact.value).epsilon(1e-9));
    CHECK(gp::log_h(exact.z).slope == Approx(exact.slope).epsilon(1e-7));
  }
  for (const double z : {-1.0, -25.0}) {  // where its forms meet
    const gp::LogH a = gp::log_h(z - 1e-9), b = gp::log_h(z + 1e-9);
    CHECK(a.value == Approx(b.value).epsilon(1e-8));
    CHECK(a.slope == Approx(b.slope).epsilon(1e-6));
  }
  CHECK(std::isfinite(gp::log_h(-1e6).value));
}

TEST_CASE("many points at once have the improvements of one at a time", "[samplers][gp]") {
  RandomStream random(5, {"test"});
  VectorXd best(5), variances(40);
  MatrixXd means(5, 40);
  for (double& one : best) one = random.normal();
  for (double& one : means.reshaped()) one = random.normal() * 8;  // all three forms of log h
  for (double& one : variances) one = random.uniform();
  const VectorXd all = gp::log_ei(means, variances, best);
  for (Eigen::Index i = 0; i < all.size(); ++i) CHECK(all[i] == gp::log_ei({means.col(i), variances[i], {}, {}}, best));
}

TEST_CASE("log h has the slope it says", "[samplers][gp]") {
  for (const double z : {-40.0, -10.0, -1.5, -0.5, 0.0, 3.0}) {
    const double step = 1e-5;
    const double measured = (gp::log_h(z + step).value - gp::log_h(z - step).value) / (2 * step);
    CHECK(gp::log_h(z).slope == Approx(measured).epsilon(1e-5));
  }
}

TEST_CASE("a process passes by its trials and knows nothing far from them", "[samplers][gp]") {
  gp::Data data = samples();
  const gp::Process process(data, {VectorXd::Constant(2, 4.0), 1.3, 1e-6}, {}, MatrixXd());
  for (int i = 0; i < 12; ++i) {
    const auto belief = process.at({data.points(i, 0), data.points(i, 1)}, false);
    CHECK(belief.means[0] == Approx(data.values[i]).margin(1e-3));
    CHECK(belief.variance < 1e-5);
  }
  const auto far = process.at({50.0, 50.0}, false);
  CHECK(far.means[0] == Approx(0).margin(1e-9));
  CHECK(far.variance == Approx(1.3));
}

TEST_CASE("a process of one point many times has little noise beside its values", "[samplers][gp]") {
  gp::Data data = samples();
  for (int i = 1; i < 12; ++i) data.points.row(i) = data.points.row(0);
  data.values.setConstant(0.7);
  const gp::Process process(data, {VectorXd::Constant(2, 4.0), 1.3, 1e-20}, {}, MatrixXd());
  CHECK(process.at({data.points(0, 0), data.points(0, 1)}, false).means[0] == Approx(0.7).epsilon(1e-6));
}

TEST_CASE("the expected improvement has the slope it says", "[samplers][gp]") {
  MatrixXd normals(1, 3);
  normals << 0.3, -1.1, 0.8;
  const auto parameters = GENERATE(plain(), mixed());
  const gp::Process process(samples(), parameters, {{0.2, 0.9}}, normals);
  const VectorXd best = process.own_means().rowwise().minCoeff();
  const auto value = [&](double x, double y) { return gp::log_ei(process.at({x, y}, false), best); };
  VectorXd slope;
  gp::log_ei(process.at({0.63, 0.17}, true), best, &slope);
  const double step = 1e-6;
  CHECK(slope[0] == Approx((value(0.63 + step, 0.17) - value(0.63 - step, 0.17)) / (2 * step)).epsilon(1e-4));
  CHECK(slope[1] == Approx((value(0.63, 0.17 + step) - value(0.63, 0.17 - step)) / (2 * step)).epsilon(1e-4));
}

TEST_CASE("the kernel is what its formula says, and has the slopes it says", "[samplers][gp]") {
  MatrixXd squared(2, 2);
  squared << 0.04, 0.25, 1, 0;
  const gp::Hyperparameters h = mixed();
  const ArrayXd values = kernel(h, squared).values();
  CHECK(values[0] == Approx(1.065925136618591).epsilon(1e-12));  // by Python from the formula
  CHECK(values[1] == Approx(0.5446238810270113).epsilon(1e-12));
  const double step = 1e-6;
  for (int a = 0; a < 2; ++a) {
    MatrixXd more = squared;
    more.col(a).array() += step / h.theta[a];  // r_a² is θ_a d_a²
    const ArrayXd slopes = kernel(h, squared).slopes(a);
    CHECK(((kernel(h, more).values() - values) / step - slopes).abs().maxCoeff() < 1e-4);
  }
}

TEST_CASE("a weighted sum of the kernel has the gradient it says", "[samplers][gp]") {
  MatrixXd squared(2, 2);
  squared << 0.04, 0.25, 1, 0;
  const ArrayXd weights = Eigen::Array2d(0.7, -1.9);
  const gp::Hyperparameters h = mixed();
  const auto rise = [&](const auto& change) {
    const double step = 1e-6;
    gp::Hyperparameters other = h;
    change(other, step);
    return (weights * (kernel(other, squared).values() - kernel(h, squared).values())).sum() / step;
  };
  const auto gradient = kernel(h, squared).gradient(weights);
  for (int a = 0; a < 2; ++a)
    CHECK(gradient.log_theta[a] == Approx(rise([&](auto& o, double by) { o.theta[a] *= 1 + by; })).epsilon(1e-4));
  CHECK(gradient.alone == Approx(rise([](auto& o, double by) { o.alone += by; })).epsilon(1e-4));
  CHECK(gradient.log_stretch == Approx(rise([](auto& o, double by) { o.stretch *= 1 + by; })).epsilon(1e-4));
}

TEST_CASE("a sum of functions of one parameter each is known where no trial has been", "[samplers][gp]") {
  const auto sum = [](double x, double y) { return std::sin(6 * x) + 2 * y * y - 1; };
  gp::Data cross{axes_of(square()), MatrixXd(22, 2), VectorXd(22)};
  for (int i = 0; i < 11; ++i) {
    cross.points.row(i) << i / 10.0, 0.5;
    cross.points.row(11 + i) << 0.5, i / 10.0;
  }
  for (int i = 0; i < 22; ++i) cross.values[i] = sum(cross.points(i, 0), cross.points(i, 1));
  const gp::Hyperparameters fitted = gp::fit(cross);
  CHECK(fitted.alone > 0.8);
  const gp::Process process(cross, fitted, {}, MatrixXd());
  for (const double x : {0.1, 0.9}) CHECK(process.at({x, 0.1}, false).means[0] == Approx(sum(x, 0.1)).margin(0.1));
}

TEST_CASE("many points at once are believed as one by one", "[samplers][gp]") {
  const gp::Process process(samples(), plain(), {}, MatrixXd());
  MatrixXd means;
  VectorXd variances;
  process.at({{0.1, 0.2}, {0.9, 0.4}}, means, variances);
  const auto second = process.at({0.9, 0.4}, false);
  CHECK(means(0, 1) == Approx(second.means[0]));
  CHECK(variances[1] == Approx(second.variance));
}

TEST_CASE("fantasies of what is under way pull the search away from it", "[samplers][gp]") {
  const gp::Process alone(samples(), plain(), {}, MatrixXd());
  MatrixXd normals(1, 4);
  normals << -1, 0, 0.5, 1;
  const gp::Process busy(samples(), plain(), {{0.95, 0.05}}, normals);
  const auto at = [](const gp::Process& process) {
    return gp::log_ei(process.at({0.95, 0.05}, false), process.own_means().rowwise().minCoeff());
  };
  CHECK(at(busy) < at(alone) - 0.5);
}

TEST_CASE("an inverse comes from the factor by blocks", "[samplers][gp]") {
  RandomStream random(7, {"test"});
  for (const int n : {1, 2, 31, 32, 33, 70}) {
    MatrixXd root(n, n);
    for (double& cell : root.reshaped()) cell = random.normal();
    const MatrixXd matrix = root * root.transpose() + MatrixXd::Identity(n, n);
    const MatrixXd factor = matrix.llt().matrixLLT();  // above the diagonal stands what was there
    const MatrixXd inverse = gp::inverse_of(factor).triangularView<Eigen::Lower>();
    const MatrixXd solved = matrix.llt().solve(MatrixXd::Identity(n, n));
    const MatrixXd expected = solved.triangularView<Eigen::Lower>();
    CHECK((inverse - expected).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("a fit finds the direction that matters", "[samplers][gp]") {
  gp::Data data{axes_of(square()), MatrixXd(30, 2), VectorXd(30)};
  RandomStream random(5, {"test"});
  for (int i = 0; i < 30; ++i) {
    data.points(i, 0) = random.uniform();
    data.points(i, 1) = random.uniform();
    data.values[i] = std::sin(9 * data.points(i, 0));
  }
  const gp::Hyperparameters h = gp::fit(data);
  CHECK(h.theta[0] > 20 * h.theta[1]);
  CHECK(h.noise < 1e-3);
  data.values = data.values.unaryExpr([&](double y) { return y + random.normal(); });
  CHECK(gp::fit(data, {.has_alone = false}).noise > 0.05);  // short lengths of one axis alone explain it too
}

TEST_CASE("a fit takes different values of one point for noise", "[samplers][gp]") {
  gp::Data data{axes_of(square()), MatrixXd(30, 2), VectorXd(30)};
  RandomStream random(5, {"test"});
  for (int i = 0; i < 30; ++i) {
    data.points.row(i).setConstant(i / 3 / 10.0);
    data.values[i] = std::sin(9 * data.points(i, 0)) + random.normal();
  }
  CHECK(gp::fit(data).noise > 0.05);
}

TEST_CASE("a warped value is warped back", "[samplers][gp]") {
  VectorXd values(6);
  values << 3, 1, 2, 1e6, 5, 4;
  const gp::Warp warp = gp::warp_for(values);
  const VectorXd out = gp::warped(values);
  for (int i = 0; i < 6; ++i) CHECK(warp.inverse(out[i]) == Approx(values[i]).epsilon(1e-6));
  CHECK(warp.inverse(warp.of(-1e4)) == Approx(-1e4));
  CHECK(std::isfinite(warp.inverse(1e9)));
  CHECK(gp::warp_for(VectorXd::Constant(3, 7.0)).inverse(0) == 7);
}

TEST_CASE("without a warp the expected improvement is the closed form", "[samplers][gp]") {
  const gp::Warp plain;
  gp::Belief belief;
  VectorXd best(2);
  for (const double z : {-6.0, -2.0, 0.0, 1.5}) {
    belief.means = VectorXd::Constant(2, 1.0);
    belief.variance = 0.25;
    best.setConstant(1 + 0.5 * z);
    CHECK(gp::improvement(belief, best, plain) == Approx(std::exp(gp::log_ei(belief, best))).epsilon(0.01));
  }
}

TEST_CASE("the expected improvement is in units of the objective", "[samplers][gp]") {
  gp::Warp tenfold;  // values are ten times, and 3 above, what the process sees
  tenfold.middle = 3;
  tenfold.spread = 10;
  gp::Belief belief;
  belief.means = VectorXd::Zero(1);
  belief.variance = 1;
  CHECK(gp::improvement(belief, VectorXd::Zero(1), tenfold) == Approx(3.989).epsilon(0.01));  // 10 phi(0)
  CHECK(gp::improvement(belief, VectorXd::Constant(1, -50.0), tenfold) == 0);  // no chance in double precision
  tenfold.power = 0;  // y = 3 + 10 (exp(z) - 1) for z >= 0, below it as long as -(1 + 2 z)^(1/2): less to win
  CHECK(gp::improvement(belief, VectorXd::Zero(1), tenfold) < 3.989);
}

TEST_CASE("warping keeps the order and presses outliers together", "[samplers][gp]") {
  VectorXd values(6);
  values << 3, 1, 2, 1e6, 5, 4;
  const VectorXd out = gp::warped(values);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) CHECK((out[i] < out[j]) == (values[i] < values[j]));
  }
  CHECK(out.mean() == Approx(0).margin(1e-9));
  CHECK(out[3] - out[4] < 1e3 * (out[4] - out[5]));
  CHECK(gp::warped(VectorXd::Constant(3, 7.0)).isZero());
  CHECK(gp::normal_scores({2, 0, 1})[2] == Approx(-0.96742));
}

TEST_CASE("a search ends on the hill of the improvement", "[samplers][gp]") {
  const gp::Process process(samples(), plain(), {}, MatrixXd());
  const VectorXd best = process.own_means().rowwise().minCoeff();
  RandomStream random(1, {"test"});
  const auto found = gp::search(Untried(square()), process, {}, random);
  double most = -1e300;
  for (int i = 0; i <= 100; ++i) {
    for (int j = 0; j <= 100; ++j) {
      most = std::max(most, gp::log_ei(process.at({i / 100.0, j / 100.0}, false), best));
    }
  }
  CHECK(found.front().log_ei >= most - 1e-3);
  CHECK(std::is_sorted(found.begin(), found.begin() + 5,
                       [](const auto& a, const auto& b) { return a.log_ei > b.log_ei; }));
}

TEST_CASE("gp comes closer than chance in thirty trials and keeps lanes apart", "[samplers][gp]") {
  const auto bowl = [](const space::Values& v) {
    const double x = std::get<double>(v[0]) - 0.3, y = std::get<double>(v[1]) - 0.8;
    return x * x + 2 * y * y;
  };
  GpSampler sampler(square(), 4);
  double best = 1;
  std::vector<space::Values> lanes;
  for (int i = 0; i < 30; ++i) {
    const auto values = *sampler.propose(i);
    sampler.on_start(trial::TrialId(i), values);
    lanes.push_back(values);
    if (lanes.size() < 4) continue;  // four are under way at a time
    const auto done = lanes.front();
    lanes.erase(lanes.begin());
    best = std::min(best, bowl(done));
    sampler.on_result({trial::TrialId(i - 3), done, bowl(done), 1});
  }
  CHECK(best < 1e-4);
  CHECK(lanes[0] != lanes[1]);
}

TEST_CASE("gp finds the best of many whole numbers and of choices", "[samplers][gp]") {
  Parameter choice{.name = "c", .type = space::Type::categorical};
  choice.choices = {"a", "b", "c"};
  GpSampler sampler(Space({Parameter{.name = "n", .type = space::Type::integer, .low = 1, .high = 100}, choice}), 4);
  double best = 1e9;
  for (int i = 0; i < 40; ++i) {
    const auto values = *sampler.propose(i);
    sampler.on_start(trial::TrialId(i), values);
    const double far = double(std::get<std::int64_t>(values[0])) - 70;
    const double value = far * far + (std::get<space::Choice>(values[1]).index == 1 ? 0 : 1e4);
    best = std::min(best, value);
    sampler.on_result({trial::TrialId(i), values, value, 1});
  }
  CHECK(best <= 1);
}

TEST_CASE("gp moves no parameter that is not active", "[samplers][gp]") {
  Parameter choice{.name = "c", .type = space::Type::categorical};
  choice.choices = {"a", "b"};
  Parameter number{.name = "n", .type = space::Type::integer, .low = 1, .high = 100};
  number.when = {{0, {space::Choice{0}}}};
  const Space space({choice, number});
  GpSampler sampler(space, 4);
  double best = 1e9;
  for (int i = 0; i < 30; ++i) {
    const auto values = *sampler.propose(i);
    REQUIRE(space.contains(values));
    sampler.on_start(trial::TrialId(i), values);
    const auto* n = std::get_if<std::int64_t>(&values[1]);
    const double value = n == nullptr ? 100 : std::abs(double(*n) - 70);
    best = std::min(best, value);
    sampler.on_result({trial::TrialId(i), values, value, 1});
  }
  CHECK(best <= 1);
}

TEST_CASE("gp goes by the order of trials where some were stopped early", "[samplers][gp]") {
  GpSampler sampler(Space({Parameter{.name = "x"}}), 4);
  double best = 1;
  for (int i = 0; i < 30; ++i) {
    const auto values = *sampler.propose(i);
    sampler.on_start(trial::TrialId(i), values);
    const double far = std::abs(std::get<double>(values[0]) - 0.7);
    const bool is_whole = far < 0.2;
    best = std::min(best, far);
    sampler.on_result({trial::TrialId(i), values, is_whole ? far : 1 + far, is_whole ? 3 : 1, is_whole});
  }
  CHECK(best < 1e-3);
}

TEST_CASE("a trial that failed counts as the worst", "[samplers][gp]") {
  GpSampler sampler(square(), 4);
  std::vector<space::Values> failed;
  int near = 0;
  for (int i = 0; i < 40; ++i) {
    const auto values = *sampler.propose(i);
    sampler.on_start(trial::TrialId(i), values);
    const double x = std::get<double>(values[0]);
    const std::optional<double> value = x < 0.5 ? std::nullopt : std::optional(x);
    if (i >= 25 && x < 0.4) ++near;
    sampler.on_result({trial::TrialId(i), values, value, 1});
  }
  CHECK(near < 8);
}

}  // namespace gp_test
