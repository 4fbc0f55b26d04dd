// SPDX-License-Identifier: Apache-2.0
#include "dataset/date.hpp"

#include "support/catch.hpp"

namespace date_test {

using namespace dlrun::dataset;

TEST_CASE("a date is its days since 1970", "[dataset][date]") {
  const auto [text, days] = GENERATE(table<std::string, double>({{"1970-01-01", 0},
                                                                 {"1970-01-02", 1},
                                                                 {"1969-12-31", -1},
                                                                 {"2000-02-29", 11016},
                                                                 {"2026-01-31", 20484},
                                                                 {"0001-01-01", -719162},
                                                                 {"2026-01-31 12:00", 20484.5},
                                                                 {"2026-01-31T06:00:00", 20484.25},
                                                                 {"2026-01-31T06:00:00Z", 20484.25},
                                                                 {"2026-01-31T06:00:00+06:00", 20484},
                                                                 {"2026-01-31 18:00:00-06:00", 20485},
                                                                 {"1970-01-01 00:00:00.5", 0.5 / 86400}}));
  INFO(text);
  REQUIRE(parse_date(text).has_value());
  CHECK(*parse_date(text) == days);
}

TEST_CASE("what is no date is none", "[dataset][date]") {
  const auto* text = GENERATE("", "2026", "2026-1-31", "2026-01-32", "2026-02-29", "1900-02-29", "0000-01-01",
                              "2026-13-01", "26-01-31", "31.01.2026", "2026-01-31 ", "2026-01-31x", "2026-01-31 24:00",
                              "2026-01-31 12", "2026-01-31 12:60", "2026-01-31 12:00:60", "2026-01-31 12:00:00.",
                              "2026-01-31 12:00 +01:00", "2026-01-31 12:00+0100", "-026-01-31");
  INFO(text);
  CHECK_FALSE(parse_date(text).has_value());
}

}  // namespace date_test
