// SPDX-License-Identifier: Apache-2.0
// Words that name trials.
#include "report/selectors.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace selectors_test {

using namespace dlrun;

TEST_CASE("selectors name trials", "[report][selectors]") {
  CHECK(report::parse_trials("17").first == 17);
  CHECK(report::parse_trials("17").past == 18);
  CHECK(report::parse_trials("17").study.empty());
  CHECK(report::parse_trials("my-study/3-7").study == "my-study");
  CHECK(report::parse_trials("my-study/3-7").past == 8);
  CHECK(report::parse_trials("last").is_last);
  CHECK(report::parse_trials("s/last").is_last);
  CHECK(report::parse_trials("best").is_best);
  for (const char* word : {"", "x", "-1", "7-3", "1-", "/3", "s/", "1.5", "0-999999999", "99999999999999999999"}) {
    INFO(word);
    CHECK_THROWS_AS(report::parse_trials(word), Error);
  }
}

}  // namespace selectors_test
