// SPDX-License-Identifier: Apache-2.0
// What of a file a model can take, and how the rest is named.
#include "tensors/weights.hpp"

#include "support/catch.hpp"

using namespace dlrun::tensors;

namespace {

const std::string kBytes(64, '\0');

TensorView tensor(const std::string& name, std::vector<std::int64_t> shape, const std::string& dtype = "F32") {
  std::size_t size = dtype == "F32" ? 4 : dtype == "F16" ? 2 : 8;
  for (const std::int64_t each : shape) size *= std::size_t(each);
  return {name, dtype, std::move(shape), std::string_view(kBytes).substr(0, size)};
}

SafeTensors file_of(const std::vector<TensorView>& tensors, const Metadata& metadata = {}) {
  return {write_safetensors(tensors, metadata), "x"};
}

const std::vector<Wanted> kModel{{"fc.weight", {2, 3}}, {"fc.bias", {2}}, {"bn.num_batches_tracked", {}, true}};

}  // namespace

TEST_CASE("a file with a model's names and shapes fits exactly", "[tensors][weights]") {
  const SafeTensors file = file_of(
      {tensor("fc.bias", {2}, "F16"), tensor("fc.weight", {2, 3}), tensor("bn.num_batches_tracked", {}, "I64")});
  const Fit found = fit(weights_of(file), kModel);
  CHECK(found.is_exact());
  CHECK(found.taken.size() == 3);
}

TEST_CASE("of a checkpoint the model's tensors are the weights", "[tensors][weights]") {
  const SafeTensors file =
      file_of({tensor("model.fc.bias", {2}), tensor("opt.fc.bias.m", {2})}, {{"format", "dlrun-checkpoint-1"}});
  const std::vector<TensorView> weights = weights_of(file);
  REQUIRE(weights.size() == 1);
  CHECK(weights[0].name == "fc.bias");
}

TEST_CASE("a foreign file's names stay as they are", "[tensors][weights]") {
  CHECK(weights_of(file_of({tensor("model.fc.bias", {2})}))[0].name == "model.fc.bias");
}

TEST_CASE("what does not fit is named", "[tensors][weights]") {
  const SafeTensors file = file_of({tensor("fc.weight", {3, 2}), tensor("head", {1}), tensor("fc.bias", {2}, "I64")});
  const Fit found = fit(weights_of(file), kModel);
  CHECK_FALSE(found.is_exact());
  CHECK(found.taken.empty());
  CHECK(describe(found) ==
        "'fc.weight' is F32 [3, 2] in the file, but F32 [2, 3] in the model (and 1 more like it); "
        "the file lacks 'bn.num_batches_tracked'; the model has no 'head'");
}

TEST_CASE("of many names five are said", "[tensors][weights]") {
  Fit many;
  many.missing = {"a", "b", "c", "d", "e", "f", "g"};
  CHECK(describe(many) == "the file lacks 'a', 'b', 'c', 'd', 'e' and 2 more");
}
