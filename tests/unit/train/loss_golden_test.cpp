// SPDX-License-Identifier: Apache-2.0
// Losses against Python's PyTorch (tests/golden/torch/losses.json), metrics against scikit-learn (metrics.json).
#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "train/loss.hpp"
#include "train/metrics.hpp"
#include "util/files.hpp"

namespace loss_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

Json reference(const char* name) {
  return parse_json(read_file(std::string(DLRUN_SOURCE_DIR "/tests/golden/torch/") + name), name);
}

void flatten(const Json& nested, std::vector<double>& into) {
  if (nested.is_number()) return into.push_back(nested.get<double>());
  for (const Json& inner : nested) flatten(inner, into);
}

/// A nested list of numbers.
at::Tensor tensor_of(const Json& nested, at::ScalarType type) {
  std::vector<std::int64_t> sizes;
  for (const Json* level = &nested; level->is_array(); level = &level->front()) sizes.push_back(level->size());
  std::vector<double> values;
  flatten(nested, values);
  return at::tensor(values, at::kDouble).view(sizes).to(type);
}

bool holds_labels(const Json& targets) {
  return targets.is_array() ? holds_labels(targets.front()) : targets.is_number_integer();
}

dataset::Schema schema_of(const at::Tensor& output, const at::Tensor& targets) {
  dataset::Schema schema;
  const bool has_labels = targets.scalar_type() == at::kLong;
  if (has_labels) schema.classes = std::max<std::int64_t>(2, output.size(-1));
  if (!has_labels) schema.targets = targets.size(1);
  if (targets.dim() > 1 && has_labels) schema.target_shape = {targets.size(1)};
  return schema;
}

}  // namespace

TEST_CASE("every loss and its gradient agree with PyTorch", "[train][loss][golden]") {
  const Json all = reference("losses.json");
  for (const Json& item : all.at("cases")) {
    INFO(item.at("section"));
    const bool has_labels = holds_labels(item.at("targets"));
    const at::Tensor output = tensor_of(item.at("output"), at::kFloat);
    const at::Tensor targets = tensor_of(item.at("targets"), has_labels ? at::kLong : at::kFloat);
    const auto loss = make_loss(recipe::read_loss({{"loss", item.at("section")}}, has_labels),
                                output.sizes().slice(1).vec(), schema_of(output, targets));
    at::Tensor grad;
    CHECK(loss->measure(output, targets, &grad).mean == Approx(item.at("value").get<double>()).epsilon(1e-6));
    CHECK((grad - tensor_of(item.at("grad"), at::kFloat)).abs().max().item<double>() <= 1e-6);
  }
  CHECK(all.at("cases").size() >= 25);
}

TEST_CASE("metrics agree with scikit-learn", "[train][metrics][golden]") {
  const Json all = reference("metrics.json");
  for (const Json& item : all.at("cases")) {
    const auto classes = item.at("classes").get<std::int64_t>();
    std::vector<std::string> names;
    for (const auto& [name, expected] : item.at("values").items()) names.push_back(name);
    Sums sums(names, classes);
    const at::Tensor output = tensor_of(item.at("output"), at::kFloat);
    sums.add_batch({0, 1}, output, tensor_of(item.at("targets"), classes > 0 ? at::kLong : at::kFloat));
    const std::vector<trial::Metric> found = sums.metrics("val");
    for (std::size_t i = 0; i < names.size(); ++i) {
      INFO(classes << " classes: " << names[i]);
      CHECK(found[i + 1].value == Approx(item.at("values").at(names[i]).get<double>()).epsilon(1e-9).margin(1e-12));
    }
  }
}

}  // namespace loss_golden_test
