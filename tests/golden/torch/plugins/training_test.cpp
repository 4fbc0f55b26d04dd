// SPDX-License-Identifier: Apache-2.0
// Loss, metric and optimiser of tests/plugins/good against dlrun's own of the same formulas, or numbers made by hand.
#include <ATen/ATen.h>

#include "recipe/metric_kinds.hpp"
#include "support/catch.hpp"
#include "train/loss.hpp"
#include "train/metrics.hpp"
#include "train/optimizer.hpp"

namespace dlrun::train {

namespace {

dataset::Schema schema_of(std::int64_t classes, model::Shape target_shape = {}) {
  dataset::Schema schema;
  schema.classes = classes;
  schema.target_shape = std::move(target_shape);
  return schema;
}

std::unique_ptr<Loss> loss_of(const Json& section, const model::Shape& output, const dataset::Schema& schema) {
  return make_loss(recipe::read_loss({{"loss", section}}, true), output, schema);
}

at::Tensor labels_of(const std::vector<std::int64_t>& labels) { return at::tensor(labels, at::kLong); }

at::Tensor outputs() { return at::linspace(-2, 3, 24).reshape({6, 4}).sin().mul(3).to(at::kFloat); }

void check_same(const Wanted& wanted, const at::Tensor& output, const model::Shape& shape,
                const dataset::Schema& schema) {
  const auto guest = loss_of({{"op", "focus_loss"}, {"gamma", 1.5}}, shape, schema);
  const auto own = loss_of({{"op", "focal"}, {"gamma", 1.5}}, shape, schema);
  at::Tensor guest_grad, own_grad;
  const Measured a = guest->measure(output, wanted, &guest_grad), b = own->measure(output, wanted, &own_grad);
  CHECK(a.mean == Approx(b.mean).epsilon(1e-5));
  CHECK(a.weight == b.weight);
  CHECK(at::allclose(guest_grad, own_grad, 1e-4, 1e-6));
  const std::vector<float> guests = guest->each(output, wanted), owns = own->each(output, wanted);
  REQUIRE(guests.size() == owns.size());
  for (std::size_t i = 0; i < owns.size(); ++i) CHECK(guests[i] == Approx(owns[i]).epsilon(1e-5));
}

}  // namespace

TEST_CASE("a plugin's focal loss agrees with dlrun's", "[plugins]") {
  const at::Tensor labels = labels_of({0, 1, 2, 3, 1, 0});
  check_same(labels, outputs(), {4}, schema_of(4));
  const at::Tensor other = labels_of({3, 1, 0, 2, 2, 1});
  check_same({labels, other, at::full({6}, 0.3, at::kFloat)}, outputs(), {4}, schema_of(4));
  const at::Tensor positions = labels_of({0, kIgnored, 2, 3, kIgnored, 1}).reshape({2, 3});
  check_same(positions, outputs().reshape({2, 3, 4}), {3, 4}, schema_of(4, {3}));
}

TEST_CASE("a plugin's loss is weighed by classes as cross entropy is", "[plugins]") {
  const auto guest =
      loss_of({{"op", "focus_loss"}, {"gamma", 0}, {"class_weights", {1, 0, 2.5, 0.5}}}, {4}, schema_of(4));
  const auto own = loss_of({{"op", "cross_entropy"}, {"class_weights", {1, 0, 2.5, 0.5}}}, {4}, schema_of(4));
  const at::Tensor labels = labels_of({0, 1, 2, 3, 1, 0}), other = labels_of({3, 1, 0, 2, 2, 1});
  for (const Wanted& wanted :
       {Wanted(labels), Wanted(labels, other, at::full({6}, 0.3, at::kFloat)),
        Wanted(labels_of({0, kIgnored, 2, 3, kIgnored, 1})), Wanted(labels_of({1, 1, 1, 1, 1, 1}))}) {
    at::Tensor guest_grad, own_grad;
    const Measured a = guest->measure(outputs(), wanted, &guest_grad), b = own->measure(outputs(), wanted, &own_grad);
    CHECK(a.mean == Approx(b.mean).epsilon(1e-5));
    CHECK(a.weight == Approx(b.weight).epsilon(1e-6));
    CHECK(at::allclose(guest_grad, own_grad, 1e-4, 1e-6));
    const std::vector<float> guests = guest->each(outputs(), wanted), owns = own->each(outputs(), wanted);
    REQUIRE(guests.size() == owns.size());
    for (std::size_t i = 0; i < owns.size(); ++i) CHECK(guests[i] == Approx(owns[i]).epsilon(1e-5));
  }
}

TEST_CASE("class weights of a plugin's loss fit the classes", "[plugins]") {
  CHECK_THROWS_WITH(loss_of({{"op", "focus_loss"}, {"class_weights", {1, 2}}}, {4}, schema_of(4)),
                    Contains("class_weights has 2 numbers, but there are 4 classes"));
}

TEST_CASE("a plugin's metric that is a mean has a value of each example", "[plugins]") {
  CHECK(recipe::has_example_values("val.bad_metric"));
  CHECK_FALSE(recipe::has_example_values("val.matthews"));
  const at::Tensor output = outputs(), labels = labels_of({0, 1, 1, 3, 0, 2});
  for (std::int64_t i = 0; i < 6; ++i) {
    Sums one({"bad_metric", "accuracy"}, 4);
    one.add_batch(Measured{1, 1}, output.narrow(0, i, 1), labels.narrow(0, i, 1));
    const Term own = one.terms("bad_metric").at(0);
    CHECK(own.value == one.terms("accuracy").at(0).value);
    CHECK(own.weight == 1);
  }
}

TEST_CASE("a plugin's metric agrees with dlrun's and survives a checkpoint", "[plugins]") {
  CHECK(recipe::is_maximized("val.matthews"));
  const at::Tensor output = outputs().slice(1, 0, 2).contiguous(), labels = labels_of({0, 1, 1, 1, 0, 0});
  Sums sums({"matthews", "mcc"}, 2), rest({"matthews", "mcc"}, 2);
  sums.add_batch(Measured{1, 4}, output.narrow(0, 0, 4), labels.narrow(0, 0, 4));
  rest.add_batch(Measured{1, 2}, output.narrow(0, 4, 2), labels.narrow(0, 4, 2));
  Sums again({"matthews", "mcc"}, 2);
  again.restore(sums.to_json());
  again.add(rest);
  CHECK(again.value("mcc") != 0);
  CHECK(again.value("matthews") == Approx(again.value("mcc")));
}

TEST_CASE("a plugin's optimiser takes the steps of its formula", "[plugins]") {
  const OptimizerConfig config = recipe::read_optimizer(
      {{"optimizer", {{"op", "sign_momentum"}, {"lr", 0.5}, {"beta", 0.5}, {"weight_decay", 0.25}}}});
  CHECK(std::string(recipe::name_of(config)) == "sign_momentum");
  CHECK(recipe::slots_of(config) == 1);
  Layout layout{.size = 3, .ranges = {{.begin = 0, .end = 3, .lr = 1, .weight_decay = 0.25}}};
  const auto optimizer = make_optimizer(config, layout);
  float values[] = {1, -2, 0}, grads[] = {2, -1, 0};
  optimizer->step(values, grads, {.step = 1, .lr = 0.5});
  // m = (1, -0.5, 0); w -= 0.5 (sign m + 0.25 w)
  CHECK(values[0] == 0.375f);
  CHECK(values[1] == -1.25f);
  CHECK(values[2] == 0);
  grads[0] = -4;  // m = (0.5 - 2, -0.75, 0)
  optimizer->step(values, grads, {.step = 2, .lr = 0.5});
  CHECK(values[0] == 0.375f + 0.5f - 0.046875f);
  CHECK(values[1] == -1.25f + 0.5f + 0.15625f);
  REQUIRE(optimizer->slots().size() == 1);
  CHECK(optimizer->slots()[0].name == "mean");
  CHECK(optimizer->slots()[0].values == std::vector<float>{-1.5f, -0.75f, 0});
}

}  // namespace dlrun::train
