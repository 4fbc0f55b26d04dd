// SPDX-License-Identifier: Apache-2.0
// The problems as a C library, so that peers search the very same functions.
#include <map>
#include <string>

#include "search/problems.hpp"
#include "util/json.hpp"

using namespace dlrun;
using namespace dlrun::bench;

namespace {

const Problem& problem(const char* name, std::uint64_t seed) {
  static std::map<std::pair<std::string, std::uint64_t>, Problem> made;
  const std::pair<std::string, std::uint64_t> key(name, seed);
  if (!made.contains(key)) made.emplace(key, make_problem(name, seed));
  return made.at(key);
}

Json described(const space::Parameter& p) {
  Json json = {{"name", p.name}, {"low", p.low}, {"high", p.high}, {"log", p.log}, {"choices", p.choices.size()}};
  json["integer"] = p.type == space::Type::integer;
  if (!p.when.empty()) {
    json["when"] = {p.when[0].parameter, std::get<space::Choice>(p.when[0].any_of[0]).index};
  }
  return json;
}

std::string all_described(const std::vector<std::string>& names) {
  Json all = Json::object();
  for (const std::string& name : names) {
    const Problem made = make_problem(name, 0);
    for (const auto& p : made.space.parameters()) all[name].push_back(described(p));
  }
  return all.dump();
}

}  // namespace

extern "C" {

/// {name: [parameter, …]} of the problems that are tuned on, as JSON.
const char* bench_problems() {
  static const std::string text = all_described(problem_names());
  return text.c_str();
}

/// Likewise, of the others.
const char* bench_other_problems() {
  static const std::string text = all_described(other_problem_names());
  return text.c_str();
}

/// The regret at `point`, laid out as bench::Point.
double bench_regret(const char* name, std::uint64_t seed, const double* point) {
  const Problem& p = problem(name, seed);
  return p.regret(Point(point, point + p.space.size()));
}
}
