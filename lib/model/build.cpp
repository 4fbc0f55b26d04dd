// SPDX-License-Identifier: Apache-2.0
// build(): the model's inputs, then expressions, names and wiring, then shapes, then what only the whole graph can say.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "model/declared.hpp"
#include "model/expand.hpp"
#include "model/faults.hpp"
#include "model/infer.hpp"
#include "model/let.hpp"
#include "model/outputs.hpp"
#include "model/shape.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

bool is_shape(const Json& value) {
  if (!value.is_array() || value.empty() || value.size() > 4) return false;
  for (const Json& size : value) {
    if (!size.is_number_integer() || size < 1 || size > kMostElements) return false;
  }
  return elements(value.get<Shape>()) <= kMostElements;
}

/// `input: {x: [1, 8, 8]}` is an assertion where the data has an `x`, and the truth where there is no data.
void read_input(const std::string& name, const Json& written, const Interface& data, Interface& interface,
                Faults& faults) {
  if (written == Json::array({"auto"})) return;
  const std::string path = "input." + name;
  if (!is_shape(written)) {
    return faults.add({path, fmt::format("{} is no shape", quoted(written)),
                       "one to four sizes without the batch, e.g. [1, 28, 28]"});
  }
  const auto known = data.inputs.find(name);
  const Shape shape = written.get<Shape>();
  if (known == data.inputs.end() && !data.inputs.empty()) {
    return faults.add(
        {path, fmt::format("the data has no input '{}'", name),
         fmt::format("it has '{}' {}", data.inputs.begin()->first, to_text(data.inputs.begin()->second.shape))});
  }
  if (known != data.inputs.end() && known->second.shape != shape) {
    const bool is_view = elements(known->second.shape) == elements(shape);
    return faults.add(
        {path, fmt::format("the data's input '{}' is {}, not {}", name, to_text(known->second.shape), to_text(shape)),
         is_view ? fmt::format("to see it so, begin with {{op: reshape, shape: {}}}", to_text(shape)) : ""});
  }
  interface.inputs[name].shape = shape;
}

Interface read_interface(const Json& model, const Interface& data, Faults& faults) {
  Interface interface = data;
  const auto input = model.find("input");
  if (input != model.end() && !input->is_object()) {
    faults.add({"input", "'input' must map names to shapes", "e.g. input: {x: [1, 28, 28]}"});
  } else if (input != model.end()) {
    for (const auto& [name, shape] : input->items()) read_input(name, shape, data, interface, faults);
  }
  if (interface.inputs.empty() && !faults.any())
    faults.add({"input", "the model has no input", "e.g. input: {x: [1, 28, 28]}"});
  return interface;
}

std::vector<std::string> names_of(const std::map<std::string, Input>& inputs) {
  std::vector<std::string> names;
  for (const auto& [name, input] : inputs) names.push_back(name);
  return names;
}

/// Is every `from` known? Else what it meant to read would be called unused.
bool is_wired(const Graph& graph) {
  const auto is_known = [](const Node& node) {
    return std::find(node.inputs.begin(), node.inputs.end(), std::string()) == node.inputs.end();
  };
  return !graph.outputs.empty() && std::all_of(graph.nodes.begin(), graph.nodes.end(), is_known);
}

/// A value that nobody reads is a mistake in the wiring.
void check_used(const Graph& graph, Faults& faults) {
  std::set<std::string> used;
  for (const Output& output : graph.outputs) used.insert(output.node);
  for (const Node& node : graph.nodes) used.insert(node.inputs.begin(), node.inputs.end());
  for (const auto& [name, input] : graph.interface.inputs) {
    if (used.count(name) == 0) faults.add({"nodes", fmt::format("nothing reads the input '{}'", name)});
  }
  for (const Node& node : graph.nodes) {
    if (used.count(node.name) > 0) continue;
    faults.add_first(
        {node.path, fmt::format("nothing reads the output of '{}'", node.name),
         graph.outputs.front().name.empty()
             ? fmt::format(
                   "name it in the `from` of a later layer, or remove it; the model's output is the last layer, "
                   "'{}'",
                   graph.outputs.front().node)
             : "name it in the `from` of a later layer or among the `outputs`, or remove it"});
  }
}

void check_total(const Graph& graph, Faults& faults) {
  if (graph.parameters() > kMostElements)
    faults.add({"nodes", "the model has more than 2^31 parameters", "make its layers narrower"});
}

Declared read_declared(const Json& model, const Interface& interface, Faults& faults) {
  Declared declared;
  if (!model.is_object()) {
    faults.add({"", "the model must be a map", "model: {nodes: [...]}"});
    return declared;
  }
  check_keys(model, {"input", "let", "nodes", "outputs"}, "", "a model", faults);
  declared.interface = read_interface(model, interface, faults);
  declared.input = model.value("input", Json());
  declared.outputs = model.value("outputs", Json());
  const auto nodes = model.find("nodes");
  if (nodes == model.end() || !nodes->is_array()) {
    faults.add({nodes == model.end() ? "" : "nodes", "a model needs 'nodes', a list of layers",
                "e.g. nodes: [{name: head, op: linear, out: classes}]"});
    return declared;
  }
  declared.plan = expand(with_let(model, faults), names_of(declared.interface.inputs), declared.outputs, faults);
  return declared;
}

Graph infer_all(const Declared& declared, Faults& faults) {
  Graph graph;
  graph.interface = declared.interface;
  graph.outputs = declared.plan.outputs;
  graph.nodes = infer(declared.plan, graph.interface, faults);
  if (is_wired(graph)) check_used(graph, faults);
  check_outputs(graph, faults);
  check_total(graph, faults);
  return graph;
}

}  // namespace

Declared declare(const Json& model, const Interface& interface) {
  Faults faults(nullptr);
  return read_declared(model, interface, faults);
}

Graph build(const Declared& declared, std::vector<ModelError>* sink) {
  Faults faults(sink);
  return infer_all(declared, faults);
}

Graph build(const Json& model, const Interface& interface, std::vector<ModelError>* sink) {
  Faults faults(sink);
  const Declared declared = read_declared(model, interface, faults);
  const bool has_nodes = model.is_object() && model.contains("nodes") && model["nodes"].is_array();
  if (has_nodes) return infer_all(declared, faults);
  Graph graph;
  graph.interface = declared.interface;
  return graph;
}

}  // namespace dlrun::model
