// SPDX-License-Identifier: Apache-2.0
// op: npy, npz and safetensors on files that numpy wrote (tests/golden/arrays/make.py), and damaged forms of them.
#include <cmath>

#include "files.hpp"
#include "support/catch.hpp"
#include "util/files.hpp"

namespace arrays_test {

using namespace dlrun;
using namespace dlrun::dataset;
using Catch::Matchers::Contains;

namespace {

const std::string kArrays = DLRUN_SOURCE_DIR "/tests/golden/arrays/";

Dataset load_arrays(const std::string& text, const DataFolder& folder) {
  Locations where = folder.where();
  where.folders.push_back(kArrays);
  return load(section(text.c_str()), where, 7);
}

std::string fault_of(const std::string& text, const DataFolder& folder) {
  try {
    load_arrays(text, folder);
  } catch (const DataError& fault) {
    return fault.path() + ": " + fault.what() + " | " + fault.hint() + " | " + fault.place();
  }
  return "no fault";
}

std::string npy_section(const std::string& inputs, const std::string& more = "") {
  return R"({"op":"npy","inputs":")" + inputs + R"(","targets":"labels.npy")" + more + "}";
}

std::string npz_section(const std::string& file, const std::string& more = "") {
  return R"({"op":"npz","path":")" + file + R"(","inputs":{"x":"features","adjacency":"adjacency"},"targets":"label")" +
         more + "}";
}

/// A file of safetensors with this header, `length` bytes of it promised.
std::string tensors(const std::string& header, std::uint64_t length, std::size_t data) {
  std::string bytes;
  for (int i = 0; i < 8; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes + header + std::string(data, '\0');
}

std::string tensor_fault(const DataFolder& folder, const std::string& bytes) {
  folder.write("t.safetensors", bytes);
  return fault_of(R"({"op":"safetensors","path":"t.safetensors","inputs":"x","targets":"y"})", folder);
}

}  // namespace

TEST_CASE("npy files of every type, order and version hold the same numbers", "[dataset][arrays]") {
  const DataFolder folder;
  const std::string order = GENERATE("little_", "big_", "fortran_");
  for (const char* type : {"f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"}) {
    INFO(order << type);
    const Dataset d = load_arrays(npy_section(order + type + ".npy"), folder);
    CHECK(d.schema.input() == std::vector<std::int64_t>{2});
    CHECK(d.inputs[0].numbers() == std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
    CHECK(d.schema.classes == 3);
  }
  CHECK(load_arrays(npy_section("version_2.npy"), folder).inputs[0].number(5, 1) == 11);
  CHECK(load_arrays(npy_section("version_3.npy"), folder).inputs[0].number(5, 1) == 11);
  CHECK(load_arrays(npy_section("b1.npy"), folder).inputs[0].indices()[3] == 1);
}

TEST_CASE("a Fortran array of three sizes is turned round", "[dataset][arrays]") {
  const DataFolder folder;
  const Dataset d = load_arrays(npy_section("fortran_3d.npy"), folder);
  CHECK(d.schema.input() == std::vector<std::int64_t>{3, 2});
  for (int i = 0; i < 36; ++i) CHECK(d.inputs[0].number(i / 6, i % 6) == float(i));
}

TEST_CASE("archives give several inputs by name", "[dataset][arrays]") {
  const DataFolder folder;
  const std::string file = GENERATE("stored.npz", "deflated.npz", "tensors.safetensors");
  std::string text = npz_section(file);
  if (file == "tensors.safetensors") text.replace(text.find("npz"), 3, "safetensors");
  const Dataset d = load_arrays(text, folder);
  REQUIRE(d.schema.inputs.size() == 2);
  CHECK(d.schema.inputs[0].name == "adjacency");
  CHECK(d.schema.inputs[0].shape == std::vector<std::int64_t>{5, 5});
  CHECK(d.schema.inputs[1].name == "x");
  CHECK(d.schema.inputs[1].shape == std::vector<std::int64_t>{5, 3});
  CHECK(d.inputs[0].element == Element::u8);
  CHECK(d.inputs[0].number(7, 6) == 1);
  CHECK(d.inputs[0].number(7, 7) == 0);
  CHECK(d.inputs[1].number(19, 14) == 299);
  CHECK(d.schema.train == 14);
  CHECK(d.targets.index(3) == 1);
}

TEST_CASE("arrays are indices, or standardised by name", "[dataset][arrays]") {
  const DataFolder folder;
  const Dataset indexed = load_arrays(npy_section("little_i4.npy", R"(,"indices":"x")"), folder);
  CHECK(indexed.schema.inputs[0].vocabulary == 12);
  CHECK_THAT(fault_of(npy_section("little_f4.npy", R"(,"indices":"x")"), folder), Contains("no whole numbers"));
  CHECK_THAT(fault_of(npy_section("little_f4.npy", R"(,"indices":"z")"), folder), Contains("there is no input \"z\""));
  const Dataset d = load_arrays(npz_section("stored.npz", R"(,"standardise":["x"])"), folder);
  double sum = 0, squares = 0;
  for (const std::int64_t row : d.train) {
    for (int i = 0; i < 15; ++i) sum += d.inputs[1].number(row, i), squares += std::pow(d.inputs[1].number(row, i), 2);
  }
  CHECK(sum / (14 * 15) == Approx(0).margin(1e-6));
  CHECK(std::sqrt(squares / (14 * 15)) == Approx(1));
  CHECK(d.inputs[0].number(7, 6) == 1);
}

TEST_CASE("numbers of arrays are divided, and shifted only where they are standardised", "[dataset][arrays]") {
  const DataFolder folder;
  const Dataset d = load_arrays(npy_section("little_f4.npy", R"(,"scale":2)"), folder);
  CHECK(d.inputs[0].number(0, 0) == 0);
  CHECK(d.inputs[0].number(5, 1) == 5.5);
}

TEST_CASE("a test split may be arrays of its own", "[dataset][arrays]") {
  const DataFolder folder;
  const Dataset d = load_arrays(npy_section("little_f4.npy", R"(,"test_inputs":"version_2.npy",
    "test_targets":"labels.npy","split":{"val":0.5})"),
                                folder);
  CHECK(d.schema.train == 3);
  CHECK(d.test == std::vector<std::int64_t>{6, 7, 8, 9, 10, 11});
  CHECK(d.inputs[0].number(11, 1) == 11);
  CHECK_THAT(fault_of(npy_section("little_f4.npy", R"(,"test_inputs":"version_2.npy")"), folder),
             Contains("given together"));
}

TEST_CASE("values and labels at positions are targets too", "[dataset][arrays]") {
  const DataFolder folder;
  const std::string f4 = R"({"op":"npy","inputs":"little_f4.npy","targets":)";
  const Dataset values = load_arrays(f4 + R"("little_f8.npy"})", folder);
  CHECK(values.schema.classes == 0);
  CHECK(values.schema.targets == 2);
  CHECK(values.targets.number(5, 1) == 11);
  const Dataset places = load_arrays(f4 + R"("little_i8.npy"})", folder);
  CHECK(places.schema.target_shape == std::vector<std::int64_t>{2});
  CHECK(places.schema.classes == 12);
}

TEST_CASE("arrays that cannot be read are refused by name", "[dataset][arrays]") {
  const DataFolder folder;
  CHECK_THAT(fault_of(npy_section("objects.npy"), folder), Contains("is of type \"|O\""));
  CHECK_THAT(fault_of(npy_section("structured.npy"), folder), Contains("structured type"));
  CHECK_THAT(fault_of(npy_section("stored.npz"), folder), Contains("does not begin as an npy file"));
  std::string bytes = read_file(kArrays + "little_f4.npy");
  SECTION("cut off in the header") {
    folder.write("a.npy", bytes.substr(0, 60));
    const std::string fault = fault_of(npy_section("a.npy"), folder);
    CHECK_THAT(fault, Contains("ends inside its header | it is cut off | ") && Catch::Matchers::EndsWith("byte 60"));
  }
  SECTION("cut off") {
    folder.write("a.npy", bytes.substr(0, bytes.size() - 4));
    CHECK_THAT(fault_of(npy_section("a.npy"), folder), Contains("promises 48 bytes of numbers, but has 44"));
  }
  SECTION("NaN") {
    bytes.replace(bytes.size() - 12, 4, std::string("\0\0\xc0\x7f", 4));
    folder.write("a.npy", bytes);
    CHECK_THAT(fault_of(npy_section("a.npy"), folder), Contains("has NaN in example 4, number 1"));
  }
  SECTION("the file of the targets") {
    folder.write("t.npy", bytes.substr(0, bytes.size() - 4));
    const std::string fault = fault_of(R"({"op":"npy","inputs":"little_f4.npy","targets":"t.npy"})", folder);
    CHECK_THAT(fault, Contains("t.npy' promises 48 bytes"));
  }
  SECTION("an order that is no truth value") {
    bytes.replace(bytes.find("False"), 5, "Maybe");
    folder.write("a.npy", bytes);
    CHECK_THAT(fault_of(npy_section("a.npy"), folder), Contains("'fortran_order' that is neither True nor False"));
  }
  SECTION("an endless shape") {
    bytes.replace(bytes.find("(6, 2)"), 6, "(9999999999999,999999999)");
    folder.write("a.npy", bytes);
    CHECK(fault_of(npy_section("a.npy"), folder) != "no fault");
  }
  SECTION("a header of 2^32 - 1 bytes") {
    folder.write("a.npy", std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12) + bytes);
    CHECK_THAT(fault_of(npy_section("a.npy"), folder), Contains("says its header has 4294967295 bytes"));
  }
  SECTION("other counts of examples") {
    CHECK_THAT(fault_of(R"({"op":"npz","path":"stored.npz","inputs":"nothing","targets":"label"})", folder),
               Contains("there is no array \"nothing\""));
  }
}

TEST_CASE("a damaged archive is refused", "[dataset][arrays]") {
  const DataFolder folder;
  std::string bytes = read_file(kArrays + "deflated.npz");
  folder.write("cut.npz", bytes.substr(0, bytes.size() / 2));
  CHECK_THAT(fault_of(npz_section("cut.npz"), folder), Contains("is no npz archive") &&
                                                           Contains("| numpy.savez writes one | ") &&
                                                           Catch::Matchers::EndsWith("cut.npz"));
  bytes[80] ^= 0x10;
  folder.write("flipped.npz", bytes);
  CHECK_THAT(fault_of(npz_section("flipped.npz"), folder), Catch::Matchers::EndsWith("flipped.npz"));
}

TEST_CASE("headers of safetensors that lie are refused", "[dataset][arrays]") {
  const DataFolder folder;
  const std::string x = R"({"x":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)";
  CHECK_THAT(tensor_fault(folder, tensors("{}", std::uint64_t(1) << 63, 0)), Contains("9223372036854775808 bytes"));
  CHECK_THAT(tensor_fault(folder, "abc"), Contains("shorter than 8 bytes"));
  CHECK_THAT(tensor_fault(folder, tensors("{x", 2, 0)), Contains("no JSON"));
  const std::string over = x + R"("y":{"dtype":"U8","shape":[2],"data_offsets":[7,9]}})";
  CHECK_THAT(tensor_fault(folder, tensors(over, over.size(), 9)), Contains("tensor 'y' overlaps"));
  const std::string hole = x + R"("y":{"dtype":"U8","shape":[2],"data_offsets":[9,11]}})";
  CHECK_THAT(tensor_fault(folder, tensors(hole, hole.size(), 11)), Contains("leaves a hole"));
  const std::string size = x + R"("y":{"dtype":"U8","shape":[3],"data_offsets":[8,10]}})";
  CHECK_THAT(tensor_fault(folder, tensors(size, size.size(), 10)), Contains("does not fit its shape"));
  const std::string type = x + R"("y":{"dtype":"F8","shape":[2],"data_offsets":[8,10]}})";
  CHECK_THAT(tensor_fault(folder, tensors(type, type.size(), 10)), Contains("unknown type 'F8'"));
  const std::string negative = x + R"("y":{"dtype":"U8","shape":[-2],"data_offsets":[8,10]}})";
  CHECK_THAT(tensor_fault(folder, tensors(negative, negative.size(), 10)),
             Contains("entry of tensor 'y' is malformed"));
  const std::string deep = R"({"x":{"dtype":"U8","shape":[2,1,1,1,1,1,1,1,1],"data_offsets":[0,2]},)"
                           R"("y":{"dtype":"U8","shape":[2],"data_offsets":[2,4]}})";
  CHECK_THAT(tensor_fault(folder, tensors(deep, deep.size(), 4)), Contains("has 9 dimensions, more than 8"));
  const std::string shorter = x + R"("y":{"dtype":"U8","shape":[2],"data_offsets":[8,10]}})";
  CHECK_THAT(tensor_fault(folder, tensors(shorter, shorter.size(), 7)), Contains("past the end of the file"));
}

}  // namespace arrays_test
