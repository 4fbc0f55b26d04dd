// SPDX-License-Identifier: Apache-2.0
// Losses of plugins: cross entropy as a plugin is dlrun's own, with weights, ignored labels, mixed labels and
// sequences.
#include <ATen/ATen.h>

#include <dlrun/plugin/loss.hpp>

#include "guests.hpp"
#include "support/catch.hpp"
#include "train/loss.hpp"
#include "util/error.hpp"

namespace plugin_loss_test {

using namespace dlrun;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::Options;
using train::Wanted;

namespace {

std::int64_t most_rows = 0;  ///< that each() was given at once

/// Cross entropy times a factor, or the squared distance of numbers.
class Plain final : public plugin::Loss {
 public:
  explicit Plain(const Options& options) : factor_(options.real("factor")) {}

  at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) override {
    most_rows = std::max(most_rows, outputs.size(0));
    if (targets.is_floating_point()) return factor_ * at::pow(outputs - targets, 2).sum(1);
    if (targets.lt(0).any().item<bool>()) throw std::runtime_error("a label that does not count");
    return -factor_ * at::log_softmax(outputs, 1).gather(1, targets.unsqueeze(1)).squeeze(1);
  }
  at::Tensor prediction(const at::Tensor& outputs) override { return (2 * outputs).t().contiguous().t(); }

 private:
  double factor_;
};

const Guest plain(R"(
plugin: plain_loss
kind: loss
fits: classes
keys: [{name: factor, type: real, text: a factor, default: 1}]
)",
                  made_of<plugin::Loss, Plain, Options>);

std::unique_ptr<train::Loss> plugin_loss(std::vector<double> weights = {}, double factor = 1) {
  train::LossConfig config;
  config.op = "plain_loss";
  config.plugin = contracts_test::tested(plugin::Kind::loss, "plain_loss", {{"factor", factor}}).section;
  return train::make_plugin_loss(config, std::move(weights));
}

at::Tensor outputs_of(std::vector<std::int64_t> sizes) {
  const at::Tensor flat = at::arange(c10::multiply_integers(sizes), at::kFloat);
  return (at::sin(flat * 1.7) * 3).reshape(sizes);
}

at::Tensor labels(std::vector<std::int64_t> of) { return at::tensor(of, at::kLong); }

/// Compares value, weight, gradient and the losses of the examples.
void check_same(train::Loss& found, train::Loss& wanted, const at::Tensor& outputs, const Wanted& targets) {
  at::Tensor grad, own;
  const train::Measured a = found.measure(outputs, targets, &grad), b = wanted.measure(outputs, targets, &own);
  CHECK(a.mean == Approx(b.mean).epsilon(1e-5));
  CHECK(a.weight == Approx(b.weight).epsilon(1e-6));
  CHECK(grad.sizes() == outputs.sizes());
  CHECK(at::allclose(grad, own, 1e-4, 1e-6));
  CHECK(found.measure(outputs, targets, nullptr).mean == a.mean);
  const std::vector<float> each = found.each(outputs, targets), others = wanted.each(outputs, targets);
  REQUIRE(each.size() == others.size());
  for (std::size_t i = 0; i < each.size(); ++i) CHECK(each[i] == Approx(others[i]).epsilon(1e-4).margin(1e-6));
}

void check_like_own(const at::Tensor& outputs, const Wanted& targets, const std::vector<double>& weights) {
  const auto found = plugin_loss(weights), wanted = train::make_cross_entropy({}, weights);
  check_same(*found, *wanted, outputs, targets);
}

}  // namespace

TEST_CASE("cross entropy of a plugin is dlrun's own", "[contracts][plugin_loss]") {
  const std::vector<double> weights =
      GENERATE(std::vector<double>(), std::vector<double>{0.5, 2, 3}, std::vector<double>{1, 0, 4});
  const at::Tensor outputs = outputs_of({5, 3});
  check_like_own(outputs, labels({0, 1, 2, 1, 0}), weights);
  check_like_own(outputs, labels({0, train::kIgnored, 2, train::kIgnored, 1}), weights);
  check_like_own(outputs,
                 {labels({0, 1, 2, 1, 0}), labels({1, 1, 0, 2, 0}), at::tensor({0.2, 0.7, 1.0, 0.0, 0.5}, at::kFloat)},
                 weights);
  check_like_own(outputs_of({2, 4, 3}), labels({0, 1, 2, 1, 0, train::kIgnored, 1, 1}).reshape({2, 4}), weights);
  check_like_own(outputs_of({1, 3}), labels({2}), weights);
}

TEST_CASE("where no label counts the loss is zero of zero", "[contracts][plugin_loss]") {
  const auto found = plugin_loss();
  at::Tensor grad;
  const auto measured = found->measure(outputs_of({2, 3}), labels({train::kIgnored, train::kIgnored}), &grad);
  CHECK(measured.mean == 0);
  CHECK(measured.weight == 0);
  CHECK(grad.equal(at::zeros({2, 3})));
  const auto weighted = plugin_loss({0, 1, 1});
  CHECK(weighted->measure(outputs_of({2, 3}), labels({0, 0}), &grad).mean == 0);
  CHECK(grad.equal(at::zeros({2, 3})));
  CHECK(weighted->each(outputs_of({2, 3}), labels({0, 0})) == std::vector<float>{0, 0});
}

TEST_CASE("numbers count by rows, as a plugin gives them", "[contracts][plugin_loss]") {
  const at::Tensor outputs = at::tensor({1.0, 2.0, 3.0, 5.0}, at::kFloat).reshape({2, 2}), targets = at::ones({2, 2});
  at::Tensor grad;
  const auto measured = plugin_loss({}, 2)->measure(outputs, targets, &grad);
  CHECK(measured.mean == 21);  // 2 * (0 + 1) and 2 * (4 + 16)
  CHECK(measured.weight == 2);
  CHECK(grad.equal(2 * (outputs - 1)));
  CHECK(plugin_loss({}, 2)->each(outputs, targets) == std::vector<float>{2, 40});
}

TEST_CASE("losses of examples are asked for at once where each has one row", "[contracts][plugin_loss]") {
  most_rows = 0;
  plugin_loss()->each(outputs_of({5, 3}), labels({0, 1, 2, 1, 0}));
  CHECK(most_rows == 5);
  most_rows = 0;
  CHECK(plugin_loss()->each(outputs_of({5, 3}), labels({0, 1, train::kIgnored, 1, 0})).size() == 5);
  CHECK(plugin_loss()->each(outputs_of({2, 4, 3}), labels({0, 1, 2, 1, 0, 1, 1, 1}).reshape({2, 4})).size() == 2);
  CHECK(most_rows == 4);
}

TEST_CASE("a prediction lies in one piece", "[contracts][plugin_loss]") {
  const at::Tensor found = plugin_loss()->prediction(outputs_of({2, 3}));
  CHECK(found.is_contiguous());
  CHECK(found.equal(2 * outputs_of({2, 3})));
}

TEST_CASE("a loss that nobody has is refused", "[contracts][plugin_loss]") {
  plugin_loss();
  train::LossConfig config;
  config.op = "no_loss";
  CHECK_THROWS_WITH(train::make_plugin_loss(config), "loss.op: there is no 'no_loss'");
}

}  // namespace plugin_loss_test
