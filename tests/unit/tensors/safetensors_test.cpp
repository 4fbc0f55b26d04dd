// SPDX-License-Identifier: Apache-2.0
#include "tensors/safetensors.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace safetensors_test {

using namespace dlrun;
using namespace dlrun::tensors;

namespace {

std::string file_of(const std::string& header, const std::string& data = {}, std::uint64_t length = 0) {
  std::string file;
  const std::uint64_t size = length ? length : header.size();
  for (int i = 0; i < 8; ++i) file += char(size >> (8 * i) & 255);
  return file + header + data;
}

std::string fault_of(const std::string& file) {
  try {
    SafeTensors(file, "x");
  } catch (const Error& fault) {
    return fault.what();
  }
  return "none";
}

const std::string kFour(4, '\1'), kEight(8, '\1');
const std::string kGood = R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";

std::string sample() {
  const std::vector<float> a = {1, 2, 3}, b = {4};
  const std::int64_t c = 5;
  const auto bytes = [](const auto& v) {
    return std::string_view(reinterpret_cast<const char*>(v.data()), v.size() * sizeof v[0]);
  };
  return write_safetensors({{"b", "F32", {1, 1}, bytes(b)},
                            {"a", "F32", {3}, bytes(a)},
                            {"c", "I64", {}, {reinterpret_cast<const char*>(&c), 8}},
                            {"none", "F32", {0, 3}, {}}},
                           {{"format", "test"}});
}

}  // namespace

TEST_CASE("tensors come back as they were written", "[train][safetensors]") {
  const SafeTensors file(sample(), "x");
  REQUIRE(file.tensors().size() == 4);
  CHECK(file.metadata().at("format") == "test");
  CHECK(file.find("a")->shape == std::vector<std::int64_t>{3});
  CHECK(reinterpret_cast<const float*>(file.find("a")->bytes.data())[2] == 3);
  CHECK(*reinterpret_cast<const std::int64_t*>(file.find("c")->bytes.data()) == 5);
  CHECK(file.find("c")->shape.empty());
  CHECK(file.find("none")->bytes.empty());
  CHECK_FALSE(file.find("d"));
}

TEST_CASE("the layout is the reference writer's: great types first, header padded to eight", "[train][safetensors]") {
  const std::string file = sample();
  std::uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | std::uint8_t(file[std::size_t(i)]);
  CHECK(length % 8 == 0);
  CHECK(file[8] == '{');
  CHECK_THAT(file, Contains(R"("c":{"data_offsets":[0,8],"dtype":"I64","shape":[]})"));
  CHECK(file.size() == 8 + length + 8 + 12 + 4);
  CHECK(sample() == file);
}

TEST_CASE("a sound file of another writer is read", "[train][safetensors]") {
  CHECK(fault_of(file_of(kGood, kFour)) == "none");
  CHECK(fault_of(file_of(kGood + "   ", kFour)) == "none");
  CHECK(fault_of(file_of("{}")) == "none");
}

TEST_CASE("every single flipped bit is found, if only because the checksum is gone", "[train][safetensors]") {
  const std::string good = sample();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = char(bad[i] ^ 4);
    if (good[i] == ' ') continue;  // padding
    INFO(i);
    CHECK((fault_of(bad) != "none" || !SafeTensors(bad, "x").has_checksum()));
  }
  CHECK(SafeTensors(good, "x").has_checksum());
}

TEST_CASE("every truncation is found", "[train][safetensors]") {
  const std::string good = sample();
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size);
    CHECK(fault_of(good.substr(0, size)) != "none");
  }
}

TEST_CASE("what the format does not allow is refused with a reason", "[train][safetensors]") {
  const auto check = [](const std::string& file, const std::string& reason) {
    CHECK_THAT(fault_of(file), Contains(reason));
  };
  check("", "shorter than 8 bytes");
  check(file_of(kGood, kFour, 100'000'001), "over the limit of 100 MB");
  check(file_of(kGood, "", 99'000'000), "truncated within the header");
  check(file_of(" {}"), "does not begin with '{'");
  check(file_of("{\"a\":"), "is no JSON");
  check(
      file_of(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
          kEight),
      "has 'a' twice");
  check(file_of(R"({"a":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}})", kFour), "has 'dtype' twice");
  check(file_of("{\"a\":" + std::string(100000, '[')), "nests too deep");
  check(file_of(R"({"a":{"dtype":"F99","shape":[1],"data_offsets":[0,4]}})", kFour), "unknown type 'F99'");
  check(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", kFour), "does not fit its shape");
  check(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", kFour), "past the end");
  check(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", kFour), "past the end");
  check(file_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", kFour), "malformed");
  check(file_of(R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", kFour), "malformed");
  check(file_of(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", kFour),
        "impossible shape");
  check(file_of(R"({"a":{"shape":[1],"data_offsets":[0,4]}})", kFour), "malformed");
  check(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", kFour), "malformed");
  check(
      file_of(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
          kFour),
      "overlaps or leaves a hole");
  check(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", kEight), "leaves a hole");
  check(file_of(kGood, kEight), "belong to no tensor");
  check(file_of(R"({"__metadata__":{"a":1}})"), "is no text");
  check(file_of(R"({"__metadata__":[]})"), "is no object");
  check(file_of("[]"), "does not begin with '{'");
}

TEST_CASE("a file that is written in parts has the tensors at multiples of their size", "[tensors]") {
  const std::string one(3, 'a'), eight(16, 'b');
  std::vector<TensorView> views{{"one", "U8", {3}, one}, {"eight", "I64", {2}, eight}};
  std::string file = order_for_writing(views, {{"key", "value"}});
  for (const TensorView& view : views) file += view.bytes;
  const Header header = read_header(file);
  REQUIRE(header.tensors.size() == 2);
  CHECK(header.metadata == Metadata{{"key", "value"}});
  for (const TensorView& view : header.tensors) {
    CHECK(view.bytes == (view.name == "one" ? one : eight));
    CHECK(std::size_t(view.bytes.data() - file.data()) % size_of(view.dtype) == 0);
  }
}

}  // namespace safetensors_test
