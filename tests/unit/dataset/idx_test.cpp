// SPDX-License-Identifier: Apache-2.0
// Images in MNIST's format.
#include <cmath>

#include "files.hpp"
#include "support/catch.hpp"

namespace idx_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

/// 20 training and 4 test images of 2x3 pixels: image i has the pixels 10 i + 0..5 and the label i mod 2.
struct Images {
  static std::string pixels(int count) {
    std::string values;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 6; ++k) values += static_cast<char>(10 * i + k);
    }
    return values;
  }
  static std::string labels(int count) {
    std::string values;
    for (int i = 0; i < count; ++i) values += static_cast<char>(i % 2);
    return values;
  }

  std::string train_images = idx_bytes(0x803, {20, 2, 3}, pixels(20));
  std::string train_labels = idx_bytes(0x801, {20}, labels(20));
  std::string test_images = idx_bytes(0x803, {4, 2, 3}, pixels(4));
  std::string test_labels = idx_bytes(0x801, {4}, labels(4));

  void write(const DataFolder& folder) const {
    folder.write("m/train-images-idx3-ubyte", train_images);
    folder.write("m/train-labels-idx1-ubyte.gz", gzipped(train_labels));
    folder.write("m/t10k-images-idx3-ubyte.gz", gzipped(test_images));
    folder.write("m/t10k-labels-idx1-ubyte", test_labels);
  }
};

Dataset images_of(const Images& images, const std::string& options = "") {
  const DataFolder folder;
  images.write(folder);
  return load(parse_json(R"({"op":"idx","path":"m")" + options + "}", "s"), folder.where(), 7);
}

std::string fault_of(const Images& images, const std::string& options = "") {
  try {
    images_of(images, options);
  } catch (const DataError& fault) {
    const std::string name = std::filesystem::path(fault.place()).filename().string();
    return fault.path() + " [" + name + "] " + fault.what() + " (" + fault.hint() + ")";
  }
  return "no fault";
}

}  // namespace

TEST_CASE("images, labels and splits", "[dataset][idx]") {
  const Dataset d = images_of(Images());
  CHECK(d.schema.input() == std::vector<std::int64_t>{1, 2, 3});
  CHECK(d.schema.classes == 2);
  CHECK(d.schema.train == 18);
  CHECK(d.schema.val == 2);
  CHECK(d.schema.test == 4);
  CHECK(d.test == std::vector<std::int64_t>{20, 21, 22, 23});
  CHECK(d.inputs[0].examples == 24);
  CHECK(d.inputs[0].number(1) == Approx(10.0f / 255));
  CHECK(d.inputs[0].number(21, 1) == Approx(11.0f / 255));
  CHECK(d.targets.index(21) == 1);
  CHECK(d.targets.index(d.val[0]) != d.targets.index(d.val[1]));
}

TEST_CASE("pixels to mean 0 and deviation 1 over the training images", "[dataset][idx]") {
  const Dataset d = images_of(Images(), R"(,"standardise":true)");
  double mean = 0, squares = 0;
  for (const std::int64_t row : d.train) {
    for (int i = 0; i < 6; ++i) {
      mean += d.inputs[0].number(row, i) / 108;
      squares += d.inputs[0].number(row, i) * d.inputs[0].number(row, i) / 108;
    }
  }
  CHECK(mean == Approx(0).margin(1e-6));
  CHECK(squares == Approx(1).margin(1e-5));
}

TEST_CASE("a limit takes some of each class", "[dataset][idx]") {
  const Dataset d = images_of(Images(), R"(,"limit":10,"limit_test":2,"split":{"val":0.4})");
  CHECK(d.schema.train == 6);
  CHECK(d.schema.val == 4);
  CHECK(d.schema.test == 2);
  CHECK(d.inputs[0].examples == 12);
  const std::vector<std::int64_t> labels = d.targets.indices();
  CHECK(std::count(labels.begin(), labels.begin() + 10, 1) == 5);
}

TEST_CASE("files named one by one", "[dataset][idx]") {
  const DataFolder folder;
  Images().write(folder);
  const Json data =
      section(R"({"op":"idx","train_images":"m/train-images-idx3-ubyte","train_labels":"m/train-labels-idx1-ubyte",
      "test_images":"m/t10k-images-idx3-ubyte.gz","test_labels":"m/t10k-labels-idx1-ubyte"})");
  CHECK(load(data, folder.where(), 7).schema.train == 18);
}

TEST_CASE("files that are not what they should be", "[dataset][idx][faults]") {
  Images images;
  SECTION("swapped") {
    std::swap(images.train_images, images.train_labels);
    CHECK_THAT(fault_of(images), Contains("train_images [train-images-idx3-ubyte, byte 0]") &&
                                     Contains("begins with 0x00000801, not with 0x00000803") &&
                                     Contains("these are labels: are the files swapped?"));
  }
  SECTION("another format") {
    images.test_labels = "hello, world";
    CHECK_THAT(fault_of(images), Contains("test_labels [t10k-labels-idx1-ubyte, byte 0]") &&
                                     Contains("begins with 0x68656c6c") &&
                                     Contains("an IDX file of labels was expected"));
  }
  SECTION("cut off in the header") {
    images.train_images.resize(9);
    CHECK_THAT(fault_of(images), Contains("ends after 9 bytes, inside its header (fetch it again)"));
  }
  SECTION("cut off in the values") {
    images.train_images.resize(100);
    CHECK_THAT(fault_of(images), Contains("promises 120 values, but has 84 (it is cut off: fetch it again)"));
  }
  SECTION("too long") {
    images.train_labels += "xx";
    CHECK_THAT(fault_of(images), Contains("promises 20 values, but has 22 (it is longer than its header says)"));
  }
  SECTION("absurd sizes allocate nothing") {
    images.train_images = idx_bytes(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, "x");
    CHECK_THAT(fault_of(images), Contains("has impossible sizes"));
    images.train_images = idx_bytes(0x803, {0xffffffff, 0x10000, 1}, "x");
    CHECK_THAT(fault_of(images), Contains("promises 281474976645120 values, but has 1"));
  }
  SECTION("a size of zero") {
    images.train_images = idx_bytes(0x803, {0, 28, 28}, "");
    CHECK_THAT(fault_of(images), Contains("has a size of 0"));
  }
  SECTION("images and labels of different number") {
    images.train_labels = idx_bytes(0x801, {19}, Images::labels(19));
    CHECK_THAT(fault_of(images),
               Contains("has 20 images, but") && Contains("19 labels (the two files do not belong together)"));
  }
  SECTION("images of another size in the test file") {
    images.test_images = idx_bytes(0x803, {4, 3, 2}, Images::pixels(4));
    CHECK_THAT(fault_of(images), Contains("has images of 2x3, but") && Contains("of 3x2"));
  }
  SECTION("labels that are no class numbers") {
    images.train_labels.back() = static_cast<char>(200);
    CHECK_THAT(
        fault_of(images),
        Contains("has labels up to 200, but only 3 different ones (labels must be class numbers, each of them used)"));
  }
  SECTION("a label the training file does not know") {
    images.test_labels.back() = 9;
    CHECK_THAT(fault_of(images), Contains("test_labels [t10k-labels-idx1-ubyte, byte 11] label 9 of example 3 is "
                                          "outside of the training file's 0 to 1"));
  }
}

TEST_CASE("the schema alone is the same as with the images", "[dataset][idx]") {
  const DataFolder folder;
  Images().write(folder);
  const Json data = section(R"({"op":"idx","path":"m","limit":12})");
  const Schema quick = inspect(data, folder.where(), 7), full = load(data, folder.where(), 7).schema;
  CHECK(quick.sha256 == full.sha256);
  CHECK(quick.input() == full.input());
  CHECK(quick.train == full.train);
  CHECK(quick.val == full.val);
}

TEST_CASE("the real MNIST, where it is", "[dataset][idx][mnist]") {
  const char* folder = std::getenv("DLRUN_DATA");
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "mnist")) {
    WARN("skipped: no mnist in DLRUN_DATA");
    return;
  }
  const Dataset d = load(section(R"({"op":"idx","path":"mnist"})"), {{folder}}, 7);
  CHECK(d.schema.train == 54000);
  CHECK(d.schema.classes == 10);
  CHECK(d.targets.index(0) == 5);
}

}  // namespace idx_test
