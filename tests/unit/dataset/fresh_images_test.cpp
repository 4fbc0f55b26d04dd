// SPDX-License-Identifier: Apache-2.0
// New images and texts for a trained model: scaled and encoded as the training ones were.
#include <algorithm>

#include "dataset/fresh.hpp"
#include "dataset/prepared.hpp"
#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace fresh_images_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

std::string image(const std::string& name) { return read_file(DLRUN_SOURCE_DIR "/tests/golden/images/" + name); }

/// 20 dark images, and a new file of bright ones.
struct Digits {
  Digits() {
    std::string labels;
    for (int i = 0; i < 20; ++i) labels += char(i % 2);
    for (const char* half : {"train", "t10k"}) {
      folder.write(std::string("m/") + half + "-images-idx3-ubyte", idx_bytes(0x803, {20, 2, 2}, pixels(20, 0)));
      folder.write(std::string("m/") + half + "-labels-idx1-ubyte", idx_bytes(0x801, {20}, labels));
    }
    folder.write("new", idx_bytes(0x803, {3, 2, 2}, pixels(3, 100)));
    folder.write("wide", idx_bytes(0x803, {3, 2, 3}, std::string(18, 'x')));
    folder.write("labels", idx_bytes(0x801, {3}, std::string("\1\0\1", 3)));
    folder.write("strange", idx_bytes(0x801, {3}, std::string("\1\0\7", 3)));
    data = located(section(R"({"op":"idx","path":"m","standardise":true})"), folder.where());
    for (const char* key : {"train_images", "train_labels", "test_images", "test_labels"})
      data[key] = (folder.path() / "m" / data[key].get<std::string>()).string();
  }
  static std::string pixels(int count, int from) {
    std::string values;
    for (int i = 0; i < 4 * count; ++i) values += char(from + i);
    return values;
  }
  Fresh fresh(const std::string& images, const std::string& labels) const {
    FreshOptions options{.files = {{"images", (folder.path() / images).string()}}, .needs_targets = !labels.empty()};
    if (!labels.empty()) options.files["labels"] = (folder.path() / labels).string();
    return load_fresh(data, options, 7);
  }

  DataFolder folder;
  Json data;
};

}  // namespace

TEST_CASE("new images in MNIST's format have the scale of the training images", "[dataset][fresh]") {
  const Digits digits;
  const Dataset known = load(digits.data, {}, 7);
  const Fresh fresh = digits.fresh("new", "labels");
  CHECK(fresh.dataset.inputs[0].scale == known.inputs[0].scale);
  CHECK(fresh.dataset.inputs[0].shift == known.inputs[0].shift);
  CHECK(fresh.dataset.inputs[0].index(2, 3) == 111);
  CHECK(fresh.dataset.targets.indices() == std::vector<std::int64_t>{1, 0, 1});
  CHECK(digits.fresh("new", "").dataset.test.size() == 3);
  const FreshOptions named{{{"images", (digits.folder.path() / "new").string()}}, false, "", "name"};
  CHECK_THROWS_WITH(load_fresh(digits.data, named, 7), Contains("--id has no effect"));
  CHECK_THROWS_WITH(digits.fresh("wide", ""), Contains("[1, 2, 3]") && Contains("trained on [1, 2, 2]"));
  CHECK_THROWS_WITH(digits.fresh("new", "strange"), Contains("the label 7, but the model 2 classes"));
}

TEST_CASE("what is told of prepared images is what is done to them", "[dataset][fresh]") {
  const Digits digits;
  const Dataset known = load(digits.data, {}, 7);
  const Json told = prepared(digits.data, 7);
  const double scale = told["inputs"][0]["scale"][0], shift = told["inputs"][0]["shift"][0];
  CHECK(told["inputs"][0]["shape"] == Json{1, 2, 2});
  CHECK(told["targets"][0]["classes"] == Json{"0", "1"});
  CHECK(known.inputs[0].number(5, 2) == Approx(22 * scale + shift).margin(1e-5));
}

TEST_CASE("a folder of new images needs no classes for a prediction", "[dataset][fresh]") {
  const DataFolder folder;
  for (int i = 0; i < 10; ++i) {
    folder.write("images/cat/" + std::to_string(i) + ".jpg", image("rgb.jpg"));
    folder.write("images/dog/" + std::to_string(i) + ".png", image("rgb.png"));
  }
  folder.write("new/b/1.png", image("rgb.png"));
  folder.write("new/a.jpg", image("rgb.jpg"));
  folder.write("sorted/dog/1.png", image("rgb.png"));
  folder.write("other/wolf/1.png", image("rgb.png"));
  const Json data = located(section(R"({"op":"image_folder","path":"images","standardise":true})"), folder.where());
  const Dataset known = load(data, {}, 7);
  const auto fresh = [&](const char* name, bool needs_targets) {
    return load_fresh(data, {{{"path", (folder.path() / name).string()}}, needs_targets, "", ""}, 7);
  };
  const Fresh found = fresh("new", false);
  REQUIRE(found.ids.size() == 1);
  CHECK(found.ids[0].name == "file");
  CHECK(found.ids[0].cells == std::vector<std::string>{"a.jpg", "b/1.png"});
  CHECK(found.dataset.test == std::vector<std::int64_t>{0, 1});
  CHECK(found.dataset.inputs[0].number(0, 7) == known.inputs[0].number(0, 7));
  CHECK(found.dataset.inputs[0].number(1, 7) == known.inputs[0].number(10, 7));
  CHECK(fresh("sorted", true).dataset.targets.indices() == std::vector<std::int64_t>{1});
  CHECK_THROWS_WITH(fresh("other", true), Contains("no class 'wolf'"));
  CHECK_THROWS_WITH(fresh("new/b", true), Contains("there is no image"));
}

TEST_CASE("new texts are read with the vocabulary of the training texts", "[dataset][fresh]") {
  const DataFolder folder;
  std::string table = "text,kind\n";
  for (int i = 0; i < 10; ++i) table += i % 2 == 0 ? "good day,a\n" : "bad night,b\n";
  folder.write("t.csv", table);
  folder.write("new.csv", "n,text\n1,good unheard night\n");
  const Json data = located(section(R"({"op":"text_classes","path":"t.csv","text":["text"],"target":["kind"],
                                        "length":4,"vocabulary":{"kind":"word"}})"),
                            folder.where());
  const FreshOptions options{{{"path", (folder.path() / "new.csv").string()}}, false, "", ""};
  const Json names = prepared(data, 7)["vocabulary"];
  const auto token = [&](const char* word) { return std::find(names.begin(), names.end(), word) - names.begin(); };
  const Fresh fresh = load_fresh(data, options, 7);
  CHECK(fresh.dataset.inputs[0].indices() == std::vector<std::int64_t>{token("good"), 1, token("night"), 0});
}

}  // namespace fresh_images_test
