// SPDX-License-Identifier: Apache-2.0
// Whatever is left out of whatever model: it is refused by a code, its shapes no longer fit, or there is a model.
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "ablation/refused.hpp"
#include "ablation/rewrite.hpp"
#include "random_graph.hpp"
#include "support/catch.hpp"
#include "support/seeds.hpp"

namespace drops_test {

using namespace dlrun;
using namespace dlrun::ablation;
using model::Declared;

namespace {

/// How often each end came: "E202", …, "E215", "built".
using Ends = std::map<std::string, int>;

void check_model(const Declared& model, const model::Graph& graph) {
  std::set<std::string> known;
  for (const auto& [name, input] : model.interface.inputs) known.insert(name);
  for (const model::Node& node : graph.nodes) {
    for (const std::string& input : node.inputs) REQUIRE(known.contains(input));
    REQUIRE_FALSE(node.out.empty());
    known.insert(node.name);
  }
  const model::Graph again = model::build(model::write(model, graph), model.interface);
  REQUIRE(model::structural_hash(again) == model::structural_hash(graph));
}

std::string end_of(Declared model, const std::function<void(Declared&)>& leave_out) {
  std::vector<model::ModelError> faults;
  try {
    leave_out(model);
    prune(model);
    const model::Graph graph = model::build(model, &faults);
    if (faults.empty()) check_model(model, graph);
  } catch (const Refused& fault) {
    REQUIRE(std::regex_search(fault.what(), std::regex("^E2\\d\\d: .")));
    return std::string(fault.what()).substr(0, 4);
  }
  for (const model::ModelError& fault : faults) REQUIRE_FALSE(std::string(fault.what()).empty());
  return faults.empty() ? "built" : "E215";
}

/// Every single drop, and some together.
void leave_out_all(const Declared& model, RandomStream random, Ends& ends) {
  std::vector<std::string> names;
  for (const model::Draft& draft : model.plan.nodes) names.push_back(draft.name);
  const auto one = [&] { return names[random.below(names.size())]; };
  const auto end = [&](const std::function<void(Declared&)>& leave_out) { ++ends[end_of(model, leave_out)]; };
  for (const model::Draft& draft : model.plan.nodes) {
    CAPTURE(draft.name);
    end([&](Declared& rest) { drop(rest, {draft.name}); });
    for (const std::string& input : draft.inputs) end([&](Declared& rest) { drop_edge(rest, input, draft.name); });
    end([&](Declared& rest) { drop_between(rest, one(), draft.name); });
    end([&](Declared& rest) { drop(rest, {draft.name, one(), one()}); });
  }
  for (const model::Block& block : model.plan.blocks) {
    CAPTURE(block.name);
    end([&](Declared& rest) { drop_branch(rest, block.name + ".body"); });
    end([&](Declared& rest) { drop_branch(rest, block.name + ".shortcut"); });
  }
}

}  // namespace

TEST_CASE("every drop from a random model is refused by code, or there is a model", "[property][ablation]") {
  Ends ends;
  std::set<std::string> ops;
  test::for_seeds(300, [&](std::uint64_t seed) {
    const RandomGraph graph(seed);
    if (!graph.is_sound()) return;
    ++ends["sound"];
    CAPTURE(seed, graph.model().dump());
    const Declared model = model::declare(graph.model(), graph.interface());
    for (const model::Draft& draft : model.plan.nodes) ops.insert(draft.op);
    REQUIRE(end_of(model, [](Declared&) {}) == "built");
    leave_out_all(model, RandomStream(seed, {"drops"}), ends);
  });
  CHECK(ops.size() > 60);  // nearly all the registry has
  CHECK(ends["sound"] > 150);
  for (const char* end : {"built", "E201", "E202", "E206", "E207", "E208", "E215", "E216"}) {
    CAPTURE(end);
    CHECK(ends[end] > 0);
  }
}

}  // namespace drops_test
