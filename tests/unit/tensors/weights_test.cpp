// SPDX-License-Identifier: Apache-2.0
// What of a file a model can take, and how the rest is named.
#include "tensors/weights.hpp"

#include <cmath>
#include <limits>

#include "support/catch.hpp"

namespace weights_test {

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

TEST_CASE("the average of a tensor is taken for it, where it is one", "[tensors][weights]") {
  const Metadata checkpoint = {{"format", "dlrun-checkpoint-1"}};
  const float own[] = {1, 2}, mean[] = {3, 4};
  const auto bytes = [](const float* numbers) { return std::string_view(reinterpret_cast<const char*>(numbers), 8); };
  const SafeTensors sound =
      file_of({{"model.fc.bias", "F32", {2}, bytes(own)}, {"average.fc.bias", "F32", {2}, bytes(mean)}}, checkpoint);
  CHECK(weights_of(sound)[0].bytes == bytes(mean));
  for (const TensorView& other : {tensor("average.fc.bias", {3}), tensor("average.fc.bias", {2, 1}),
                                  tensor("average.fc.bias", {2}, "F16"), tensor("average.fc.bias", {})}) {
    CHECK_THROWS_WITH(weights_of(file_of({tensor("model.fc.bias", {2}), other}, checkpoint)),
                      Contains("the average of 'fc.bias' is ") && Contains("but itself F32 [2]"));
  }
}

TEST_CASE("numbers that are not finite are found in every type of float", "[tensors][weights]") {
  const auto count = [](const char* dtype, std::string_view bytes) {
    return count_not_finite({"x", dtype, {std::int64_t(bytes.size())}, bytes});
  };
  const float floats[] = {0, 3.4e38F, std::numeric_limits<float>::infinity(), -std::nanf("")};
  const double doubles[] = {1, -1e300, 3.5e38, std::nan("")};               // the second and third are no float32
  const std::uint16_t halves[] = {0x7bff, 0x7c00, 0xfc00, 0x7e01, 0x8000};  // 65504, inf, -inf, nan, -0
  const std::uint16_t brains[] = {0x7f7f, 0x7f80, 0xff80, 0x7fc0, 0x3f80};  // 3.39e38, inf, -inf, nan, 1
  const auto bytes = [](const auto& array) {
    return std::string_view(reinterpret_cast<const char*>(array), sizeof(array));
  };
  CHECK(count("F32", bytes(floats)) == 2);
  CHECK(count("F64", bytes(doubles)) == 3);
  CHECK(count("F16", bytes(halves)) == 3);
  CHECK(count("BF16", bytes(brains)) == 3);
  CHECK(count("I64", std::string(16, '\xff')) == 0);
  CHECK(not_finite({"fc.weight", "F32", {4}, bytes(floats)}) == "'fc.weight' has 2 numbers that are not finite");
  CHECK(not_finite({"fc.weight", "F32", {2}, bytes(floats).substr(0, 8)}).empty());
}

}  // namespace weights_test
