// SPDX-License-Identifier: Apache-2.0
// Elementary functions beside mpmath's true values, and the bits that every processor must give. arithmetic/generate
// writes the table; it is made anew only together with a higher arithmetic::kVersion.
#include <cmath>
#include <functional>
#include <map>
#include <sstream>
#include <vector>

#include "support/catch.hpp"
#include "util/arithmetic.hpp"
#include "util/files.hpp"

namespace arithmetic_test {

using namespace dlrun;

namespace {

struct Row {
  std::string function;
  std::vector<double> arguments;
  double value = 0;
  long double exact = 0;
};

Row row_of(const std::string& line) {
  std::istringstream words(line);
  Row row;
  words >> row.function;
  std::vector<std::string> numbers;
  for (std::string word; words >> word;) numbers.push_back(word);
  row.exact = std::strtold(numbers.back().c_str(), nullptr);
  numbers.pop_back();
  for (const std::string& number : numbers) row.arguments.push_back(std::strtod(number.c_str(), nullptr));
  row.value = row.arguments.back();
  row.arguments.pop_back();
  return row;
}

std::vector<Row> table() {
  std::istringstream lines(read_file(DLRUN_ARITHMETIC, 1 << 20));
  std::vector<Row> rows;
  for (std::string line; std::getline(lines, line);) rows.push_back(row_of(line));
  return rows;
}

/// The distance of two doubles there.
long double ulp_at(long double value) {
  const double size = std::abs(static_cast<double>(value));
  return static_cast<long double>(std::nextafter(size, HUGE_VAL)) - size;
}

double computed(const Row& row) {
  using One = double (*)(double);
  using Two = double (*)(double, double);
  static const std::map<std::string, One> one = {
      {"exp", arithmetic::exp},   {"exp2", arithmetic::exp2},   {"expm1", arithmetic::expm1}, {"log", arithmetic::log},
      {"log2", arithmetic::log2}, {"log1p", arithmetic::log1p}, {"sin", arithmetic::sin},     {"cos", arithmetic::cos},
      {"asin", arithmetic::asin}, {"acos", arithmetic::acos},   {"erfc", arithmetic::erfc}};
  static const std::map<std::string, Two> two = {
      {"pow", arithmetic::pow}, {"atan2", arithmetic::atan2}, {"hypot", arithmetic::hypot}};
  return row.arguments.size() == 1 ? one.at(row.function)(row.arguments[0])
                                   : two.at(row.function)(row.arguments[0], row.arguments[1]);
}

}  // namespace

TEST_CASE("each function has the bits of the table, within an ulp of the true value", "[golden][arithmetic]") {
  const std::vector<Row> rows = table();
  REQUIRE(rows.size() > 1500);
  for (const Row& row : rows) {
    CAPTURE(row.function, row.arguments);
    CHECK(computed(row) == row.value);
    CHECK(std::signbit(computed(row)) == std::signbit(row.value));
    const double bound = row.function == "erfc" ? 1.5 : 1;
    CHECK(std::abs(row.value - row.exact) <= bound * ulp_at(row.exact));
  }
}

TEST_CASE("erf is 1 - erfc", "[golden][arithmetic]") {
  for (const Row& row : table()) {
    if (row.function == "erfc") CHECK(arithmetic::erf(row.arguments[0]) == 1 - row.value);
  }
}

TEST_CASE("many numbers at a time have the bits of one at a time", "[golden][arithmetic]") {
  struct Function {
    std::string name;
    void (*many)(std::span<double>);
    double (*one)(double);
  };
  const Function function =
      GENERATE(Function{"exp", arithmetic::exp, arithmetic::exp}, Function{"log", arithmetic::log, arithmetic::log},
               Function{"erfc", arithmetic::erfc, arithmetic::erfc});
  std::vector<double> numbers;
  for (const Row& row : table()) {
    if (row.function == function.name) numbers.push_back(row.arguments[0]);
  }
  for (const double special : {0.0, -0.0, 1e-310, -746.0, 800.0, -HUGE_VAL, HUGE_VAL}) numbers.push_back(special);
  numbers.resize(numbers.size() / 4 * 4 + 3, 0.5);  // a rest of two and one beside registers of four
  const std::vector<double> arguments = numbers;
  function.many(numbers);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CAPTURE(function.name, arguments[i]);
    CHECK((numbers[i] == function.one(arguments[i]) ||
           (std::isnan(numbers[i]) && std::isnan(function.one(arguments[i])))));
  }
}

TEST_CASE("many exponentials in single precision have the bits of one at a time", "[golden][arithmetic]") {
  std::vector<float> floats;
  for (const Row& row : table()) {
    if (row.function == "exp") floats.push_back(static_cast<float>(row.arguments[0]));
  }
  REQUIRE(floats.size() % 4 != 0);  // a rest that fills no register
  const std::vector<float> arguments = floats;
  arithmetic::exp(floats);
  for (std::size_t i = 0; i < floats.size(); ++i) {
    CAPTURE(arguments[i]);
    float one = arguments[i];
    arithmetic::exp({&one, 1});
    CHECK(floats[i] == one);
  }
}

}  // namespace arithmetic_test
