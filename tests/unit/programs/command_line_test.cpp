// SPDX-License-Identifier: Apache-2.0
#include "programs/command_line.hpp"

#include "support/catch.hpp"
#include "util/error.hpp"

namespace command_line_test {

using namespace dlrun;
using namespace dlrun::programs;
using Texts = std::vector<std::string>;

namespace {

const TemplateValues kValues{{{"lr", 0.1}, {"opt", "sgd"}, {"width", 64}, {"path", "a b'c"}},
                             {{"lr", ""}, {"opt", ""}, {"width", ""}, {"path", ""}, {"mom", ""}},
                             {{"seed", 7}, {"folder", "/a b"}, {"lr", "none"}, {"mom", "none"}}};

}  // namespace

TEST_CASE("a command's arguments are filled in", "[programs]") {
  CHECK(expand_arguments({"train.py", "--lr={lr}", "{opt}-{width}"}, kValues) ==
        Texts{"train.py", "--lr=0.1", "sgd-64"});
  CHECK(expand_arguments({"${args}"}, kValues) == Texts{"--lr=0.1", "--opt=sgd", "--path=a b'c", "--width=64"});
  CHECK(expand_arguments({"{{\"a\": {lr}}}"}, kValues) == Texts{"{\"a\": 0.1}"});
}

TEST_CASE("an argument may name what is ours, where no parameter has the name", "[programs]") {
  CHECK(expand_arguments({"--seed={seed}", "{lr}", "{mom}"}, kValues) == Texts{"--seed=7", "0.1"});
  CHECK(expand_arguments({"cd {folder}"}, kValues, true) == Texts{"cd '/a b'"});
}

TEST_CASE("an argument whose parameter is not active is left out", "[programs]") {
  CHECK(expand_arguments({"x", "--mom={mom}", "y"}, kValues) == Texts{"x", "y"});
}

TEST_CASE("values are quoted for the shell", "[programs]") {
  CHECK(expand_arguments({"run {path} ${HOME} > out"}, kValues, true) == Texts{"run 'a b'\\''c' ${HOME} > out"});
  CHECK_THAT(expand_arguments({"run ${args}"}, kValues, true).at(0), Contains("'--path=a b'\\''c' '--width=64'"));
}

// The first of two braces was taken for the shell's, and the second opened a parameter.
TEST_CASE("variables of the shell are left to it", "[programs]") {
  const auto script = [](const std::string& text) { return expand_arguments({text}, kValues, true).at(0); };
  CHECK(script("echo ${{HOME}}") == "echo ${HOME}");
  CHECK(script("echo ${A:-${B}} {{ {lr} }}") == "echo ${A:-${B}} { '0.1' }");
  CHECK(script("echo ${A:-{lr}}") == "echo ${A:-'0.1'}");
  CHECK(script("echo ${{A:-${{B}}}}") == "echo ${A:-${B}}");
}

TEST_CASE("a template that makes no sense is refused", "[programs]") {
  CHECK_THROWS_WITH(expand_arguments({"{l}"}, kValues), Contains("names '{l}', which is no parameter"));
  CHECK_THROWS_WITH(expand_arguments({"{lr"}, kValues), Contains("does not close"));
}

}  // namespace command_line_test
