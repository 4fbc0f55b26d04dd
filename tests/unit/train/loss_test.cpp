// SPDX-License-Identifier: Apache-2.0
// Losses and metrics against libtorch or by hand.
#include "train/loss.hpp"

#include <cmath>

#include <ATen/ATen.h>

#include "recipe/metric_kinds.hpp"
#include "support/catch.hpp"
#include "train/metrics.hpp"
#include "util/random.hpp"

namespace loss_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

at::Tensor noise(std::vector<std::int64_t> sizes, const char* name) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  RandomStream stream(2, {name});
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<float>()[i] = 2 * float(stream.normal());
  return tensor;
}

dataset::Schema classes_of(std::int64_t classes) {
  dataset::Schema schema;
  schema.classes = classes;
  return schema;
}

dataset::Schema targets_of(std::int64_t targets) {
  dataset::Schema schema;
  schema.targets = targets;
  return schema;
}

void compare(Loss& loss, const at::Tensor& output, const at::Tensor& targets,
             const std::function<at::Tensor(const at::Tensor&)>& reference) {
  const at::Tensor leaf = output.clone().set_requires_grad(true);
  const at::Tensor expected = reference(leaf);
  expected.backward();
  at::Tensor grad;
  CHECK(loss.measure(output, targets, &grad).mean == Approx(expected.item<double>()).epsilon(1e-5));
  CHECK(at::allclose(grad, leaf.grad(), 1e-5, 1e-7));
  CHECK(loss.measure(output, targets, nullptr).mean == loss.measure(output, targets, &grad).mean);
}

double value(const std::vector<trial::Metric>& metrics, const std::string& name) {
  for (const trial::Metric& m : metrics) {
    if (m.name == name) return m.value;
  }
  return NAN;
}

}  // namespace

TEST_CASE("cross-entropies and their gradients agree with libtorch", "[train][loss]") {
  const at::Tensor output = noise({6, 4}, "o"), labels = at::tensor({0, 3, 1, 1, 2, 0}, at::kLong);
  const double smoothing = GENERATE(0.0, 0.1);
  const auto loss = make_loss({.op = "cross_entropy", .label_smoothing = smoothing}, {4}, classes_of(4));
  compare(*loss, output, labels, [&](const at::Tensor& o) {
    return at::cross_entropy_loss(o, labels, {}, at::Reduction::Mean, -100, smoothing);
  });
  const auto binary = make_loss({.op = "binary_cross_entropy"}, {4}, classes_of(4));
  const at::Tensor one_hot = at::one_hot(labels, 4).to(at::kFloat);
  compare(*binary, output, labels,
          [&](const at::Tensor& o) { return at::binary_cross_entropy_with_logits(o, one_hot); });
}

TEST_CASE("regression losses and their gradients agree with libtorch", "[train][loss]") {
  const at::Tensor output = noise({5, 3}, "o"), wanted = noise({5, 3}, "t");
  const auto loss = [](const char* op) { return make_loss({.op = op, .delta = 0.7}, {3}, targets_of(3)); };
  compare(*loss("mse"), output, wanted, [&](const at::Tensor& o) { return at::mse_loss(o, wanted); });
  compare(*loss("mae"), output, wanted, [&](const at::Tensor& o) { return at::l1_loss(o, wanted); });
  compare(*loss("huber"), output, wanted,
          [&](const at::Tensor& o) { return at::huber_loss(o, wanted, at::Reduction::Mean, 0.7); });
}

TEST_CASE("a NaN or an infinity in the output is in the loss", "[train][loss]") {
  const auto check = [](const char* op, const dataset::Schema& schema, const at::Tensor& targets) {
    for (const float bad : {NAN, INFINITY}) {
      at::Tensor output = noise({2, 3}, "o");
      output[1][2] = bad;
      INFO(op << " " << bad);
      CHECK_FALSE(std::isfinite(make_loss({.op = op}, {3}, schema)->measure(output, targets, nullptr).mean));
    }
  };
  check("cross_entropy", classes_of(3), at::tensor({0, 2}, at::kLong));
  for (const char* op : {"mse", "mae", "huber"}) check(op, targets_of(3), noise({2, 3}, "t"));
}

TEST_CASE("a mixed batch has the mixture of its labels' losses", "[train][loss]") {
  const at::Tensor output = noise({6, 4}, "o"), first = at::tensor({0, 3, 1, 1, 2, 0}, at::kLong);
  const at::Tensor second = at::tensor({1, 3, 2, 0, 0, 3}, at::kLong), share = at::full({6}, 0.7, at::kFloat);
  const std::string op = GENERATE("cross_entropy", "focal", "nll", "multi_margin", "binary_cross_entropy");
  INFO(op);
  const auto loss = make_loss({.op = op, .label_smoothing = op == "cross_entropy" ? 0.1 : 0}, {4}, classes_of(4));
  at::Tensor mixed, of_first, of_second;
  const double found = loss->measure(output, {first, second, share}, &mixed).mean;
  const double a = loss->measure(output, first, &of_first).mean, b = loss->measure(output, second, &of_second).mean;
  CHECK(found == Approx(0.7 * a + 0.3 * b).epsilon(1e-6));
  CHECK(at::allclose(mixed, 0.7 * of_first + 0.3 * of_second, 1e-5, 1e-7));
}

TEST_CASE("balanced weights are scikit-learn's", "[train][loss]") {
  CHECK(class_weights({.balanced = true}, {10, 30, 0, 40}) == std::vector<double>{80.0 / 30, 80.0 / 90, 1, 80.0 / 120});
  CHECK(class_weights({}, {1, 2}).empty());
}

TEST_CASE("what is ignored has no gradient, and all ignored is nothing of nothing", "[train][loss]") {
  const at::Tensor output = noise({2, 3, 4}, "o");
  dataset::Schema schema = classes_of(4);
  schema.target_shape = {3};
  const std::string op = GENERATE("cross_entropy", "focal", "nll", "multi_margin", "binary_cross_entropy", "hinge");
  INFO(op);
  const auto loss = make_loss({.op = op}, {3, 4}, schema);
  at::Tensor targets = at::full({2, 3}, kIgnored, at::kLong), grad;
  CHECK(loss->measure(output, targets, &grad).weight == 0);
  CHECK(grad.abs().max().item<float>() == 0);
  targets[1][2] = 3;
  CHECK(loss->measure(output, targets, &grad).weight == 1);
  CHECK(grad[0].abs().max().item<float>() == 0);
  CHECK(grad[1][2].abs().max().item<float>() > 0);
}

TEST_CASE("the mean of a loss of logits is over the positions that count", "[train][loss]") {
  const at::Tensor output = noise({2, 3, 4}, "o");
  dataset::Schema schema = classes_of(4);
  schema.target_shape = {3};
  const auto loss = make_loss({.op = "binary_cross_entropy"}, {3, 4}, schema);
  at::Tensor targets = at::full({2, 3}, kIgnored, at::kLong), grad;
  targets[0][1] = 2;
  targets[1][2] = 3;
  const Measured found = loss->measure(output, targets, &grad);
  const at::Tensor counted = at::stack({output[0][1], output[1][2]});
  const at::Tensor wanted = at::one_hot(at::tensor({2, 3}, at::kLong), 4).to(at::kFloat);
  CHECK(found.mean == Approx(at::binary_cross_entropy_with_logits(counted, wanted).item<double>()).epsilon(1e-6));
  CHECK(found.weight == 2);
  CHECK(at::allclose(grad[1][2], (at::sigmoid(output[1][2]) - wanted[1]) / 8));
}

TEST_CASE("predictions are in the targets' unit", "[train][loss]") {
  const at::Tensor logits = at::tensor({0.0F, 2.5867F});
  const auto of_numbers = make_loss({.op = "binary_cross_entropy"}, {1}, targets_of(1));
  CHECK(at::allclose(of_numbers->prediction(logits), at::tensor({0.5F, 0.93F}), 1e-4));
  const auto of_classes = make_loss({.op = "binary_cross_entropy"}, {1}, classes_of(2));
  CHECK(at::equal(of_classes->prediction(logits), logits));
}

TEST_CASE("a hinge loss of 0 foretells its targets", "[train][loss]") {
  const at::Tensor scores = at::tensor({-2.0F, 2.0F, 0.0F, 7.0F, NAN});
  const auto of_numbers = make_loss({.op = "hinge", .margin = 2}, {1}, targets_of(1));
  CHECK(at::allclose(of_numbers->prediction(scores), at::tensor({0.0F, 1.0F, 0.5F, 1.0F, NAN}), 0, 1e-6, true));
  const auto of_classes = make_loss({.op = "hinge"}, {1}, classes_of(2));
  CHECK(at::equal(of_classes->prediction(scores.slice(0, 0, 4)), scores.slice(0, 0, 4)));
}

TEST_CASE("an output that is no number hits nothing", "[train][metrics]") {
  at::Tensor output = noise({2, 3}, "o");
  output[1][0] = NAN;
  Sums sums({"accuracy", "top_5"}, 3);
  sums.add_batch({1, 2}, output, output.argmax(1));
  CHECK(value(sums.metrics("test"), "test.accuracy") == 0.5);
  CHECK(value(sums.metrics("test"), "test.top_5") == 0.5);
  Sums single({"accuracy", "f1_micro", "balanced_accuracy", "f1_macro", "kappa", "mcc"}, 2);
  single.add_batch({1, 1}, at::full({1, 1}, NAN), at::tensor({0}, at::kLong));
  for (const trial::Metric& metric : single.metrics("test")) CHECK((metric.name == "test.loss" || metric.value == 0));
}

TEST_CASE("a row that is no number is foretold as a class that none has", "[train][metrics]") {
  const at::Tensor output = at::tensor({0.0F, 1.0F, 1.0F, 0.0F, NAN, 0.0F, 1.0F, 0.0F}).view({4, 2});
  Sums sums({"accuracy", "f1_micro", "recall_macro", "balanced_accuracy", "mcc"}, 2);
  sums.add_batch({1, 4}, output, at::tensor({1, 0, 0, 1}, at::kLong));
  const std::vector<trial::Metric> found = sums.metrics("test");
  CHECK(value(found, "test.f1_micro") == value(found, "test.accuracy"));
  CHECK(value(found, "test.recall_macro") == 0.5);
  CHECK(value(found, "test.balanced_accuracy") == 0.5);
  // covariance 2 * 4 - (1 * 2 + 2 * 2); spreads 16 - (4 + 1 + 1) and 16 - 8
  CHECK(value(found, "test.mcc") == Approx(2 / std::sqrt(80)));
}

// In the unit of the file targets are 110 and 200, the second of them 10 and 40; outputs lie 10 and 30, 4 and 2 beside.
TEST_CASE("errors of standardised targets are in the unit of the file", "[train][metrics]") {
  const std::vector<std::string> names{"mae", "mse", "mape", "max_error", "r2"};
  const dataset::ValueScale unit{{10, 2}, {100, 20}};
  const at::Tensor output = at::tensor({2.0F, -3.0F, 7.0F, 11.0F}).view({2, 2});
  const at::Tensor targets = at::tensor({1.0F, -5.0F, 10.0F, 10.0F}).view({2, 2});
  Sums sums(names, 0, 0, unit), plain(names, 0);
  for (Sums* each : {&sums, &plain}) each->add_batch({1, 2}, output, targets);
  const std::vector<trial::Metric> found = sums.metrics("test");
  CHECK(value(found, "test.mae") == Approx((10 + 30 + 4 + 2) / 4.0));
  CHECK(value(found, "test.mse") == Approx((100 + 900 + 16 + 4) / 4.0));
  CHECK(value(found, "test.mape") == Approx((10 / 110.0 + 30 / 200.0 + 4 / 10.0 + 2 / 40.0) / 4));
  CHECK(value(found, "test.max_error") == Approx(30));
  CHECK(value(found, "test.r2") == Approx(value(plain.metrics("test"), "test.r2")));
}

TEST_CASE("a metric that NaN leaves undefined says so", "[train][metrics]") {
  Sums classes({"log_loss"}, 2), numbers({"max_error"}, 0);
  classes.add_batch({1, 1}, at::full({1, 2}, NAN), at::tensor({0}, at::kLong));
  CHECK_THROWS_WITH(classes.metrics("test"), Contains("test.log_loss is not defined: outputs of the model are NaN"));
  numbers.add_batch({1, 2}, at::tensor({1.0F, float(NAN)}).view({2, 1}), at::zeros({2, 1}));
  CHECK_THROWS_WITH(numbers.metrics("test"), Contains("test.max_error is not defined: outputs of the model are NaN"));
}

TEST_CASE("each part of a sum of losses is a mean over its own weights", "[train][loss]") {
  LossConfig config{.op = "sum"};
  const bool is_weighted_first = GENERATE(true, false);
  config.parts = {{.op = "cross_entropy", .class_weights = {1, 9}}, {.op = "focal", .weight = 0.5}};
  if (!is_weighted_first) std::swap(config.parts[0], config.parts[1]);
  const auto loss = make_loss(config, {2}, classes_of(2));
  const at::Tensor output = noise({8, 2}, "o"), labels = at::tensor({0, 0, 0, 1, 0, 1, 1, 1}, at::kLong);
  const double whole = loss->measure(output, labels, nullptr).mean;
  Sums halves({}, 2, 2), restored({}, 2, 2), both({}, 2, 2);
  for (const int begin : {0, 4}) {
    const at::Tensor own = output.narrow(0, begin, 4), those = labels.narrow(0, begin, 4);
    const Measured measured = loss->measure(own, those, nullptr);
    halves.add_batch(measured, own, those);
    restored.restore(parse_json(to_text(restored.to_json()), "sums"));
    restored.add_batch(measured, own, those);
    Sums part({}, 2, 2);
    part.add_batch(measured, own, those);
    both.add(part);
  }
  CHECK(halves.loss() == Approx(whole).epsilon(1e-9));
  CHECK(restored.loss() == halves.loss());
  CHECK(both.loss() == Approx(halves.loss()).epsilon(1e-12));
  CHECK(halves.terms("loss").size() == 2);
}

TEST_CASE("a sum whose parts weigh alike has one weight", "[train][loss]") {
  LossConfig config{.op = "sum"};
  config.parts = {{.op = "cross_entropy", .class_weights = {1, 9}}, {.op = "nll", .class_weights = {1, 9}}};
  CHECK(make_loss(config, {2}, classes_of(2))
            ->measure(noise({3, 2}, "o"), at::tensor({0, 1, 1}, at::kLong), nullptr)
            .parts.empty());
}

TEST_CASE("metrics do not depend on where batches end", "[train][metrics]") {
  const at::Tensor output = noise({9, 3}, "o"), labels = at::tensor({0, 1, 2, 2, 1, 0, int(kIgnored), 1, 2}, at::kLong);
  std::vector<std::string> names;
  for (const recipe::MetricKind& kind : recipe::metric_kinds()) {
    if (recipe::refusal(kind, 3, false).empty()) names.push_back(kind.name);
  }
  Sums whole(names, 3), parts(names, 3), restored(names, 3);
  whole.add_batch({0.5, 8}, output, labels);
  parts.add_batch({0.2, 3}, output.narrow(0, 0, 3), labels.narrow(0, 0, 3));
  restored.restore(parse_json(to_text(parts.to_json()), "sums"));
  restored.add_batch({0.68, 5}, output.narrow(0, 3, 6), labels.narrow(0, 3, 6));
  const auto a = whole.metrics("val"), b = restored.metrics("val");
  for (std::size_t i = 1; i < a.size(); ++i) CHECK(a[i] == b[i]);
  CHECK(value(b, "val.loss") == Approx(0.5));
}

TEST_CASE("an area under no curve is refused", "[train][metrics]") {
  Sums sums({"auc"}, 2);
  sums.add_batch({1, 2}, noise({2, 2}, "o"), at::tensor({1, 1}, at::kLong));
  CHECK_THROWS_WITH(sums.metrics("val"), Contains("val.auc is not defined"));
}

TEST_CASE("what a split does not define can be left out", "[train][metrics]") {
  Sums sums({"auc", "accuracy"}, 2);
  sums.add_batch({1, 2}, noise({2, 2}, "o"), at::tensor({1, 1}, at::kLong));
  const Defined found = sums.defined("test");
  CHECK(found.undefined == std::vector<std::string>{"test.auc"});
  REQUIRE(found.metrics.size() == 2);
  CHECK(found.metrics[0].name == "test.loss");
  CHECK(found.metrics[1].name == "test.accuracy");
}

TEST_CASE("a loss of examples without weight is not defined, in training apart", "[train][metrics]") {
  Sums sums({"accuracy"}, 2);
  sums.add_batch({0, 0}, noise({2, 2}, "o"), at::tensor({0, 0}, at::kLong));
  CHECK_THROWS_WITH(sums.metrics("val"), Contains("val.loss is not defined: no example of the split counts"));
  CHECK(value(sums.metrics("train"), "train.loss") == 0);
  CHECK(sums.defined("test").undefined == std::vector<std::string>{"test.loss"});
}

TEST_CASE("nothing is measured where every label is ignored", "[train][metrics]") {
  Sums sums({"accuracy", "brier"}, 2);
  sums.add_batch({0, 0}, noise({2, 2}, "o"), at::tensor({int(kIgnored), int(kIgnored)}, at::kLong));
  CHECK(sums.defined("test").metrics.empty());
}

TEST_CASE("one example has no spread that could be explained", "[train][metrics]") {
  Sums sums({"r2", "explained_variance", "mae"}, 0);
  sums.add_batch({4, 1}, at::tensor({3.0f}).reshape({1, 1}), at::tensor({1.0f}).reshape({1, 1}));
  CHECK_THROWS_WITH(sums.metrics("val"), Contains("val.r2 is not defined"));
  CHECK(sums.defined("test").undefined == std::vector<std::string>{"test.r2", "test.explained_variance"});
  sums.add_batch({4, 1}, at::tensor({3.0f}).reshape({1, 1}), at::tensor({1.0f}).reshape({1, 1}));
  CHECK(value(sums.metrics("val"), "val.r2") == 0);
}

/// Naeini et al., AAAI 2015: a confidence on the border of two bins belongs to the lower one.
TEST_CASE("a confidence on a bin's border counts in the bin below it", "[train][metrics]") {
  const auto ece = [](const std::vector<std::pair<double, bool>>& foretold) {
    Calibration calibration;
    for (const auto& [confidence, is_right] : foretold)
      calibration.add_example({1 - confidence, confidence}, 1, is_right);
    return *calibration.value("ece");
  };
  CHECK(ece({{0.58, false}, {0.6, true}}) == Approx(0.09));  // of (8/15, 9/15]: |1 - 1.18| / 2
  CHECK(ece({{0.6, true}, {0.62, false}}) == Approx(0.51));  // of two bins: (|1 - 0.6| + |0 - 0.62|) / 2
  CHECK(ece({{0.99, false}, {1, true}}) == Approx(0.495));   // 1 is in the last bin: |1 - 1.99| / 2
  CHECK(ece({{0.3, true}, {1.0 / 3, false}}) == Approx(0.183333333333333));  // of (4/15, 5/15]: |1 - 0.6333| / 2
}

TEST_CASE("accuracy counts the greatest output, or the sign of a single one", "[train][metrics]") {
  Sums sums({"accuracy"}, 2), signs({"accuracy"}, 2);
  sums.add_batch({1, 3}, at::tensor({1.f, 2.f, 3.f, 0.f, 5.f, 5.f}).view({3, 2}), at::tensor({1, 1, 0}, at::kLong));
  CHECK(value(sums.metrics("test"), "test.accuracy") == Approx(2.0 / 3));
  signs.add_batch({1, 3}, at::tensor({-1.f, 2.f, 3.f}).view({3, 1}), at::tensor({0, 1, 0}, at::kLong));
  CHECK(value(signs.metrics("test"), "test.accuracy") == Approx(2.0 / 3));
}

}  // namespace loss_test
