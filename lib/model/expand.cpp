// SPDX-License-Identifier: Apache-2.0
#include "model/expand.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "model/layer.hpp"
#include "util/edit_distance.hpp"

namespace dlrun::model {

namespace {

constexpr std::size_t kMostNodes = 10000;
constexpr std::size_t kDeepest = 16;
constexpr std::size_t kLongestName = 100;

/// Where a list of nodes stands.
struct Scope {
  std::vector<std::string> prefixes;  ///< "", "blocks.", "blocks.0.": innermost last
  std::string input;                  ///< what the first node reads; empty: nothing by default
  std::vector<std::string> tags;      ///< of the groups around

  const std::string& prefix() const { return prefixes.back(); }
  Scope within(const std::string& name, std::string new_input) const {
    Scope scope = *this;
    scope.prefixes.push_back(prefix() + name + '.');
    scope.input = std::move(new_input);
    return scope;
  }
};

bool is_good_name(const std::string& name) {
  const auto is_good = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && std::all_of(name.begin(), name.end(), is_good) &&
         name.front() != '.' && name.back() != '.' && name.find("..") == std::string::npos;
}

std::string item(const std::string& path, std::size_t index) { return fmt::format("{}.{}", path, index); }

class Expander {
 public:
  Expander(const std::vector<std::string>& inputs, Faults& faults) : faults_(faults) {
    for (const std::string& input : inputs) values_[input] = input;
  }

  /// Adds the nodes of a list; the name of the last one's value.
  std::string add_list(const Json& nodes, const std::string& path, const Scope& scope);
  std::vector<Draft> take() { return std::move(drafts_); }

 private:
  struct Item {
    const Json& written;
    std::string path;
    std::string name;  ///< full
    std::string op;
    std::vector<std::string> inputs;
    Scope scope;  ///< the one it stands in, its own tags added

    std::string local() const { return name.substr(scope.prefix().size()); }
  };

  Item read_item(const Json& written, const std::string& path, const Scope& scope, const std::string& previous);
  std::string read_name(const Json& written, const std::string& path, const Scope& scope);
  std::string read_op(const Json& written, const std::string& path);
  std::vector<std::string> read_inputs(const Json& written, const std::string& path, const Scope& scope,
                                       const std::string& previous);
  std::string resolve(const Json& from, const std::string& path, const Scope& scope);
  std::string not_found(const std::string& name, const std::string& path, const Scope& scope);
  std::vector<std::string> read_tags(const Json& written, const std::string& path);
  std::string read_role(const Json& written, const std::string& path);

  std::string add_item(const Item& item);
  std::string add_group(const Item& item);
  std::string add_residual(const Item& item);
  std::string add_shortcut(const Item& item, const Json& shortcut, const std::string& body);
  std::string add_draft(Draft draft);
  const std::string& only_input(const Item& item);

  Faults& faults_;
  std::vector<Draft> drafts_;
  std::map<std::string, std::string> values_;  ///< full name of a node, group or input -> the node with its value
  std::set<std::string> names_;                ///< full names seen, composites too
  std::map<std::string, int> counts_;          ///< for names that nobody gave
  bool has_head_ = false;
  bool is_full_ = false;
};

std::string Expander::read_op(const Json& written, const std::string& path) {
  const auto op = written.find("op");
  if (op == written.end()) {
    faults_.add({path, "a layer needs 'op', its kind", "e.g. {name: fc1, op: linear, out: 64}"});
    return {};
  }
  const std::string name = op->is_string() ? op->get<std::string>() : "";
  if (find_rule(name) != nullptr) return name;
  std::vector<std::string> known;
  for (const LayerKind& kind : layer_kinds()) known.push_back(kind.op);
  const std::string nearest = nearest_name(name, known);
  faults_.add({path + ".op", fmt::format("there is no layer kind {}", quoted(*op)),
               nearest.empty() ? fmt::format("there are {}", fmt::join(known, ", "))
                               : fmt::format("did you mean '{}'?", nearest)});
  return {};
}

std::string Expander::read_name(const Json& written, const std::string& path, const Scope& scope) {
  const auto found = written.find("name");
  if (found == written.end()) {
    const std::string op =
        written.contains("op") && written["op"].is_string() ? written["op"].get<std::string>() : "layer";
    return scope.prefix() + op + std::to_string(++counts_[scope.prefix() + op]);
  }
  const std::string name = found->is_string() ? found->get<std::string>() : "";
  if (!is_good_name(name)) {
    faults_.add({path + ".name", fmt::format("{} is no name for a layer", quoted(*found)),
                 "1 to 100 letters, digits, '_', '-' and inner '.'"});
    return scope.prefix() + "?" + path;
  }
  if (name == "input") faults_.add({path + ".name", "'input' is what a block reads, not a name for a layer"});
  return scope.prefix() + name;
}

std::string Expander::not_found(const std::string& name, const std::string& path, const Scope& scope) {
  std::vector<std::string> known{"input"};
  for (const auto& [full, value] : values_) {
    known.push_back(full.rfind(scope.prefix(), 0) == 0 ? full.substr(scope.prefix().size()) : full);
  }
  const std::string nearest = nearest_name(name, known);
  faults_.add({path, fmt::format("there is no layer '{}' above this one", name),
               nearest.empty() ? "a layer reads what stands above it in the list"
                               : fmt::format("did you mean '{}'?", nearest)});
  if (nearest.empty() || nearest == "input") return {};
  const auto inner = values_.find(scope.prefix() + nearest);
  return inner != values_.end() ? inner->second : values_[nearest];
}

std::string Expander::resolve(const Json& from, const std::string& path, const Scope& scope) {
  if (!from.is_string()) {
    faults_.add({path, fmt::format("'from' must name layers, but is {}", quoted(from)), "a name, or a list of names"});
    return {};
  }
  const std::string name = from.get<std::string>();
  if (name == "input" && !scope.input.empty()) return scope.input;
  for (auto prefix = scope.prefixes.rbegin(); prefix != scope.prefixes.rend(); ++prefix) {
    const auto found = values_.find(*prefix + name);
    if (found != values_.end()) return found->second;
  }
  return not_found(name, path, scope);
}

std::vector<std::string> Expander::read_inputs(const Json& written, const std::string& path, const Scope& scope,
                                               const std::string& previous) {
  const auto from = written.find("from");
  if (from == written.end()) return {previous};
  if (!from->is_array()) return {resolve(*from, path + ".from", scope)};
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < from->size(); ++i) inputs.push_back(resolve((*from)[i], item(path + ".from", i), scope));
  if (inputs.empty()) faults_.add({path + ".from", "'from' is an empty list", "leave it out to read the layer above"});
  return inputs;
}

std::vector<std::string> Expander::read_tags(const Json& written, const std::string& path) {
  const auto tags = written.find("tags");
  if (tags == written.end()) return {};
  std::vector<std::string> result;
  const Json list = tags->is_array() ? *tags : Json::array({*tags});
  for (const Json& tag : list) {
    if (tag.is_string() && is_good_name(tag.get<std::string>())) {
      result.push_back(tag.get<std::string>());
    } else {
      faults_.add(
          {path + ".tags", fmt::format("{} is no tag", quoted(tag)), "tags are names, e.g. tags: [act, early]"});
    }
  }
  return result;
}

std::string Expander::read_role(const Json& written, const std::string& path) {
  const auto role = written.find("role");
  if (role == written.end()) return {};
  if (*role != "head") {
    faults_.add({path + ".role", fmt::format("there is no role {}", quoted(*role)), "the only role is 'head'"});
    return {};
  }
  if (has_head_) faults_.add({path + ".role", "the model has two heads", "role: head belongs to one layer"});
  has_head_ = true;
  return "head";
}

Expander::Item Expander::read_item(const Json& written, const std::string& path, const Scope& scope,
                                   const std::string& previous) {
  Item item{written,
            path,
            read_name(written, path, scope),
            read_op(written, path),
            read_inputs(written, path, scope, previous),
            scope};
  const std::vector<std::string> tags = read_tags(written, path);
  item.scope.tags.insert(item.scope.tags.end(), tags.begin(), tags.end());
  if (!names_.insert(item.name).second || values_.count(item.name) > 0) {
    faults_.add({path + ".name", fmt::format("there are two layers '{}'", item.name), "give one of them another name"});
    item.name += "?" + path;
  }
  return item;
}

std::string Expander::add_list(const Json& nodes, const std::string& path, const Scope& scope) {
  std::string previous = scope.input;
  if (nodes.empty()) faults_.add({path, "the list of layers is empty", "give it at least one layer"});
  if (scope.prefixes.size() > kDeepest) {
    faults_.add({path, fmt::format("layers are nested deeper than {}", kDeepest)});
    return {};
  }
  for (std::size_t i = 0; i < nodes.size() && !is_full_; ++i) {
    const std::string place = item(path, i);
    if (!nodes[i].is_object()) {
      faults_.add(
          {place, fmt::format("a layer must be a map, but is {}", quoted(nodes[i])), "e.g. {name: act1, op: relu}"});
      continue;
    }
    const Item read = read_item(nodes[i], place, scope, previous);
    previous = values_[read.name] = add_item(read);
  }
  return previous;
}

std::string Expander::add_draft(Draft draft) {
  if (drafts_.size() == kMostNodes && !is_full_) {
    is_full_ = true;
    faults_.add({draft.path, fmt::format("the model has more than {} layers", kMostNodes)});
  }
  drafts_.push_back(std::move(draft));
  return drafts_.back().name;
}

std::string Expander::add_item(const Item& item) {
  if (item.op == "group") return add_group(item);
  if (item.op == "residual") return add_residual(item);
  return add_draft({item.name,
                    item.op,
                    item.path,
                    read_role(item.written, item.path),
                    item.inputs,
                    item.scope.tags,
                    item.written,
                    {}});
}

/// The one input of a group or residual.
const std::string& Expander::only_input(const Item& item) {
  static const std::string unknown;
  if (item.inputs.size() == 1) return item.inputs[0];
  faults_.add({item.path + ".from", fmt::format("a {} has one input, not {}", item.op, item.inputs.size())});
  return unknown;
}

std::string Expander::add_group(const Item& item) {
  if (item.written.contains("role")) {
    faults_.add({item.path + ".role", "a group has no role", "give it to a layer inside"});
  }
  Json attributes;
  if (!read_attributes(item.written, find_rule("group")->kind, item.path, attributes, faults_)) return {};
  std::string value = only_input(item);
  const Scope outer = item.scope.within(item.local(), value);
  const std::string path = item.path + ".body";
  if (attributes["repeat"].is_null()) return add_list(attributes["body"], path, outer);
  const int count = attributes["repeat"].get<int>();
  for (int i = 0; i < count && !is_full_; ++i) {
    const std::string number = std::to_string(i);
    value = add_list(attributes["body"], path, outer.within(number, value));
    values_[item.name + '.' + number] = value;
  }
  return value;
}

std::string Expander::add_residual(const Item& item) {
  Json attributes;
  if (!read_attributes(item.written, find_rule("residual")->kind, item.path, attributes, faults_)) return {};
  const Scope body = item.scope.within(item.local(), only_input(item)).within("body", only_input(item));
  const std::string value = add_list(attributes["body"], item.path + ".body", body);
  values_[item.name + ".body"] = value;
  if (attributes["shortcut"] == "none") return value;  // nothing to add, so no node of its own
  const std::string around = add_shortcut(item, attributes["shortcut"], value);
  return add_draft({item.name,
                    "add",
                    item.path,
                    read_role(item.written, item.path),
                    {value, around},
                    item.scope.tags,
                    Json::object(),
                    {}});
}

std::string Expander::add_shortcut(const Item& item, const Json& shortcut, const std::string& body) {
  const std::string& input = only_input(item);
  if (shortcut == "identity") return input;
  const std::string name = item.name + ".shortcut";
  const std::string path = item.path + ".shortcut";
  names_.insert(name);
  if (shortcut == "projection") {
    return values_[name] = add_draft({name, "conv2d", path, {}, {input}, item.scope.tags, Json::object(), body});
  }
  const Scope scope = item.scope.within(item.local(), input).within("shortcut", input);
  return values_[name] = add_list(shortcut, path, scope);
}

}  // namespace

Plan expand(const Json& nodes, const std::vector<std::string>& inputs, Faults& faults) {
  Expander expander(inputs, faults);
  Scope top;
  top.prefixes = {""};
  if (inputs.size() == 1) top.input = inputs[0];
  Plan plan;
  plan.output = expander.add_list(nodes, "nodes", top);
  plan.nodes = expander.take();
  return plan;
}

}  // namespace dlrun::model
