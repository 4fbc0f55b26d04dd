// SPDX-License-Identifier: Apache-2.0
// Names that plugins cannot have are those of dlrun's own kinds.
#include "plugin/taken.hpp"

#include "pruners/kinds.hpp"
#include "samplers/sampler.hpp"
#include "spec/executor_section.hpp"
#include "support/catch.hpp"

namespace taken_test {

using namespace dlrun;
using namespace dlrun::plugin;

TEST_CASE("no plugin takes the name of a built-in sampler or pruner", "[spec][plugin]") {
  for (const std::string& name : samplers::sampler_names()) CHECK(is_built_in(Kind::sampler, name));
  for (const std::string& name : pruners::pruner_names()) CHECK(is_built_in(Kind::pruner, name));
  CHECK_FALSE(is_built_in(Kind::pruner, "random"));
}

TEST_CASE("no plugin takes the name of a built-in executor", "[spec][plugin]") {
  const options::Key key = spec::executor_key();
  CHECK(key.words == std::vector<std::string>{"local", "slurm"});
  for (const std::string& word : key.words) CHECK(is_built_in(Kind::executor, word));
}

}  // namespace taken_test
