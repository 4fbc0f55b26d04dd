// SPDX-License-Identifier: Apache-2.0
// op: cifar on small files of the real layout.
#include <algorithm>
#include <cmath>

#include "dataset/fresh.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace cifar_test {

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

using Files = std::vector<std::pair<std::string, std::string>>;

/// Five files of 8 records and a test file of 4.
Files ten() {
  Files files;
  for (int file = 0; file < 5; ++file)
    files.emplace_back("data_batch_" + std::to_string(file + 1) + ".bin", records(8 * file, 8));
  files.emplace_back("test_batch.bin", records(40, 4));
  return files;
}

void write_ten(const DataFolder& folder, const std::string& in = "cifar/") {
  for (const auto& [name, bytes] : ten()) folder.write(in + name, bytes);
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

TEST_CASE("CIFAR is read from its archive as from its folder", "[dataset][cifar]") {
  const DataFolder plain, packed;
  write_ten(plain);
  plain.write("cifar/batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  Files files = ten();
  files.emplace_back("readme.html", "<html>");
  files.emplace_back("batches.meta.txt", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n");
  const std::string archive = tar_bytes(files);
  packed.write("cifar", GENERATE(0, 1) == 1 ? gzipped(archive) : archive);
  const Dataset folder = load_ten(plain), tar = load_ten(packed);
  CHECK(tar.schema.sha256 == folder.schema.sha256);  // the same content is the same data
  CHECK(tar.schema.class_names == folder.schema.class_names);
  CHECK(tar.train == folder.train);
  CHECK(tar.targets.indices() == folder.targets.indices());
  CHECK(tar.inputs[0].numbers() == folder.inputs[0].numbers());
  SECTION("members may be gzipped") {
    for (auto& [name, bytes] : files) {
      if (name == "test_batch.bin") name += ".gz", bytes = gzipped(bytes);
    }
    packed.write("cifar", tar_bytes(files));
    CHECK(load_ten(packed).inputs[0].numbers() == folder.inputs[0].numbers());
  }
}

TEST_CASE("faults of CIFAR's archive name the byte", "[dataset][cifar]") {
  const DataFolder folder;
  const std::string archive = tar_bytes(ten());
  SECTION("cut off in a member") {
    folder.write("cifar", archive.substr(0, 30000));
    CHECK_THAT(fault_of(folder), Contains("is cut off: 'folder/data_batch_2.bin' has 24584 bytes, but 3376 are left") &&
                                     Contains("byte 26112"));
  }
  SECTION("cut off in a header") {
    folder.write("cifar", archive.substr(0, 700));
    CHECK_THAT(fault_of(folder), Contains("is cut off: its tar data end within a header") && Contains("byte 512"));
  }
  SECTION("cut off in the gzip data") {
    const std::string packed = gzipped(archive);
    folder.write("cifar", packed.substr(0, packed.size() / 2));
    CHECK_THAT(fault_of(folder), Contains("is cut off: its gzip data ends too early"));
  }
  SECTION("a damaged header") {
    std::string damaged = archive;
    damaged[513] ^= 1;
    folder.write("cifar", damaged);
    CHECK_THAT(fault_of(folder), Contains("a header's checksum is wrong") && Contains("byte 512"));
  }
  SECTION("no archive") {
    folder.write("cifar", std::string(2000, 'x'));
    CHECK_THAT(fault_of(folder), Contains("no tar archive"));
  }
  SECTION("an archive of something else") {
    folder.write("cifar", tar_bytes({{"data_batch_1", "pickle"}}));
    CHECK_THAT(fault_of(folder), Contains("holds no CIFAR data") && Contains("the binary version is wanted"));
  }
  SECTION("a file missing") {
    Files files = ten();
    files.pop_back();
    folder.write("cifar", tar_bytes(files));
    CHECK_THAT(fault_of(folder), Contains("'test_batch.bin' is missing"));
  }
  SECTION("a cut record names the member") {
    Files files = ten();
    files[1].second.pop_back();
    folder.write("cifar", tar_bytes(files));
    CHECK_THAT(fault_of(folder), Contains("cifar(folder/data_batch_2.bin)"));
  }
  SECTION("a bomb") {
    const std::string zeros(std::size_t(1) << 24, '\0');
    std::string bomb;
    const std::string member = gzipped(zeros);
    for (int i = 0; i < 65; ++i) bomb += member;
    folder.write("cifar", bomb);
    CHECK(bomb.size() < (1 << 21));
    CHECK_THAT(fault_of(folder), Contains("unpacks to more than 1073741824 bytes"));
  }
}

TEST_CASE("channels are left out", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  const Dataset d = load_ten(folder, R"(,"channels":[2,0],"scale":1)");
  CHECK(d.schema.input() == std::vector<std::int64_t>{2, 32, 32});
  for (const std::int64_t row : {0, 17, 43}) {
    CHECK(d.inputs[0].number(row, 0) == float(row));            // red
    CHECK(d.inputs[0].number(row, 32 * 32) == float(row + 2));  // blue, in the images' order
  }
  CHECK_THAT(fault_of(folder, R"(,"channels":[3])"), Contains("channels: there is no channel 3 | 0 to 2"));
  CHECK_THAT(fault_of(folder, R"(,"channels":[1,1])"), Contains("named twice"));
  CHECK_THAT(fault_of(folder, R"(,"channels":[])"), Contains("no channel is left"));
  CHECK_THAT(fault_of(folder, R"(,"channels":[0,1,2])"), Contains("has no effect"));
}

TEST_CASE("channels that say nothing keep the shape", "[dataset][cifar]") {
  const DataFolder folder;
  write_ten(folder);
  const Dataset plain = load_ten(folder, R"(,"scale":1)");
  const Dataset d = load_ten(folder, R"(,"scale":1,"replace":{"0":"mean","2":"permute"})");
  double sum = 0;
  for (const std::int64_t row : d.train) sum += double(row);
  std::vector<float> blue;
  int moved = 0;
  for (const std::int64_t row : d.train) {
    CHECK(d.inputs[0].number(row, 5) == Approx(sum / double(d.train.size())));
    CHECK(d.inputs[0].number(row, 32 * 32) == float(row + 1));
    blue.push_back(d.inputs[0].number(row, 2 * 32 * 32 + 7) - 2);
    moved += blue.back() != float(row);
  }
  std::sort(blue.begin(), blue.end());
  CHECK(blue == std::vector<float>(d.train.begin(), d.train.end()));
  CHECK(moved > 25);
  CHECK(plain.train == d.train);
  const Dataset standard = load_ten(folder, R"(,"standardise":true,"replace":{"0":"mean"})");
  CHECK(standard.inputs[0].number(3, 0) == Approx(0).margin(1e-6));
  CHECK_THAT(fault_of(folder, R"(,"replace":{"red":"mean"})"),
             Contains("replace.red: there is no channel 'red' | 0 to 2"));
  CHECK_THAT(fault_of(folder, R"(,"replace":{"1":"zero"})"), Contains("mean, or permute"));
}

TEST_CASE("new records are pixels and labels as those of training", "[dataset][cifar][fresh]") {
  const DataFolder folder;
  write_ten(folder);
  folder.write("new.bin", records(7, 3));
  const Json data = located(section(R"({"op":"cifar","path":"cifar"})"), folder.where());
  const Fresh fresh = load_fresh(data, {.files = {{"path", (folder.path() / "new.bin").string()}}}, 7);
  const Dataset known = load(data, {}, 7);
  CHECK(fresh.dataset.test == std::vector<std::int64_t>{0, 1, 2});
  CHECK(fresh.dataset.targets.indices() == std::vector<std::int64_t>{7, 8, 9});
  for (const int pixel : {0, 1023, 1024, 3071})
    CHECK(fresh.dataset.inputs[0].number(2, pixel) == known.inputs[0].number(9, pixel));
}

}  // namespace cifar_test
