// SPDX-License-Identifier: Apache-2.0
#include "model/expand.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/attributes.hpp"
#include "model/item.hpp"
#include "model/layer.hpp"
#include "model/outputs.hpp"
#include "options/form.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

constexpr std::size_t kMostNodes = 10000;
constexpr std::size_t kDeepest = 17;
constexpr double kMostCopies = 1000;

class Expander {
 public:
  Expander(const std::vector<std::string>& inputs, Faults& faults)
      : faults_(faults), names_(inputs, faults), reader_(names_, faults) {}

  /// Adds the nodes of a list; the name of the last one's value.
  std::string add_list(const Json& nodes, const std::string& path, const Scope& scope);
  const Names& names() const { return names_; }
  std::vector<Draft> take_drafts() { return std::move(drafts_); }
  std::vector<Block> take_blocks() { return std::move(blocks_); }
  bool is_full() const { return drafts_.size() >= kMostNodes || lists_ >= 2 * kMostNodes; }

 private:
  std::string add_item(const Item& item);
  std::string add_one(const Item& item);
  std::string add_copies(const Item& item, int count);
  std::string add_group(const Item& item);
  std::string add_repeated(const Item& item, const Json& body, int count, std::string value);
  std::string add_residual(const Item& item);
  std::string add_shortcut(const Item& item, const Json& attributes, const std::string& body);
  std::string add_draft(Draft draft);
  std::string only_input(const Item& item);
  bool has_room(const std::string& path);

  Faults& faults_;
  Names names_;
  ItemReader reader_;
  std::vector<Draft> drafts_;
  std::vector<Block> blocks_;
  std::size_t lists_ = 0;  ///< added so far: nested repeats of nothing must end too
};

bool Expander::has_room(const std::string& path) {
  if (!is_full()) return true;
  faults_.add_first({path, fmt::format("the model has more than {} layers", kMostNodes), "use a smaller `repeat`"});
  return false;
}

std::string Expander::add_list(const Json& nodes, const std::string& path, const Scope& scope) {
  ++lists_;
  if (nodes.empty()) faults_.add({path, "the list of layers is empty", "give it at least one layer"});
  if (scope.prefixes.size() > kDeepest) {
    faults_.add_first({path, "layers are nested too deep", "residuals may stand eight deep in each other"});
    return {};
  }
  std::string previous = scope.input;
  for (std::size_t i = 0; i < nodes.size() && has_room(path); ++i) {
    const std::string place = fmt::format("{}.{}", path, i);
    if (!nodes[i].is_object()) {
      faults_.add(
          {place, fmt::format("a layer must be a map, but is {}", quoted(nodes[i])), "e.g. {name: act1, op: relu}"});
      continue;
    }
    const Item item = reader_.read(nodes[i], place, scope, previous);
    previous = add_item(item);
    names_.bind(item.name, previous);
  }
  return previous;
}

std::string Expander::add_draft(Draft draft) {
  drafts_.push_back(std::move(draft));
  return drafts_.back().name;
}

std::string Expander::add_item(const Item& item) {
  const auto repeat = item.written.find("repeat");
  if (item.op == "group" || repeat == item.written.end()) return add_one(item);
  static const options::Key kRepeat = options::integer("repeat", "copies").from(1).to(kMostCopies);
  if (options::has_form(*repeat, kRepeat)) return add_copies(item, repeat->get<int>());
  faults_.add({item.path + ".repeat", options::describe_misfit(kRepeat, *repeat), ""});
  return add_one(item);
}

/// `repeat` of a layer: NAME.0, NAME.1, …, each of which reads the one before as its first input.
std::string Expander::add_copies(const Item& item, int count) {
  if (!item.role.empty())
    faults_.add({item.path + ".role", "a repeated layer has no role", "give it to a layer after"});
  Item copy = item;
  for (int i = 0; i < count && has_room(item.path); ++i) {
    copy.name = fmt::format("{}.{}", item.name, i);
    names_.claim(copy.name, item.path + ".name");
    const std::string value = add_one(copy);
    names_.bind(copy.name, value);
    copy.inputs[0] = value;
  }
  return copy.inputs[0];
}

std::string Expander::add_one(const Item& item) {
  if (item.op == "group") return add_group(item);
  if (item.op == "residual") return add_residual(item);
  return add_draft(
      {item.name, item.op, item.path, item.role, item.inputs, item.scope.tags, item.written, item.share, {}});
}

/// The one input of a group or residual.
std::string Expander::only_input(const Item& item) {
  if (item.inputs.size() == 1) return item.inputs[0];
  faults_.add({item.path + ".from", fmt::format("a {} has one input, not {}", item.op, item.inputs.size()),
               "join them before, by add or concat"});
  return {};
}

std::string Expander::add_group(const Item& item) {
  if (!item.role.empty()) faults_.add({item.path + ".role", "a group has no role", "give it to a layer inside"});
  Json attributes;
  if (!read_attributes(item.written, find_rule("group")->kind, item.path, attributes, faults_)) return {};
  const std::string input = only_input(item);
  std::string value = attributes["repeat"].is_null()
                          ? add_list(attributes["body"], item.path + ".body", item.scope.within(item.local(), input))
                          : add_repeated(item, attributes["body"], attributes["repeat"].get<int>(), input);
  blocks_.push_back({item.name, "group", input, value, {}, {}});
  return value;
}

std::string Expander::add_repeated(const Item& item, const Json& body, int count, std::string value) {
  const Scope around = item.scope.within(item.local(), value);
  const std::string path = item.path + ".body";
  for (int i = 0; i < count && has_room(path); ++i) {
    const std::string number = std::to_string(i);
    const std::string before = value;
    value = add_list(body, path, around.within(number, before));
    names_.bind(item.name + '.' + number, value);
    blocks_.push_back({item.name + '.' + number, "group", before, value, {}, {}});
  }
  return value;
}

std::string Expander::add_residual(const Item& item) {
  Json attributes;
  if (!read_attributes(item.written, find_rule("residual")->kind, item.path, attributes, faults_)) return {};
  const std::string input = only_input(item);
  const Scope inside = item.scope.within(item.local(), input);
  const bool is_flat = attributes["flat"] == true;
  if (!is_flat) names_.claim(item.name + ".body", item.path + ".body");
  std::string value =
      add_list(attributes["body"], item.path + ".body", is_flat ? inside : inside.within("body", input));
  if (!is_flat) names_.bind(item.name + ".body", value);
  const bool is_bare = attributes["shortcut"] == "none";
  const std::string around = is_bare ? "" : add_shortcut(item, attributes, value);
  blocks_.push_back({item.name, "residual", input, is_bare ? value : item.name, value, around});
  if (is_bare) return value;  // a bare body adds nothing, so it needs no node
  return add_draft({item.name, "add", item.path, item.role, {value, around}, item.scope.tags, Json::object(), {}, {}});
}

std::string Expander::add_shortcut(const Item& item, const Json& attributes, const std::string& body) {
  const Json& shortcut = attributes["shortcut"];
  std::string input = only_input(item);
  if (shortcut == "identity") return input;
  const Scope inside = item.scope.within(item.local(), input);
  if (shortcut.is_array() && attributes["flat"] == true) return add_list(shortcut, item.path + ".shortcut", inside);
  const std::string name = item.name + ".shortcut";
  const std::string path = item.path + ".shortcut";
  names_.claim(name, path);
  const Scope scope = inside.within("shortcut", input);
  std::string value = shortcut == "projection"
                          ? add_draft({name, "conv2d", path, {}, {input}, item.scope.tags, Json::object(), {}, body})
                          : add_list(shortcut, path, scope);
  names_.bind(name, value);
  return value;
}

/// With several inputs there is no default for the first layer.
void check_first(const Json& nodes, const std::vector<std::string>& inputs, Faults& faults) {
  if (inputs.size() < 2 || nodes.empty() || !nodes[0].is_object() || nodes[0].contains("from")) return;
  faults.add(
      {"nodes.0", "the first layer must say which input it reads", fmt::format("from: {}", fmt::join(inputs, " or "))});
}

}  // namespace

Plan expand(const Json& nodes, const std::vector<std::string>& inputs, const Json& outputs, Faults& faults) {
  Expander expander(inputs, faults);
  check_first(nodes, inputs, faults);
  Scope top;
  if (inputs.size() == 1) top.input = inputs[0];
  Plan plan;
  const std::string last = expander.add_list(nodes, "nodes", top);
  if (!expander.is_full()) {  // cut short: nothing to say of its end
    if (!outputs.is_null()) plan.outputs = read_outputs(outputs, expander.names(), top, faults);
    if (outputs.is_null() && !last.empty()) plan.outputs = {{"", last}};
  }
  plan.nodes = expander.take_drafts();
  plan.blocks = expander.take_blocks();
  return plan;
}

}  // namespace dlrun::model
