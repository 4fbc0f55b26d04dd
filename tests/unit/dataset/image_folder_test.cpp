// SPDX-License-Identifier: Apache-2.0
// op: image_folder on folders of small images.
#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace image_folder_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

std::string image(const std::string& name) { return read_file(DLRUN_SOURCE_DIR "/tests/golden/images/" + name); }

Dataset load_folder(const DataFolder& folder, const std::string& more = "") {
  return load(section((R"({"op":"image_folder","path":"images")" + more + "}").c_str()), folder.where(), 7);
}

std::string fault_of(const DataFolder& folder, const std::string& more = "") {
  try {
    load_folder(folder, more);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint() + " | " + fault.place();
  }
  return "no fault";
}

/// `count` images of each of two classes.
void write_classes(const DataFolder& folder, const std::string& in, int count) {
  for (int i = 0; i < count; ++i) {
    folder.write(in + "/cat/" + std::to_string(i) + ".jpg", image("rgb.jpg"));
    folder.write(in + "/dog/" + std::to_string(i) + ".PNG", image("rgb.png"));
  }
}

}  // namespace

TEST_CASE("a folder for each class is a data set", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images", 20);
  const Dataset d = load_folder(folder);
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 21, 34});
  CHECK(d.schema.class_names == std::vector<std::string>{"cat", "dog"});
  CHECK(d.schema.train == 28);
  CHECK(d.schema.val == 6);
  CHECK(d.schema.test == 6);
  CHECK(d.targets.index(19) == 0);
  CHECK(d.targets.index(20) == 1);
  // The PNG's red rises from left to right, its green from top to bottom.
  CHECK(d.inputs[0].index(20, 33) == 255);
  CHECK(d.inputs[0].index(20, 20 * 34) == 0);
  CHECK(d.inputs[0].index(20, 21 * 34 + 20 * 34) == 255);
}

TEST_CASE("a class may be called train", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images", 10);
  for (int i = 0; i < 10; ++i) folder.write("images/train/" + std::to_string(i) + ".jpg", image("rgb.jpg"));
  const Dataset d = load_folder(folder);
  CHECK(d.schema.class_names == std::vector<std::string>{"cat", "dog", "train"});
  CHECK(d.schema.train == 21);
}

TEST_CASE("a folder train that may be a class or a split is refused", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images/train", 10);
  folder.write("images/notes/about.txt", "no image");
  CHECK(load_folder(folder).schema.class_names == std::vector<std::string>{"cat", "dog"});
  folder.write("images/bus/1.jpg", image("rgb.jpg"));
  CHECK_THAT(fault_of(folder), Contains("may be the training split, or a class beside 'bus'"));
  write_classes(folder, "images/val", 2);
  CHECK(load_folder(folder).schema.class_names == std::vector<std::string>{"cat", "dog"});
}

TEST_CASE("folders for the splits set their images aside", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images/train", 10);
  write_classes(folder, "images/test", 3);
  const Dataset two = load_folder(folder, R"(,"split":{"val":0.2})");
  CHECK(two.schema.train == 16);
  CHECK(two.schema.val == 4);
  CHECK(two.test.front() == 20);
  CHECK_THAT(fault_of(folder, R"(,"split":{"test":0.2})"), Contains("split.test: 'test' has no effect"));
  write_classes(folder, "images/val", 2);
  const Dataset three = load_folder(folder);
  CHECK(three.schema.train == 20);
  CHECK(three.val == std::vector<std::int64_t>{20, 21, 22, 23});
  CHECK(three.schema.test == 6);
  CHECK_THAT(fault_of(folder, R"(,"split":{"val":0.2})"), Contains("split.val: 'val' has no effect"));
  folder.write("images/test/bird/1.png", image("rgb.png"));
  CHECK_THAT(fault_of(folder), Contains("the class \"bird\" is not among the training folder's"));
}

TEST_CASE("images come to one size and to one channel", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images", 5);
  folder.write("images/dog/grey.jpg", image("grey.jpg"));
  CHECK(load_folder(folder, R"(,"size":8)").schema.input() == std::vector<std::int64_t>{3, 8, 8});
  const Dataset grey = load_folder(folder, R"(,"size":[6,9],"fit":"stretch","colour":"grey")");
  CHECK(grey.schema.input() == std::vector<std::int64_t>{1, 6, 9});
  CHECK(grey.inputs[0].width == 54);
}

TEST_CASE("the same folder gives the same data, wherever it lies", "[dataset][image_folder]") {
  const DataFolder one, two;
  write_classes(one, "images", 8);
  write_classes(two, "images", 8);
  const Dataset a = load_folder(one, R"(,"limit":6)"), b = load_folder(two, R"(,"limit":6)");
  CHECK(a.schema.sha256 == b.schema.sha256);
  CHECK(a.inputs[0].numbers() == b.inputs[0].numbers());
  CHECK(a.targets.examples == 6);
  two.write("images/cat/3.jpg", image("progressive.jpg"));
  CHECK(load_folder(two).schema.sha256 != load_folder(one).schema.sha256);
}

namespace {

/// A grey image of one column.
std::string strip(std::uint32_t height) {
  std::string png = "\x89PNG\r\n\x1a\n";
  const auto word = [](std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) bytes += char(value >> shift);
    return bytes;
  };
  const auto add = [&](const std::string& type, const std::string& data) {
    const std::string body = type + data;
    png += word(std::uint32_t(data.size())) + body;
    png += word(std::uint32_t(::crc32(0, reinterpret_cast<const Bytef*>(body.data()), uInt(body.size()))));
  };
  const std::string rows(2 * height, '\0');
  std::string packed(::compressBound(rows.size()), '\0');
  uLongf size = packed.size();
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), rows.size());
  add("IHDR", word(1) + word(height) + std::string("\x08\0\0\0\0", 5));
  add("IDAT", packed.substr(0, size));
  add("IEND", "");
  return png;
}

}  // namespace

TEST_CASE("a strip that would have to grow without end is refused", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images", 1);
  folder.write("images/cat/-.png", strip(2000));  // the first that is read
  CHECK_THROWS_WITH(load_folder(folder, R"(,"size":[4096,4096])"),
                    Contains("-.png' is too thin (2000 x 1) to fill 4096 x 4096"));
  write_classes(folder, "images", 5);
  CHECK(load_folder(folder, R"(,"size":4)").schema.input() == std::vector<std::int64_t>{3, 4, 4});
}

TEST_CASE("faults of an image folder name the file", "[dataset][image_folder]") {
  const DataFolder folder;
  write_classes(folder, "images", 4);
  SECTION("an empty class") {
    std::filesystem::create_directories(folder.path() / "images/eel");
    CHECK_THAT(fault_of(folder), Contains("the class 'eel' is empty"));
  }
  SECTION("a cut off file") {
    folder.write("images/cat/1.jpg", image("rgb.jpg").substr(0, 500));
    CHECK_THAT(fault_of(folder), Contains("images/cat/1.jpg' is a damaged JPEG"));
  }
  SECTION("a text that is called an image") {
    folder.write("images/cat/1.jpg", "hello");
    CHECK_THAT(fault_of(folder), Contains("images/cat/1.jpg' is neither JPEG nor PNG"));
  }
  SECTION("another format") {
    folder.write("images/cat/x.gif", "GIF89a");
    CHECK_THAT(fault_of(folder), Contains("x.gif' is neither JPEG nor PNG"));
  }
  SECTION("another size") {
    folder.write("images/dog/9.png", image("palette.png").substr(0, 16) + std::string("\0\0\0\x22", 4));
    CHECK_THAT(fault_of(folder), Contains("9.png"));
  }
  SECTION("one class") {
    std::filesystem::remove_all(folder.path() / "images/dog");
    CHECK_THAT(fault_of(folder), Contains("has 1 folder"));
  }
  SECTION("options without effect") {
    CHECK_THAT(fault_of(folder, R"(,"fit":"crop")"), Contains("no effect without 'size'"));
    CHECK_THAT(fault_of(folder, R"(,"limit_test":5)"), Contains("there is no folder 'test'"));
  }
  SECTION("a file instead of a folder") {
    folder.write("file", "x");
    CHECK_THAT(fault_of(folder, R"(,"path":"file")"), Contains("is a file, not a folder"));
  }
}

}  // namespace image_folder_test
