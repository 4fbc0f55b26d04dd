// SPDX-License-Identifier: Apache-2.0
// New rows for a model that was trained on a table: nothing is measured on them.
#include "dataset/fresh.hpp"

#include "files.hpp"
#include "support/catch.hpp"

namespace fresh_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

const char* const kTrain =
    "size,kind,y\n1,a,no\n2,b,yes\n3,a,no\n4,b,yes\n5,a,no\n6,b,yes\n7,a,no\n8,b,yes\n9,a,no\n10,b,yes\n";

struct Trained {
  explicit Trained(const std::string& more = "") {
    folder.write("train.csv", kTrain);
    data = located(section((R"({"op":"csv","path":"train.csv","target":"y")" + more + "}").c_str()), folder.where());
  }
  Fresh fresh(const std::string& text, FreshOptions options = {}) const {
    folder.write("new.csv", text);
    options.files = {{"path", (folder.path() / "new.csv").string()}};
    return load_fresh(data, options, 7);
  }
  std::string fault(const std::string& text, const FreshOptions& options = {}) const {
    try {
      fresh(text, options);
    } catch (const DataError& found) {
      return std::string(found.what()) + "; " + found.hint();
    }
    return "none";
  }

  DataFolder folder;
  Json data;
};

const FreshOptions kPredict{.needs_targets = false};

}  // namespace

TEST_CASE("new rows are encoded as the training rows were", "[dataset][fresh]") {
  const Trained trained;
  const Dataset known = load(trained.data, {}, 7);
  const Fresh fresh = trained.fresh("y,kind,other,size\nno,a,?,1\nyes,b,?,10\nyes,a,?,1000\n");
  REQUIRE(fresh.dataset.test == std::vector<std::int64_t>{0, 1, 2});
  CHECK(fresh.dataset.schema.features == known.schema.features);
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(fresh.dataset.inputs[0].number(0, i) == known.inputs[0].number(0, i));
    CHECK(fresh.dataset.inputs[0].number(1, i) == known.inputs[0].number(9, i));
  }
  CHECK(fresh.dataset.inputs[0].number(2, 0) > 100);  // not standardised by itself
  CHECK(fresh.dataset.targets.indices() == std::vector<std::int64_t>{0, 1, 1});
}

TEST_CASE("one new row is enough, and needs no target for a prediction", "[dataset][fresh]") {
  const Trained trained;
  const Fresh fresh = trained.fresh("kind,size\nb,4\n", kPredict);
  CHECK(fresh.dataset.inputs[0].number(0, 0) == load(trained.data, {}, 7).inputs[0].number(3, 0));
  CHECK_THAT(trained.fault("kind,size\nb,4\n"), Contains("no column 'y', which is the target"));
  CHECK_THAT(trained.fault("kind\nb\n", kPredict), Contains("no column 'size', which is an input of the model"));
}

TEST_CASE("what training never saw is refused, or nothing", "[dataset][fresh]") {
  const Trained trained;
  CHECK_THAT(trained.fault("size,kind\n4,c\n", kPredict), Contains("\"c\" in line 2") && Contains("--unseen zero"));
  CHECK_THAT(trained.fault("size,kind\n4,\n", kPredict), Contains("no value in line 2"));
  CHECK_THAT(trained.fault("size,kind,y\n4,a,perhaps\n"), Contains("\"perhaps\""));
  CHECK_THAT(trained.fault("size,kind\nfour,a\n", kPredict), Contains("holds numbers, but line 2"));
  const Fresh fresh = trained.fresh("size,kind\n4,c\n", {.needs_targets = false, .unseen = "zero"});
  CHECK(fresh.dataset.inputs[0].number(0, 1) == 0);
  CHECK(fresh.dataset.inputs[0].number(0, 2) == 0);
}

TEST_CASE("a gap is filled by what training measured", "[dataset][fresh]") {
  const Fresh fresh = Trained().fresh("size,kind\n,a\n1000,a\n", kPredict);
  CHECK(fresh.dataset.inputs[0].number(0, 0) == Approx(0).margin(1e-6));  // the mean
}

TEST_CASE("a column goes along to know the rows by", "[dataset][fresh]") {
  FreshOptions options = kPredict;
  options.id = "name";
  const Trained trained;
  const Fresh fresh = trained.fresh("name,size,kind\nx,4,a\n\"y, z\",5,b\n", options);
  REQUIRE(fresh.ids.size() == 1);
  CHECK(fresh.ids[0].name == "name");
  CHECK(fresh.ids[0].cells == std::vector<std::string>{"x", "y, z"});
  CHECK_THAT(trained.fault("size,kind\n4,a\n", options), Contains("no column 'name'"));
}

TEST_CASE("columns without names may come without their target", "[dataset][fresh]") {
  const DataFolder folder;
  folder.write("t.csv", "no,1,5\nyes,2,6\nno,3,7\nyes,4,8\nno,5,9\nyes,6,10\nno,7,11\nyes,8,12\nno,9,13\nyes,10,14\n");
  const Json data = located(section(R"({"op":"csv","path":"t.csv","header":false,"target":0})"), folder.where());
  const Dataset known = load(data, {}, 7);
  const auto inputs = [&](const char* text) {
    folder.write("new.csv", text);
    return load_fresh(data, {{{"path", (folder.path() / "new.csv").string()}}, false, "", ""}, 7).dataset.inputs[0];
  };
  for (const char* text : {"?,2,6\n", "2,6\n"}) {
    CHECK(inputs(text).number(0, 0) == known.inputs[0].number(1, 0));
    CHECK(inputs(text).number(0, 1) == known.inputs[0].number(1, 1));
  }
  CHECK_THROWS_WITH(inputs("2\n"), Contains("has 1 columns, but the training table 3"));
}

TEST_CASE("a feature that said nothing in training says nothing of new rows", "[dataset][fresh]") {
  const Trained held(R"(,"replace":{"size":"mean"})"), permuted(R"(,"replace":{"size":"permute"})");
  const Fresh fresh = held.fresh("size,kind\n4,a\n1000,a\n", kPredict);
  CHECK(fresh.dataset.inputs[0].number(0, 0) == fresh.dataset.inputs[0].number(1, 0));
  CHECK_THAT(permuted.fault("size,kind\n4,a\n", kPredict), Contains("trained with 'size' permuted"));
}

TEST_CASE("files of new data are named by known keys", "[dataset][fresh]") {
  const Trained trained;
  const auto fault = [&](FreshOptions options) { CHECK_THROWS_AS(load_fresh(trained.data, options, 7), DataError); };
  fault({});
  fault({.files = {{"path", "/nowhere.csv"}}});
  fault({.files = {{"path", (trained.folder.path() / "train.csv").string()}, {"pth", "/nowhere.csv"}}});
}

}  // namespace fresh_test
