// SPDX-License-Identifier: Apache-2.0
// Names, units and numbers of predictions, worked out by hand.
#include "train/prediction_columns.hpp"

#include <ATen/ATen.h>

#include <limits>

#include "support/catch.hpp"
#include "train/prediction_writer.hpp"
#include "util/error.hpp"

namespace prediction_columns_test {

using namespace dlrun;
using namespace dlrun::train;
using Catch::Matchers::StartsWith;

namespace {

using Names = std::vector<std::string>;

dataset::Schema of_classes(const Names& names) { return {.classes = std::int64_t(names.size()), .class_names = names}; }

PredictionColumns columns_of(const dataset::Schema& schema, const at::Tensor& outputs, bool wants_logits,
                             const dataset::Fresh& facts = {}) {
  const auto all = prediction_columns({OutputConfig{}}, schema, facts, {outputs}, wants_logits);
  REQUIRE(all.size() == 1);
  return all.front();
}

std::vector<double> numbers_of(const PredictionColumns& columns, const at::Tensor& outputs, std::int64_t row = 0) {
  std::vector<double> numbers;
  columns.read(outputs, row, numbers);
  return numbers;
}

using Maker = std::unique_ptr<PredictionWriter> (*)(AllColumns columns, const trial::PredictionFile& file);

std::string lines_of(Maker make, const PredictionColumns& columns, const at::Tensor& outputs) {
  std::string text;
  const trial::PredictionFile file{.append = [&](std::string_view bytes) { text += bytes; }, .begin_with = {}};
  const auto writer = make({columns}, file);
  writer->add_examples({}, 0, {outputs});
  writer->finish();
  return text;
}

}  // namespace

TEST_CASE("each class has a probability or a logit", "[train][predictions]") {
  const at::Tensor outputs = at::tensor({0.0F, 0.0F, 0.0F, 0.0F, 0.6931472F, -100.0F}).reshape({2, 3});
  const dataset::Schema schema = of_classes({"a", "b", "c"});
  const PredictionColumns shares = columns_of(schema, outputs, false), logits = columns_of(schema, outputs, true);
  CHECK(shares.kind == "probabilities");
  CHECK(shares.is_double());
  CHECK(shares.names == Names{"p_a", "p_b", "p_c"});
  CHECK(numbers_of(shares, outputs).at(2) == Approx(1.0 / 3));
  CHECK(numbers_of(shares, outputs, 1).at(0) == Approx(1.0 / 3));  // e^0 : e^ln 2 : 0
  CHECK(numbers_of(shares, outputs, 1).at(1) == Approx(2.0 / 3));
  CHECK(*shares.class_of(outputs, 1) == "b");
  CHECK(logits.kind == "logits");
  CHECK_FALSE(logits.is_double());
  CHECK(logits.names == Names{"logit_a", "logit_b", "logit_c"});
  CHECK(numbers_of(logits, outputs, 1) == std::vector<double>{0, double(0.6931472F), -100});
}

TEST_CASE("a single output is the logit of the second class", "[train][predictions]") {
  const at::Tensor outputs = at::tensor({1.0986123F, -1.0F}).reshape({2, 1});  // ln 3: three to one
  const dataset::Schema schema = of_classes({"no", "yes"});
  CHECK(columns_of(schema, outputs, true).names == Names{"logit"});
  CHECK(numbers_of(columns_of(schema, outputs, true), outputs) == std::vector<double>{double(1.0986123F)});
  const PredictionColumns shares = columns_of(schema, outputs, false);
  CHECK(shares.names == Names{"p_no", "p_yes"});
  CHECK(numbers_of(shares, outputs).at(0) == Approx(0.25));
  CHECK(numbers_of(shares, outputs).at(1) == Approx(0.75));
  CHECK(*shares.class_of(outputs, 0) == "yes");
  CHECK(*shares.class_of(outputs, 1) == "no");
}

// The first class was predicted.
TEST_CASE("of outputs that are NaN no class is predicted", "[train][predictions]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor several = at::tensor({0.0F, nan, 1.0F, 2.0F}).reshape({2, 2}),
                   single = at::tensor({nan}).reshape({1, 1});
  const dataset::Schema schema = of_classes({"no", "yes"});
  const PredictionColumns columns = columns_of(schema, several, false);
  CHECK(columns.class_of(several, 0) == nullptr);
  CHECK(*columns.class_of(several, 1) == "yes");
  CHECK(columns_of(schema, single, false).class_of(single, 0) == nullptr);
  CHECK(lines_of(csv_writer, columns, several) ==
        "row,class,p_no,p_yes\n0,,nan,nan\n1,yes,0.2689414213699951,0.7310585786300049\n");
  CHECK_THAT(lines_of(jsonl_writer, columns, several), StartsWith("{\"row\": 0, \"class\": null, \"p_no\": null, "));
}

TEST_CASE("values are in the unit of the file, under the names of its columns", "[train][predictions]") {
  const at::Tensor outputs = at::tensor({1.0F, -2.0F}).reshape({1, 2});
  dataset::Fresh facts;
  facts.value_names = {{"height", "weight"}};
  const PredictionColumns columns = columns_of({.targets = 2, .unit = {{10, 0.5}, {100, 3}}}, outputs, false, facts);
  CHECK(columns.kind == "values");
  CHECK(columns.names == Names{"value_height", "value_weight"});
  CHECK(numbers_of(columns, outputs) == std::vector<double>{110, 2});
  CHECK(columns_of({.targets = 2}, outputs, false).names == Names{"value_0", "value_1"});
  CHECK(columns_of({.targets = 1}, outputs.narrow(1, 0, 1), false, facts).names == Names{"value"});
  CHECK(numbers_of(columns_of({.targets = 2}, outputs, false), outputs) == std::vector<double>{1, -2});
}

TEST_CASE("outputs have their names before their columns', and auxiliary ones have none", "[train][predictions]") {
  dataset::Schema schema;
  schema.several = {{"kind", 2, 1, {}, {"x", "y"}}, {"size", 0, 1, {}, {}}};
  OutputConfig kind{"head", "kind"}, size{"tail", "size"}, hidden{"aside", "kind", true};
  const std::vector<at::Tensor> outputs{at::zeros({1, 2}), at::zeros({1, 2}), at::zeros({1, 1})};
  const auto all = prediction_columns({hidden, kind, size}, schema, {}, outputs, true);
  REQUIRE(all.size() == 2);
  CHECK(all[0].output == 1);
  CHECK(all[0].prefix == "head.");
  CHECK(all[0].names == Names{"logit_x", "logit_y"});
  CHECK(all[1].output == 2);
  CHECK(all[1].prefix == "tail.");
  CHECK(all[1].names == Names{"value"});
}

TEST_CASE("logits of numbers and labels at each position are refused", "[train][predictions]") {
  CHECK_THROWS_WITH(columns_of({.targets = 1}, at::zeros({1, 1}), true), Contains("predicts numbers, no classes"));
  dataset::Schema positions = of_classes({"a", "b"});
  positions.target_shape = {4};
  CHECK_THROWS_WITH(columns_of(positions, at::zeros({1, 2, 4}), false), Contains("a label at each position"));
}

}  // namespace prediction_columns_test
