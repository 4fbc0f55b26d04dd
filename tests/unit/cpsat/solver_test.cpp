// SPDX-License-Identifier: Apache-2.0
#include "cpsat/solver.hpp"

#include <fstream>

#include "cpsat/library.hpp"
#include "support/catch.hpp"
#include "support/cpsat.hpp"
#include "support/temp_folder.hpp"
#include "util/error.hpp"

namespace dlrun::cpsat {

// Three jobs of 3, 4 and 5 on two machines: 7 at best, 12 on one.
TEST_CASE("CP-SAT schedules jobs on two machines", "[cpsat]") {
  const auto solver = support::cpsat_solver();
  if (!solver) return;
  Model model;
  const Variable end = model.variable({0, 20});
  std::vector<Literal> is_on_first;
  std::vector<int> first, second;
  for (const std::int64_t length : {3, 4, 5}) {
    const Variable begin = model.variable({0, 20});
    is_on_first.push_back(model.literal());
    first.push_back(model.interval(begin, length, is_on_first.back()));
    second.push_back(model.interval(begin, length, no(is_on_first.back())));
    model.require_sum({{1, end}, {-1, begin}}, {.least = length});
  }
  model.require_no_overlap(first);
  model.require_no_overlap(second);
  model.minimize(end);
  const Answer answer = solver->solve(model, {});
  CHECK(answer.least == 7);
  REQUIRE(!answer.values.empty());
  CHECK(answer.values[std::size_t(end)] == 7);
  CHECK(solver->solve(model, {}).values == answer.values);
  for (const Literal literal : is_on_first) model.require_any({literal});
  CHECK(solver->solve(model, {}).least == 12);
  model.require_any({no(is_on_first.front())});
  CHECK(solver->solve(model, {}).is_impossible);
}

TEST_CASE("a library that is none is refused with what to do", "[cpsat]") {
  CHECK_THROWS_AS(Solver("/nowhere/libortools.so.9"), Error);
  CHECK_THROWS_AS(Solver("libc.so.6"), Error);
  CHECK(install_hint().find("third_party/install --only-solver") == 0);
}

TEST_CASE("the library is found where it is chosen, in environments and in the cache", "[cpsat]") {
  const support::TempFolder folder;
  const auto put = [&](const std::string& place) {
    const auto file = folder.path() / place / "ortools/.libs/libortools.so.9";
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "library";
    return file;
  };
  libtorch::Surroundings around;
  CHECK(find_library("", around).empty());
  around.cache = folder.path() / "cache";
  const auto cached = put("cache/ortools-9.15");
  CHECK(find_library("", around) == cached);
  around.venv = folder.path() / "venv";
  const auto in_venv = put("venv/lib/python3.11/site-packages");
  CHECK(find_library("", around) == in_venv);
  CHECK(find_library(cached.parent_path(), around) == cached);
  CHECK(find_library(cached, around) == cached);
}

}  // namespace dlrun::cpsat
