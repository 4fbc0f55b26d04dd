// SPDX-License-Identifier: Apache-2.0
// A RapidCheck property inside a Catch2 test: the counterexample and the seed that replays it become the failure.
#pragma once
#include <rapidcheck.h>

#include <sstream>
#include <string>

#include "support/catch.hpp"

namespace dlrun::test {

template <class Property>
void check_property(Property&& property) {
  const rc::detail::TestResult result = rc::detail::checkTestable(std::forward<Property>(property));
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  INFO(text.str());
  CHECK(result.template is<rc::detail::SuccessResult>());
}

}  // namespace dlrun::test
