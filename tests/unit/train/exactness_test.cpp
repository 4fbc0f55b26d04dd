// SPDX-License-Identifier: Apache-2.0
// The walk: going on from any checkpoint equals never having stopped, bit by bit, for everything a trial can be made
// of; and the same trial gives the same bits in another process, after other trials and beside others.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "recipe/metric_kinds.hpp"
#include "train/config.hpp"
#include "unit/train/walk_cases.hpp"
#include "unit/train/walk_variations.hpp"

namespace exactness_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

void check(const std::vector<Walk>& walks) {
  for (const Walk& walk : walks) {
    check_every_cut(walk);
    check_beside_another(walk);
  }
}

std::vector<Walk> all_walks() {
  std::vector<Walk> walks;
  for (auto* table : {optimizer_walks, layer_walks, data_walks, loss_walks, output_walks, option_walks,
                      optimizer_options, schedule_options, loss_options, batch_option_walks, warm_walks}) {
    for (Walk& walk : table()) walks.push_back(std::move(walk));
  }
  return walks;
}

void collect_ops(const Json& json, std::set<std::string>& ops) {
  if (json.is_object() && json.contains("op")) ops.insert(json["op"].get<std::string>());
  if (json.is_structured()) {
    for (const Json& part : json) collect_ops(part, ops);
  }
}

/// The ops a section of the walks' trials names.
std::set<std::string> walked(const std::vector<Walk>& walks, const char* section) {
  std::set<std::string> ops;
  for (const Walk& walk : walks) collect_ops(walk.trial.value(section, Json()), ops);
  return ops;
}

/// What this program prints as the ends of all walks, run again with them in this order.
std::map<std::string, std::string> ends_of_another_process(const char* order) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command = std::string("DLRUN_WALK_ORDER=") + order + " '" + self + "' '[ends]' 2>&1";
  std::FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::map<std::string, std::string> ends;
  std::array<char, 2000> line{};
  while (std::fgets(line.data(), int(line.size()), pipe) != nullptr) {
    const std::string text = line.data();
    if (text.starts_with("end ")) ends[text.substr(69)] = text.substr(4, 64);
  }
  REQUIRE(::pclose(pipe) == 0);
  return ends;
}

}  // namespace

TEST_CASE("any checkpoint leads to the same end: every optimiser with every schedule", "[train][walk]") {
  const std::vector<Walk> walks = optimizer_walks();
  for (const std::string& op : options::names(recipe::optimizer_key().variants))
    CHECK(walked(walks, "optimizer").contains(op));
  for (const std::string& op : options::names(recipe::schedule_key().variants))
    CHECK(walked(walks, "schedule").contains(op));
  check(walks);
}

TEST_CASE("any checkpoint leads to the same end: every layer kind", "[train][walk]") {
  const std::vector<Walk> walks = layer_walks();
  for (const options::Variant& kind : model::layer_kinds()) {
    INFO(kind.name << " is not walked");
    CHECK(walked(walks, "model").contains(kind.name));
  }
  check(walks);
}

TEST_CASE("any checkpoint leads to the same end: augmentation and samplers", "[train][walk]") {
  const std::vector<Walk> walks = data_walks();
  std::set<std::string> ops;
  for (const Walk& walk : walks) collect_ops(section_of(walk), ops);
  for (const options::Key& option : walked_options()) {
    for (const options::Variant& kind : kinds_of(option)) {
      INFO(kind.name << " is not walked");
      CHECK(ops.contains(kind.name));
    }
  }
  check(walks);
}

TEST_CASE("any checkpoint leads to the same end: every loss with every metric", "[train][walk]") {
  const std::vector<Walk> walks = loss_walks();
  std::set<std::string> measured;
  for (const Walk& walk : walks) measured.insert(walk.trial["metrics"].begin(), walk.trial["metrics"].end());
  for (const std::string& metric : recipe::metric_names()) {
    INFO(metric << " is not walked");
    CHECK(measured.contains(metric));
  }
  check(walks);
}

TEST_CASE("any checkpoint leads to the same end: every key of a trial, each at another value", "[train][walk]") {
  check(option_walks());
}

TEST_CASE("any checkpoint leads to the same end: every key of every optimiser", "[train][walk]") {
  check(optimizer_options());
}

TEST_CASE("any checkpoint leads to the same end: every key of every schedule", "[train][walk]") {
  check(schedule_options());
}

TEST_CASE("any checkpoint leads to the same end: every key of every loss", "[train][walk]") { check(loss_options()); }

TEST_CASE("any checkpoint leads to the same end: every key of augmentation and samplers", "[train][walk]") {
  check(batch_option_walks());
}

TEST_CASE("any checkpoint leads to the same end: weights of others, by every policy", "[train][walk]") {
  check(warm_walks());
}

TEST_CASE("any checkpoint leads to the same end: several outputs", "[train][walk]") { check(output_walks()); }

TEST_CASE("the same trial ends in the same bits in another process, in another order", "[train][walk]") {
  const std::map<std::string, std::string> forth = ends_of_another_process("forth"),
                                           back = ends_of_another_process("back");
  CHECK(forth.size() == all_walks().size());
  CHECK(forth == back);
}

TEST_CASE("prints the ends of all walks", "[.][ends]") {
  std::vector<Walk> walks = all_walks();
  const char* order = std::getenv("DLRUN_WALK_ORDER");
  if (order != nullptr && std::string(order) == "back") std::reverse(walks.begin(), walks.end());
  for (const Walk& walk : walks) {
    std::printf("end %s %s\n", Sha256::hex_of(finish(*begin(walk))).c_str(), to_text(walk.name).c_str());
  }
}

}  // namespace exactness_test
