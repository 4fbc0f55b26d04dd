// SPDX-License-Identifier: Apache-2.0
// Arrays of texts, as plugins give them: targets become classes by their names.
#include "dataset/arrays/array_parts.hpp"
#include "dataset/plugin_formats.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace text_arrays_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

using Texts = std::vector<std::string>;

RawTensor raw(std::vector<std::int64_t> numbers, Texts texts) {
  auto owner = std::make_shared<const std::vector<std::int64_t>>(std::move(numbers));
  RawTensor tensor;
  tensor.kind = RawTensor::Kind::integer;
  tensor.size = 8;
  tensor.shape = {std::int64_t(owner->size())};
  tensor.bytes = {owner, reinterpret_cast<const std::byte*>(owner->data())};
  tensor.name = "texts";
  if (!texts.empty()) tensor.texts = std::make_shared<const Texts>(std::move(texts));
  return tensor;
}

Dataset assembled(const std::map<std::string, RawTensor>& tensors, const Json& more = Json::object()) {
  Json data{{"op", "npz"},
            {"path", "a.npz"},
            {"inputs", "x"},
            {"targets", "y"},
            {"test_inputs", "x"},
            {"test_targets", "z"},
            {"split", {{"val", 0.25}, {"stratify", false}}}};
  data.update(more);
  return assemble(
      normalised(data), [&](const Named& wanted) { return tensors.at(wanted.where); }, "hash", 7);
}

plugin::Found found(const std::string& name, const options::Table& keys) {
  plugin::Found plugin;
  plugin.manifest =
      plugin::Manifest{.name = name, .kind = plugin::Kind::data, .version = {}, .about = {}, .keys = keys, .whole = {}};
  return plugin;
}

}  // namespace

TEST_CASE("texts of training and test examples are one list of classes", "[dataset][arrays]") {
  const RawTensor x = raw({0, 1, 2, 3, 4, 5, 6, 7}, {});
  const Dataset data = assembled({{"x", x},
                                  {"y", raw({0, 1, 0, 1, 0, 1, 0, 1}, {"bee", "dog"})},
                                  {"z", raw({1, 0, 1, 0, 1, 0, 1, 0}, {"bee", "dog"})}});
  CHECK(data.schema.class_names == Texts{"bee", "dog"});
  CHECK(data.targets.indices() == std::vector<std::int64_t>{0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0});
}

TEST_CASE("texts of the test split alone are numbered together with the others", "[dataset][arrays]") {
  const RawTensor x = raw({0, 1, 2, 3, 4, 5, 6, 7}, {});
  const std::map<std::string, RawTensor> tensors = {{"x", x},
                                                    {"y", raw({0, 1, 0, 1, 0, 1, 0, 1}, {"bee", "dog"})},
                                                    {"z", raw({1, 0, 1, 0, 1, 0, 1, 0}, {"ant", "dog"})}};
  CHECK_THROWS_WITH(assembled(tensors), Contains("class 'ant' has no example in the training split (4 in all)"));
}

TEST_CASE("inputs and targets have as many examples", "[dataset][arrays]") {
  const RawTensor x = raw({0, 1, 2, 3, 4, 5, 6, 7}, {}), few = raw({0, 1, 0, 1}, {});
  CHECK_THROWS_WITH(assembled({{"x", x}, {"y", few}, {"z", x}}), Contains("has 8 examples, but texts has 4"));
}

TEST_CASE("texts are neither inputs nor values", "[dataset][arrays]") {
  const RawTensor texts = raw({0, 1, 0, 1, 0, 1, 0, 1}, {"bee", "dog"});
  CHECK_THROWS_WITH(assembled({{"x", texts}, {"y", texts}, {"z", texts}}), Contains("texts holds texts"));
  const RawTensor x = raw({0, 1, 2, 3, 4, 5, 6, 7}, {});
  CHECK_THROWS_WITH(assembled({{"x", x}, {"y", texts}, {"z", texts}}, {{"task", "regression"}}),
                    Contains("texts holds texts"));
}

TEST_CASE("a plugin with a name or key of dlrun's is no format", "[dataset][plugin]") {
  CHECK_THAT(refusal(found("npz", {})), Contains("the name 'npz' is a data kind of dlrun's"));
  CHECK_THAT(refusal(found("mine", {options::text("split", "")})), Contains("the key 'split' is one that data kinds"));
  CHECK_THAT(refusal(found("mine", {options::text("cache", "")})), Contains("the key 'cache'"));
  CHECK(refusal(found("mine", {options::text("table", "")})).empty());
}

}  // namespace text_arrays_test
