// SPDX-License-Identifier: Apache-2.0
// Policies of pages: scripts by their hashes.
#include "page/policy.hpp"

#include "support/catch.hpp"

namespace policy_test {

using namespace dlrun::page;

TEST_CASE("a script is named by its hash, as in the examples of the standard", "[page][policy]") {
  // Content Security Policy Level 2, section 7.17.2; also by: printf … | openssl dgst -sha256 -binary | base64
  CHECK(script_source("alert('Hello, world.');") == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='");
}

TEST_CASE("line ends count as browsers read them", "[page][policy]") {
  CHECK(script_source("a\r\nb\rc\r") == script_source("a\nb\nc\n"));
  CHECK(script_source("a\nb") != script_source("ab"));
}

TEST_CASE("a page runs its own scripts, and no other", "[page][policy]") {
  CHECK_THAT(file_policy(""), Contains("script-src " + script_source(own_script()) + ";"));
  CHECK_THAT(file_policy("x"), Contains("script-src " + script_source(own_script()) + " " + script_source("x") + ";"));
  CHECK_THAT(live_policy(), Contains("script-src 'self' " + script_source(own_script()) + ";"));
  for (const std::string& policy : {file_policy("x"), live_policy()})
    CHECK_THAT(policy.substr(policy.find("script-src")), !Contains("unsafe-inline"));
}

}  // namespace policy_test
