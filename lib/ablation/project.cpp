// SPDX-License-Identifier: Apache-2.0
#include "ablation/project.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ablation/refused.hpp"
#include "model/shape.hpp"

namespace dlrun::ablation {

namespace {

using model::Declared;
using model::Draft;
using model::Graph;
using model::Shape;

Graph inferred(const Declared& model) {
  std::vector<model::ModelError> faults;
  return model::build(model, &faults);
}

std::vector<Draft>::iterator place_of(Declared& model, const std::string& name) {
  auto& nodes = model.plan.nodes;
  return std::find_if(nodes.begin(), nodes.end(), [&](const Draft& draft) { return draft.name == name; });
}

/// Every reader of `end` that stays reads `stand`, which reads `end`.
void insert_after(Declared& model, const std::string& end, const std::string& stand,
                  const std::set<std::string>& gone) {
  const auto turn = [&](std::string& name) {
    if (name == end) name = stand;
  };
  for (Draft& draft : model.plan.nodes) {
    if (gone.contains(draft.name)) continue;
    std::for_each(draft.inputs.begin(), draft.inputs.end(), turn);
    turn(draft.match);
  }
  for (model::Output& output : model.plan.outputs) turn(output.node);
  for (model::Block& block : model.plan.blocks) {
    for (std::string* one : {&block.input, &block.value, &block.body, &block.shortcut}) turn(*one);
  }
  Draft identity{.name = stand, .op = "identity", .inputs = {end}, .written = Json{{"op", "identity"}}};
  model.plan.nodes.insert(place_of(model, end) + 1, std::move(identity));
}

/// The layer that maps the first size, or of a sequence of vectors the last.
Json mapping(const Shape& from, const Shape& to) {
  static const char* const kConvolutions[] = {"conv1d", "conv2d", "conv3d"};
  const bool is_vector = to.size() == 1 || (to.size() == 2 && from[0] == to[0]);
  if (is_vector) return {{"op", "linear"}, {"out", to.back()}, {"bias", false}};
  return {{"op", kConvolutions[to.size() - 2]}, {"out", to[0]}, {"k", 1}, {"bias", false}};
}

bool has_other_sizes(const Shape& from, const Shape& to) {
  return to.size() > 2 && !std::equal(from.begin() + 1, from.end(), to.begin() + 1);
}

void require_projectable(const std::string& end, const Shape& from, const Shape& to) {
  constexpr std::size_t kMostSizes = 4;
  const bool is_sequence = to.size() == 2 && from.size() == 2;
  const bool fits = from.size() == to.size() && !to.empty() && to.size() <= kMostSizes &&
                    (!is_sequence || from[0] == to[0] || from[1] == to[1]);
  if (fits) return;
  throw Refused("E215",
                from.empty() || to.empty() ? fmt::format("the shapes before and after '{}' are not known", end)
                                           : fmt::format("no projection leads from {} to {}, which '{}' gives",
                                                         model::to_text(from), model::to_text(to), end),
                "drop more of what follows, so that both have as many sizes");
}

/// Makes the identity `stand` what leads from one shape to the other.
void project(Declared& model, const std::string& end, const std::string& stand, const Shape& from, const Shape& to) {
  require_projectable(end, from, to);
  const bool pools = has_other_sizes(from, to), maps = from[0] != to[0] || to.size() < 3;
  auto node = place_of(model, stand);
  const Json pool{{"op", "adaptive_avgpool"}, {"out", Shape(to.begin() + 1, to.end())}};
  if (pools && maps) {
    Draft before{.name = end + ".pool", .op = "adaptive_avgpool", .inputs = node->inputs, .written = pool};
    node->inputs = {before.name};
    node = model.plan.nodes.insert(node, std::move(before)) + 1;
  }
  node->written = maps ? mapping(from, to) : pool;
  node->op = node->written.at("op").get<std::string>();
}

/// Rewrites the model; where the value of one of `ends` would have another shape then, what read it reads a projection.
std::vector<std::string> projected(Declared& model, const std::vector<std::string>& ends,
                                   const std::set<std::string>& gone, const std::function<void()>& rewrite) {
  const Graph before = inferred(model);
  for (const std::string& end : ends) insert_after(model, end, end + ".proj", gone);
  rewrite();
  std::vector<std::string> notes;
  for (const std::string& end : ends) {
    const std::string stand = end + ".proj";
    const Graph after = inferred(model);  // an earlier end may be read here
    const Shape from = after.find(stand)->in.at(0), to = before.find(end)->out;
    if (from == to) {
      drop(model, {stand});
      continue;
    }
    project(model, end, stand, from, to);
    notes.push_back(
        fmt::format("'{}' is replaced by a linear map, {} to {}", end, model::to_text(from), model::to_text(to)));
  }
  return notes;
}

/// Dropped nodes whose value a remaining node or an output reads.
std::vector<std::string> ends_of(const Declared& model, const std::set<std::string>& gone) {
  std::set<std::string> read;
  for (const Draft& draft : model.plan.nodes) {
    if (!gone.contains(draft.name)) read.insert(draft.inputs.begin(), draft.inputs.end());
  }
  for (const model::Output& output : model.plan.outputs) read.insert(output.node);
  std::vector<std::string> ends;
  for (const Draft& draft : model.plan.nodes) {
    if (gone.contains(draft.name) && read.contains(draft.name)) ends.push_back(draft.name);
  }
  return ends;
}

}  // namespace

std::vector<std::string> drop_projected(Declared& model, const std::vector<std::string>& nodes) {
  const std::set<std::string> gone(nodes.begin(), nodes.end());
  return projected(model, ends_of(model, gone), gone, [&] { drop(model, nodes); });
}

std::vector<std::string> drop_between_projected(Declared& model, const std::string& from, const std::string& to) {
  const Declared before = model;
  const Way way = way_between(model, from, to);
  drop_way(model, way);  // only to see which nodes go; undone below
  std::set<std::string> gone;
  for (const Draft& draft : before.plan.nodes) gone.insert(draft.name);
  for (const Draft& draft : model.plan.nodes) gone.erase(draft.name);
  model = before;
  return projected(model, ends_of(model, gone), gone, [&] { drop_way(model, way); });
}

}  // namespace dlrun::ablation
