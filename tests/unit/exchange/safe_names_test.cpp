// SPDX-License-Identifier: Apache-2.0
// Names for MLflow: its rules are those of mlflow/utils/validation.py, version 3.17.
#include "exchange/safe_names.hpp"

#include "support/catch.hpp"

namespace safe_names_test {

using namespace dlrun::exchange;
using Pairs = std::vector<std::pair<std::string, std::string>>;

TEST_CASE("names that MLflow accepts stay", "[exchange][mlflow]") {
  const SafeNames names({"val.accuracy", "train/loss", "lr:0", "größe 2", "a-b_c"});
  CHECK(names.renamed().empty());
  CHECK(names.of("train/loss") == "train/loss");
}

TEST_CASE("characters that MLflow refuses become underscores", "[exchange][mlflow]") {
  const SafeNames names({"a\"b", "a,b\n", "\U0001f600", "x(1)"});
  CHECK(names.renamed() == Pairs{{"a\"b", "a_b"}, {"a,b\n", "a_b_"}, {"x(1)", "x_1_"}, {"\U0001f600", "_"}});
}

TEST_CASE("no name leaves its folder", "[exchange][mlflow]") {
  const SafeNames names({"../../etc/passwd", "/tmp/x", "a//b", ".", "..", "a/./b", "b/", ""});
  CHECK(names.of("../../etc/passwd") == "___.._etc_passwd");
  CHECK(names.of("/tmp/x") == "_tmp_x");
  CHECK(names.of("a//b") == "a__b");
  CHECK(names.of("a/./b") == "a_._b");
  CHECK(names.of("b/") == "b_");
  CHECK(names.of(".") == "_");
  CHECK(names.of("..") == "__");
  CHECK(names.of("") == "-e3b0c442");  // the first digits of the SHA-256 of nothing
}

TEST_CASE("a name that is the folder of another one keeps its place", "[exchange][mlflow]") {
  const SafeNames names({"loss", "loss/val", "loss_val", "a/b/c", "a/b"});
  CHECK(names.of("loss") == "loss");
  CHECK(names.of("loss_val") == "loss_val");
  CHECK(names.of("loss/val").substr(0, 9) == "loss_val-");
  CHECK(names.of("a/b") == "a/b");
  CHECK(names.of("a/b/c") == "a_b_c");
}

TEST_CASE("long names are cut, and stay different", "[exchange][mlflow]") {
  const std::string text(10'000, 'x');
  const SafeNames names({text + "1", text + "2"});
  CHECK(names.of(text + "1").size() == 159);
  CHECK(names.of(text + "1") != names.of(text + "2"));
}

TEST_CASE("names that are refused do not take the place of those that are not", "[exchange][mlflow]") {
  const SafeNames names({"a!", "a_", "a?"});
  CHECK(names.of("a_") == "a_");
  CHECK(names.of("a!") != names.of("a?"));
}

}  // namespace safe_names_test
