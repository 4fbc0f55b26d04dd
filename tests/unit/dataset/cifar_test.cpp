// SPDX-License-Identifier: Apache-2.0
// op: cifar on small files of the real layout.
#include <cmath>

#include "files.hpp"
#include "support/catch.hpp"

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

constexpr int kPixels = 3 * 32 * 32;

/// Record i: its labels, then red i, green i + 1, blue i + 2.
std::string record(const std::string& labels, int i) {
  std::string bytes = labels;
  for (int channel = 0; channel < 3; ++channel) bytes += std::string(kPixels / 3, static_cast<char>(i + channel));
  return bytes;
}

std::string records(int first, int count) {
  std::string bytes;
  for (int i = first; i < first + count; ++i) bytes += record(std::string(1, static_cast<char>(i % 10)), i);
  return bytes;
}

/// Five files of 8 records and a test file of 4.
void write_ten(const DataFolder& folder, const std::string& in = "cifar/") {
  for (int file = 0; file < 5; ++file)
    folder.write(in + "data_batch_" + std::to_string(file + 1) + ".bin", records(8 * file, 8));
  folder.write(in + "test_batch.bin", records(40, 4));
}

Dataset load_ten(const DataFolder& folder, const std::string& more = "") {
  return load(section((R"({"op":"cifar","path":"cifar")" + more + "}").c_str()), folder.where(), 7);
}

std::string fault_of(const DataFolder& folder, const std::string& more = "") {
  try {
    load_ten(folder, more);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint() + " | " + fault.place();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("CIFAR-10 has five training files and a test file", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder, GENERATE("cifar/", "cifar/cifar-10-batches-bin/"));
  const Dataset d = load_ten(folder);
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 32, 32});
  CHECK(d.schema.classes == 10);
  CHECK(d.schema.class_names.at(9) == "9");
  CHECK(d.schema.train == 36);
  CHECK(d.schema.val == 4);
  CHECK(d.schema.test == 4);
  CHECK(d.test == std::vector<std::int64_t>{40, 41, 42, 43});
  CHECK(d.inputs[0].element == Element::u8);
  for (const std::int64_t row : {0, 17, 43}) {
    CHECK(d.targets.index(row) == row % 10);
    CHECK(d.inputs[0].index(row, 0) == row);
    CHECK(d.inputs[0].index(row, kPixels - 1) == row + 2);
    CHECK(d.inputs[0].number(row, kPixels / 3) == Approx(double(row + 1) / 255));
  }
}

TEST_CASE("CIFAR-100 has two labels", "[dataset][cifar]") {
  const DataFolder folder;
  std::string bytes;
  for (int i = 0; i < 40; ++i) bytes += record({static_cast<char>(i % 20), static_cast<char>(i % 4 + 96)}, i);
  folder.write("cifar/train.bin", bytes);
  folder.write("cifar/test.bin", record({5, 99}, 1));
  const Dataset fine = load_ten(folder), coarse = load_ten(folder, R"(,"labels":"coarse")");
  CHECK(fine.schema.classes == 100);
  CHECK(fine.targets.index(3) == 99);
  CHECK(coarse.schema.classes == 20);
  CHECK(coarse.targets.index(3) == 3);
  CHECK(coarse.targets.index(40) == 5);
}

TEST_CASE("names of CIFAR's classes come from its text file", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  folder.write("cifar/batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n");
  CHECK(load_ten(folder).schema.class_names.at(9) == "truck");
  folder.write("cifar/batches.meta.txt", "airplane\nautomobile\n");
  CHECK_THAT(fault_of(folder), Contains("names 2 classes, not 10"));
}

TEST_CASE("pixels of every channel are standardised alone", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  const Dataset d = load_ten(folder, R"(,"standardise":true)");
  for (int channel = 0; channel < 3; ++channel) {
    double sum = 0, squares = 0;
    for (const std::int64_t row : d.train) {
      const double x = d.inputs[0].number(row, channel * kPixels / 3);
      sum += x, squares += x * x;
    }
    CHECK(sum / 36 == Approx(0).margin(1e-6));
    CHECK(std::sqrt(squares / 36) == Approx(1));
  }
}

TEST_CASE("mean and deviation may be given", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  const Dataset d = load_ten(folder, R"(,"mean":[0.5,0.4,0.3],"std":[0.2])");
  CHECK(d.inputs[0].number(10, 0) == Approx((10 / 255. - 0.5) / 0.2));
  CHECK(d.inputs[0].number(10, 2 * kPixels / 3) == Approx((12 / 255. - 0.3) / 0.2));
  CHECK_THAT(fault_of(folder, R"(,"mean":0.5)"), Contains("given together"));
  CHECK_THAT(fault_of(folder, R"(,"mean":[0.5,0.5],"std":1)"), Contains("2 numbers, but the images 3 channels"));
  CHECK_THAT(fault_of(folder, R"(,"mean":0.5,"std":0)"), Contains("must be above 0"));
  CHECK_THAT(fault_of(folder, R"(,"mean":0.5,"std":1,"standardise":true)"), Contains("measures what"));
  CHECK_THAT(fault_of(folder, R"(,"mean":"x","std":1)"), Contains("a number or a list of them"));
}

TEST_CASE("a limit takes of every class alike", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  const Dataset d = load_ten(folder, R"(,"limit":20,"limit_test":2)");
  CHECK(d.schema.train + d.schema.val == 20);
  CHECK(d.schema.test == 2);
  std::vector<int> count(10);
  for (int row = 0; row < 20; ++row) ++count[std::size_t(d.targets.index(row))];
  CHECK(count == std::vector<int>(10, 2));
}

TEST_CASE("faults of CIFAR's files name the file and the byte", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  SECTION("cut off") {
    folder.write("cifar/data_batch_3.bin", records(0, 2).substr(0, 4000));
    CHECK_THAT(fault_of(folder), Contains("data_batch_3.bin' has 4000 bytes, which are 1 records of 3073 and 927 "));
    CHECK_THAT(fault_of(folder), Contains("data_batch_3.bin, byte 3073"));
  }
  SECTION("a label out of range") {
    folder.write("cifar/test_batch.bin", records(0, 1) + record("\x0a", 1));
    CHECK_THAT(fault_of(folder), Contains("has the label 10, but 10 classes"));
    CHECK_THAT(fault_of(folder), Contains("test_batch.bin, byte 3073"));
  }
  SECTION("a file missing") {
    std::filesystem::remove(folder.path() / "cifar/data_batch_4.bin");
    CHECK_THAT(fault_of(folder), Contains("'data_batch_4.bin' is missing"));
  }
  SECTION("empty") {
    folder.write("cifar/test_batch.bin", "");
    CHECK_THAT(fault_of(folder), Contains("is empty"));
  }
  SECTION("labels chosen where there is no choice") {
    CHECK_THAT(fault_of(folder, R"(,"labels":"fine")"), Contains("this is CIFAR-10"));
  }
  SECTION("another folder") {
    folder.write("other/x.bin", "x");
    CHECK_THAT(fault_of(folder, R"(,"path":"other")"), Contains("holds no CIFAR data"));
  }
}

TEST_CASE("the cache of a folder sees every file in it", "[dataset][cifar][cache]") {
  const DataFolder folder;
  write_ten(folder);
  const Json cifar = section(R"({"op":"cifar","path":"cifar"})");
  const std::string hash = inspect(cifar, folder.where(), 7).sha256;
  CHECK(inspect(cifar, folder.where(), 7).sha256 == hash);
  folder.write("cifar/data_batch_5.bin", records(0, 9));
  CHECK(inspect(cifar, folder.where(), 7).sha256 != hash);
  CHECK(located(cifar, folder.where())["path"] == (folder.path() / "cifar").string());
}
