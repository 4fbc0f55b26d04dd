// SPDX-License-Identifier: Apache-2.0
#include "util/json_view.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "support/catch.hpp"
#include "util/json.hpp"

namespace json_view_test {

using namespace dlrun;

namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

template <class T>
T value_of(std::string_view text) {
  return read_json(text).get<T>();
}

}  // namespace

TEST_CASE("members are read as what they are", "[json]") {
  const JsonView json = read_json(R"({"b":true,"i":-3,"l":[1,[2],null],"m":{"z":1,"a":"é"},"n":0.1,"t":"a\nb"})");
  CHECK(json.at("b").get<bool>());
  CHECK(json.at("i").get<int>() == -3);
  CHECK(json.at("n").get<double>() == 0.1);
  CHECK(json.at("t").get<std::string>() == "a\nb");
  CHECK(json.at("t") == "a\nb");
  CHECK(json.at("l").list().size() == 3);
  CHECK(json.at("l").at(1).at(0).get<std::uint32_t>() == 2);
  CHECK(json.at("l").at(2).is_null());
  CHECK(json.at("m").items().front().first == "z");
  CHECK(json.at("m").text() == R"({"z":1,"a":"é"})");
  CHECK(json.value("i", 7) == -3);
  CHECK(json.value("other", 7) == 7);
  CHECK(json.list_or_none("other").empty());
}

TEST_CASE("what is missing or of another kind is said", "[json]") {
  const JsonView json = read_json(R"({"t":"text","l":[1]})");
  CHECK_THROWS_WITH(json.at("x"), "'x' is missing");
  CHECK_THROWS_WITH(json.at("l").at(1), Contains("at least 2"));
  CHECK_THROWS_WITH(json.at("t").get<double>(), Contains("a number is wanted"));
  CHECK_THROWS_WITH(json.value("t", 1), Contains("whole number"));
  CHECK_THROWS_WITH(json.at("t").list(), Contains("a list is wanted"));
  CHECK_THROWS_WITH(json.list_or_none("t"), Contains("a list is wanted"));
  CHECK_THROWS_WITH(json.at("l").items(), Contains("a map is wanted"));
  CHECK_THROWS_AS(json.at("l").at("t"), JsonFault);
  CHECK_FALSE(json.at("l").find("t").has_value());
}

TEST_CASE("a whole number out of range or with a fraction is none", "[json]") {
  CHECK(value_of<int>("2147483647") == std::numeric_limits<int>::max());
  CHECK_THROWS_AS(value_of<int>("2147483648"), JsonFault);
  CHECK_THROWS_AS(value_of<std::uint32_t>("-1"), JsonFault);
  CHECK_THROWS_AS(value_of<std::int64_t>("9223372036854775808"), JsonFault);
  CHECK_THROWS_AS(value_of<std::int64_t>("1.0"), JsonFault);
  CHECK(value_of<double>("3") == 3.0);
}

TEST_CASE("real numbers come back bit by bit", "[json]") {
  for (const double number :
       {0.1, 1.0 / 3, 5e-324, 2.2250738585072011e-308, 1.7976931348623157e308, -0.0, 123456789.123}) {
    CHECK(std::bit_cast<std::uint64_t>(value_of<double>(to_text(Json(number)))) ==
          std::bit_cast<std::uint64_t>(number));
  }
}

TEST_CASE("a text that is no JSON is refused", "[json]") {
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\":1e400}", "\"\xff\"", "nan", "[1] 2"}) {
    INFO(text);
    CHECK_THROWS_WITH(read_json(text), Contains("no valid JSON"));
  }
}

TEST_CASE("nesting has a limit, whatever was read before", "[json]") {
  JsonReader reader;
  CHECK_NOTHROW(reader.read(nested(JsonReader::kMaxDepth - 1)));
  CHECK_THROWS_WITH(reader.read(nested(JsonReader::kMaxDepth + 1)), Contains("deeper than 64"));
  CHECK_NOTHROW(reader.read("\"" + std::string(1000000, 'x') + "\""));  // its memory grows
  CHECK_THROWS_WITH(reader.read(nested(500000)), Contains("deeper than 64"));
}

TEST_CASE("texts of any length stay inside their memory", "[json]") {
  JsonReader reader;
  for (std::size_t size = 1; size < 200; ++size) {
    const std::string text = "\"" + std::string(size, 'x') + "\"";
    const std::unique_ptr<char[]> exact(new char[text.size()]);
    std::copy(text.begin(), text.end(), exact.get());
    CHECK(reader.read({exact.get(), text.size()}).get<std::string>().size() == size);
  }
}

}  // namespace json_view_test
