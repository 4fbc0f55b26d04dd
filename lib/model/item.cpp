// SPDX-License-Identifier: Apache-2.0
#include "model/item.hpp"

#include <cctype>

#include <fmt/format.h>

#include "model/layer.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

std::string text_of(const Json& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::string hint_for_op(const std::string& op) {
  std::vector<std::string> known;
  for (const options::Variant& kind : layer_kinds()) known.push_back(kind.name);
  return hint_for_name(op, known);
}

}  // namespace

std::string ItemReader::read_op(const Json& written, const std::string& path) {
  if (!written.contains("op")) {
    faults_.add({path, "a layer needs 'op', its kind", "e.g. {name: fc1, op: linear, out: 64}"});
    return {};
  }
  std::string op = text_of(written, "op");
  if (find_rule(op) != nullptr) return op;
  faults_.add({path + ".op", fmt::format("there is no layer kind {}", quoted(written["op"])), hint_for_op(op)});
  return {};
}

std::string ItemReader::read_name(const Json& written, const std::string& path, const Scope& scope) {
  if (!written.contains("name")) {
    const std::string op = text_of(written, "op");
    const std::string kind = is_good_name(op) ? op : "layer";
    const char* const between = std::isdigit(static_cast<unsigned char>(kind.back())) != 0 ? "_" : "";  // relu6_1
    return fmt::format("{}{}{}{}", scope.prefix(), kind, between, ++unnamed_[scope.prefix() + op]);
  }
  const std::string name = text_of(written, "name");
  if (!is_good_name(name)) {
    faults_.add({path + ".name", fmt::format("{} is no name for a layer", quoted(written["name"])),
                 "1 to 100 letters, digits, '_', '-' and inner '.'"});
    return scope.prefix() + '?' + path;
  }
  if (name == "input") faults_.add({path + ".name", "'input' means what a block reads", "give the layer another name"});
  return scope.prefix() + name;
}

std::string ItemReader::read_role(const Json& written, const std::string& path) {
  const auto role = written.find("role");
  if (role == written.end()) return {};
  if (*role != "head") {
    faults_.add({path + ".role", fmt::format("there is no role {}", quoted(*role)), "the only role is 'head'"});
    return {};
  }
  if (has_head_) faults_.add({path + ".role", "the model has two heads", "`role: head` belongs to one layer"});
  has_head_ = true;
  return "head";
}

std::vector<std::string> ItemReader::read_tags(const Json& written, const std::string& path) {
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

std::vector<std::string> ItemReader::read_inputs(const Json& written, const std::string& path, const Scope& scope,
                                                 const std::string& previous) {
  const auto from = written.find("from");
  if (from == written.end()) return {previous};
  if (!from->is_array()) return {names_.resolve(*from, path + ".from", scope)};
  std::vector<std::string> inputs;
  for (std::size_t i = 0; i < from->size(); ++i) {
    inputs.push_back(names_.resolve((*from)[i], fmt::format("{}.from.{}", path, i), scope));
  }
  if (inputs.empty()) {
    faults_.add({path + ".from", "'from' is an empty list", "leave it out to read the layer above"});
    inputs.emplace_back();
  }
  return inputs;
}

std::string ItemReader::read_share(const Json& written, const std::string& path, const Scope& scope) {
  const auto share = written.find("share");
  if (share == written.end()) return {};
  const std::string place = path + ".share";
  const std::string op = text_of(written, "op");
  if (op == "group" || op == "residual") {
    faults_.add({place, fmt::format("a {} has no tensors of its own to share", op), "write `share` at a layer inside"});
    return {};
  }
  if (!share->is_string()) {
    faults_.add({place, fmt::format("'share' must name a layer, but is {}", quoted(*share)),
                 "the name of a layer above whose weights this one uses"});
    return {};
  }
  const std::string name = share->get<std::string>();
  std::string owner = names_.resolve(*share, place, scope);
  const bool is_itself = owner == name || owner.ends_with('.' + name);
  if (is_itself || owner.empty()) return owner;
  faults_.add_first({place, fmt::format("'{}' is several layers, which end with '{}'", name, owner),
                     "name the one whose weights are meant"});
  return {};
}

Item ItemReader::read(const Json& written, const std::string& path, const Scope& scope, const std::string& previous) {
  Item item{written,
            path,
            read_name(written, path, scope),
            read_op(written, path),
            read_role(written, path),
            read_inputs(written, path, scope, previous),
            read_share(written, path, scope),
            scope};
  const std::vector<std::string> tags = read_tags(written, path);
  item.scope.tags.insert(item.scope.tags.end(), tags.begin(), tags.end());
  if (!names_.claim(item.name, path + ".name")) item.name += '?' + path;
  return item;
}

}  // namespace dlrun::model
