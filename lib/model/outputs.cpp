// SPDX-License-Identifier: Apache-2.0
#include "model/outputs.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "model/shape.hpp"
#include "util/edit_distance.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

/// A name stands between the dots of val.NAME.accuracy.
bool is_output_name(const std::string& name) { return is_good_name(name) && name.find('.') == std::string::npos; }

/// The layer of one output. @return empty where there is none, with a fault.
std::string node_of(const Json& from, const std::string& path, const Names& names, const Scope& top, Faults& faults) {
  if (!from.is_string()) {
    faults.add({path, fmt::format("an output must name a layer, but is {}", quoted(from)),
                "outputs: {species: head1, size: {from: head2}}"});
    return {};
  }
  const auto name = from.get<std::string>();
  std::string node = names.find(name, top);
  if (node.empty()) {
    faults.add({path, fmt::format("there is no layer '{}'", name), hint_for_name(name, names.all())});
    return names.find(nearest_name(name, names.all()), top);  // the nearest name is probably meant
  }
  if (names.is_input(node)) {
    faults.add({path, fmt::format("'{}' is an input, not a layer", name), "an output is what a layer gives"});
    return {};
  }
  return node;
}

Output read_output(const std::string& name, const Json& written, const Names& names, const Scope& top, Faults& faults) {
  const std::string path = "outputs." + name;
  Output output{name, {}, false};
  if (!written.is_object()) return output.node = node_of(written, path, names, top, faults), output;
  check_keys(written, {"from", "target", "auxiliary"}, path, "an output", faults);
  if (!written.contains("from")) {
    faults.add({path, fmt::format("the output '{}' needs 'from'", name), "from: the layer that gives it"});
  } else {
    output.node = node_of(written["from"], path + ".from", names, top, faults);
  }
  const Json auxiliary = written.value("auxiliary", Json(false)), target = written.value("target", Json(""));
  if (!auxiliary.is_boolean()) faults.add({path + ".auxiliary", "'auxiliary' must be true or false"});
  if (!target.is_string()) faults.add({path + ".target", "'target' must be the name of one"});
  output.is_auxiliary = auxiliary == true;
  return output;
}

void check_apart(const std::vector<Output>& outputs, Faults& faults) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (outputs[k].node != outputs[i].node || outputs[i].node.empty()) continue;
      faults.add({"outputs." + outputs[i].name,
                  fmt::format("the outputs '{}' and '{}' are of one layer, '{}'", outputs[k].name, outputs[i].name,
                              outputs[i].node),
                  "give each output a layer of its own"});
    }
  }
  const bool is_measured =
      outputs.empty() || std::any_of(outputs.begin(), outputs.end(), [](const Output& o) { return !o.is_auxiliary; });
  if (!is_measured) faults.add({"outputs", "all outputs are auxiliary, nothing would be measured"});
}

}  // namespace

std::vector<Output> read_outputs(const Json& written, const Names& names, const Scope& top, Faults& faults) {
  std::vector<Output> outputs;
  if (!written.is_object() || written.empty()) {
    faults.add({"outputs", "'outputs' must map names to layers", "outputs: {species: head1, size: head2}"});
    return outputs;
  }
  for (const auto& [name, from] : written.items()) {
    if (!is_output_name(name)) {
      faults.add({"outputs." + name, fmt::format("an output cannot be named {}", quoted(Json(name))),
                  "letters, digits, _ and -"});
      continue;
    }
    outputs.push_back(read_output(name, from, names, top, faults));
  }
  check_apart(outputs, faults);
  std::erase_if(outputs, [](const Output& output) { return output.node.empty(); });
  return outputs;
}

std::map<std::string, std::set<std::string>> readers(const std::vector<Draft>& drafts,
                                                     const std::vector<Output>& outputs) {
  std::map<std::string, std::set<std::string>> result;
  for (const Output& output : outputs) result[output.node] = {output.name};
  const auto is_output = [&](const std::string& node) {
    return std::any_of(outputs.begin(), outputs.end(), [&](const Output& output) { return output.node == node; });
  };
  for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
    const std::set<std::string> own = result[draft->name];
    for (const std::string& input : draft->inputs) {
      if (!is_output(input)) result[input].insert(own.begin(), own.end());
    }
  }
  return result;
}

namespace {

void fault_width(const Node& last, std::int64_t width, Faults& faults) {
  faults.add_first(
      {last.path,
       fmt::format("the model's output '{}' is {}, but the loss needs {} outputs", last.name, to_text(last.out), width),
       fmt::format("end with {{op: linear, out: {}}}", width)});
}

/// Rejects an output whose width or shape the loss cannot compare with the data's targets.
void check_output(const Node& last, const Expected& expected, Faults& faults) {
  if (last.out.empty()) return;
  const bool is_classifier = expected.classes > 0;
  std::vector<std::int64_t> widths = expected.output_widths;
  if (widths.empty()) widths = {is_classifier ? expected.classes : expected.targets};
  Shape wanted = expected.target_shape;
  wanted.push_back(0);
  for (auto width = widths.rbegin(); width != widths.rend(); ++width) {
    wanted.back() = *width;
    if (last.out == wanted) return;
  }
  if (!is_classifier && wanted.back() != expected.targets) return fault_width(last, wanted.back(), faults);
  const std::int64_t width = wanted.back();
  const char* word = is_classifier ? "classes" : "targets";
  if (wanted.size() > 1) {
    return faults.add_first({last.path,
                             fmt::format("the model's output '{}' is {}, but the data has {} classes at each of {} "
                                         "positions: {}",
                                         last.name, to_text(last.out), width, wanted[0], to_text(wanted)),
                             fmt::format("end with {{op: linear, out: {}}} over the positions", word)});
  }
  faults.add_first(
      {last.path,
       fmt::format("the model's output '{}' is {}, but the data has {} {}", last.name, to_text(last.out), width, word),
       last.op == "linear" && last.out.size() == 1
           ? fmt::format("write `out: {}`", word)
           : fmt::format("end with {{op: flatten}} and {{op: linear, out: {}}}", word)});
}

}  // namespace

void check_outputs(const Graph& graph, Faults& faults) {
  for (const Output& output : graph.outputs) {
    const Node* node = graph.find(output.node);
    if (node != nullptr) check_output(*node, graph.interface.expected(output.name), faults);
  }
}

}  // namespace dlrun::model
