// SPDX-License-Identifier: Apache-2.0
// The loss of mixed classes is the cross entropy against the mixture.
#include <ATen/ATen.h>

#include "data/data.hpp"
#include "support/catch.hpp"
#include "train/loss.hpp"

namespace mixed_loss_test {

using namespace dlrun;

namespace {

constexpr std::int64_t kBatch = 5, kClasses = 4;

data::Examples mixed() {
  data::Examples batch;
  batch.targets = at::tensor({0, 1, 2, 3, 1}, at::kLong);
  batch.other = at::tensor({3, 1, 0, 2, 2}, at::kLong);
  batch.share = at::tensor({0.25, 0.5, 1.0, 0.0, 0.9}, at::kFloat);
  return batch;
}

/// [B, C] shares of the classes.
at::Tensor mixture(const data::Examples& batch) {
  const at::Tensor own = at::one_hot(batch.targets, kClasses), other = at::one_hot(batch.other, kClasses);
  return batch.share.unsqueeze(1) * own + (1 - batch.share).unsqueeze(1) * other;
}

std::unique_ptr<train::Loss> cross_entropy(double smoothing) {
  dataset::Schema schema;
  schema.classes = kClasses;
  train::LossConfig config;
  config.label_smoothing = smoothing;
  return train::make_loss(config, {kClasses}, schema);
}

}  // namespace

TEST_CASE("mixed classes weigh as their shares, in value and gradient", "[train][loss]") {
  at::manual_seed(3);
  const double smoothing = GENERATE(0.0, 0.1);
  const at::Tensor output = at::randn({kBatch, kClasses});
  const data::Examples batch = mixed();
  const at::Tensor wanted = (1 - smoothing) * mixture(batch) + smoothing / kClasses;
  at::Tensor grad;
  const double loss = cross_entropy(smoothing)->measure(output, {batch.targets, batch.other, batch.share}, &grad).mean;
  CHECK(loss == Approx(-(wanted * output.log_softmax(1)).sum().item<double>() / kBatch).epsilon(1e-6));
  CHECK(at::allclose(grad, (output.softmax(1) - wanted) / kBatch, 1e-5, 1e-7));
}

TEST_CASE("without mixing it is the plain loss to the bit", "[train][loss]") {
  const at::Tensor output = at::arange(20, at::kFloat).reshape({kBatch, kClasses}) / 7;
  data::Examples batch = mixed();
  batch.other = batch.share = at::Tensor();
  at::Tensor grad, plain;
  const double loss = cross_entropy(0)->measure(output, {batch.targets, batch.other, batch.share}, &grad).mean;
  CHECK(loss == cross_entropy(0)->measure(output, batch.targets, &plain).mean);
  CHECK(at::equal(grad, plain));
}

}  // namespace mixed_loss_test
