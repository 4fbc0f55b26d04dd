// SPDX-License-Identifier: Apache-2.0
// Exceptions of a plugin get its name; lack of memory stays what it is.
#include <ATen/ATen.h>
#include <c10/util/Exception.h>

#include <stdexcept>

#include "nn/guarded.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace guarded_test {

using namespace dlrun;

namespace {

/// The text of an Error(usage) that the call ends with.
template <class Fault>
std::string usage_fault(Fault&& fault) {
  try {
    nn::guarded("it", [&]() -> int { throw fault; });
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

c10::Error torch_fault(const std::string& text) { return {{"function", "file", 1}, text}; }

}  // namespace

TEST_CASE("a call that returns gives its value, and runs under the plugin's name", "[contracts][guarded]") {
  CHECK(nn::guarded("it", [] { return std::string(plugin::name_of_running()); }) == "it");
  CHECK(plugin::name_of_running() == nullptr);
}

TEST_CASE("a plugin's exception is told in one line with its name", "[contracts][guarded]") {
  CHECK(usage_fault(std::runtime_error("the wind has turned")) == "plugin 'it': the wind has turned");
  CHECK(usage_fault(std::out_of_range("one\ntwo\nthree")) == "plugin 'it': one");
  CHECK(usage_fault(torch_fault("sizes differ\nand a long story")) == "plugin 'it': sizes differ");
  CHECK(usage_fault(42) == "plugin 'it': an exception of unknown type");
  CHECK(plugin::name_of_running() == nullptr);
}

TEST_CASE("an error of dlrun's own passes as it is", "[contracts][guarded]") {
  CHECK_THROWS_WITH(nn::guarded("it", []() -> int { throw Error(ErrorKind::outside, "the disk is full"); }),
                    "the disk is full");
}

TEST_CASE("lack of memory stays lack of memory", "[contracts][guarded]") {
  CHECK_THROWS_AS(nn::guarded("it", []() -> int { throw std::bad_alloc(); }), std::bad_alloc);
  const auto thrown = [](const c10::Error& fault) { nn::guarded("it", [&]() -> int { throw fault; }); };
  for (const char* text : {"[enforce fail] DefaultCPUAllocator: can't allocate memory", "there is not enough memory"}) {
    CHECK_THROWS_AS(thrown(torch_fault(text)), c10::Error);
    CHECK_THROWS_WITH(thrown(torch_fault(text)), Contains(text) && Contains("in the code of plugin 'it'"));
  }
  const auto device = []() -> int { throw c10::OutOfMemoryError({"function", "file", 1}, "none left on the device"); };
  CHECK_THROWS_AS(nn::guarded("it", device), c10::OutOfMemoryError);
  CHECK_THROWS_WITH(nn::guarded("it", device), Contains("in the code of plugin 'it'"));
}

}  // namespace guarded_test
