// SPDX-License-Identifier: Apache-2.0
// check_declaration(): the arithmetic of plugin.yaml is tried with numbers, so that its author sees faults at once.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/expression.hpp"
#include "model/plugin_layer.hpp"
#include "model/plugin_names.hpp"

namespace dlrun::model {

namespace {

using plugin::ManifestFault;

class Check {
 public:
  explicit Check(const plugin::Manifest& manifest) : manifest_(manifest), whole_(manifest.whole) {}

  std::vector<ManifestFault> find_faults() {
    for (const options::Key& key : manifest_.keys) add_name("keys", key.name, true);
    for (const auto& [name, written] : whole_.at("let").items()) add_name("let." + name, name, true);
    check_inputs();
    for (const auto& [name, written] : whole_["let"].items()) arithmetic("let." + name, written);
    check_output();
    for (std::size_t i = 0; i < whole_.at("tensors").size(); ++i) check_tensor(i);
    for (std::size_t i = 0; i < whole_.at("require").size(); ++i) check_requirement(i);
    arithmetic("operations", whole_.at("operations"));
    return std::move(faults_);
  }

 private:
  void add_fault(std::string place, std::string message, std::string hint = {}) {
    faults_.push_back({std::move(place), std::move(message), std::move(hint)});
  }

  void add_name(const std::string& place, const std::string& name, bool is_new) {
    if (!is_identifier(name)) return add_fault(place, fmt::format("'{}' is no name", name), "letters, digits and '_'");
    const bool is_fresh = names_.insert(name).second;
    if (is_new && !is_fresh) add_fault(place, fmt::format("there are two values '{}'", name), "give one another name");
  }

  void check_inputs() {
    const Json& inputs = whole_.at("inputs");
    if (inputs.empty()) add_fault("inputs", "a layer has at least one input", "e.g. inputs: [[L, D]]");
    const std::set<std::string> others = names_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      for (std::size_t k = 0; k < inputs[i].size(); ++k) {
        const Json& item = inputs[i][k];
        const std::string place = fmt::format("inputs.{}.{}", i, k);
        if (item.is_number_integer() || (k == 0 && item == "...")) continue;
        if (!item.is_string()) {
          add_fault(place, "a size of an input is a name or a whole number");
        } else if (others.contains(item.get<std::string>())) {
          add_fault(place, fmt::format("there are two values '{}'", item.get<std::string>()), "give one another name");
        } else {
          add_name(place, item.get<std::string>(), false);
        }
      }
    }
  }

  void check_output() {
    const Json& output = whole_.at("output");
    if (output.empty()) add_fault("output", "an output has at least one size");
    for (std::size_t k = 0; k < output.size(); ++k) {
      const bool is_rest = k == 0 && output[k] == "...";
      if (!is_rest) arithmetic(fmt::format("output.{}", k), output[k]);
      const bool has_rest =
          !whole_["inputs"].empty() && !whole_["inputs"][0].empty() && whole_["inputs"][0][0] == "...";
      if (is_rest && !has_rest) add_fault("output.0", "the first input has no '...'");
    }
  }

  void check_tensor(std::size_t index) {
    const Json& one = whole_["tensors"][index];
    const std::string place = fmt::format("tensors.{}", index);
    if (!tensors_.insert(one.at("name")).second) add_fault(place + ".name", "there are two tensors of this name");
    if (one.at("shape").empty()) add_fault(place + ".shape", "a tensor has at least one size");
    for (std::size_t k = 0; k < one["shape"].size(); ++k)
      arithmetic(fmt::format("{}.shape.{}", place, k), one["shape"][k]);
    arithmetic(place + ".when", one.at("when"));
    for (const auto& [init, key] : {std::pair{"uniform", "bound"}, std::pair{"normal", "std"}}) {
      const bool is_needed = one.at("init") == init, is_there = !one.at(key).is_null();
      if (is_needed != is_there)
        add_fault(fmt::format("{}.{}", place, is_there ? key : "init"),
                  fmt::format("'{}' belongs to init: {}", key, init));
      if (is_there) arithmetic(fmt::format("{}.{}", place, key), one[key]);
    }
    if (one.at("init") == "xavier" && one["shape"].size() < 2) add_fault(place + ".init", "xavier needs two sizes");
  }

  void check_requirement(std::size_t index) {
    const Json& one = whole_["require"][index];
    const std::string place = fmt::format("require.{}", index);
    try {
      const Comparison parts = comparison_of(one.at("that"));
      arithmetic(place + ".that", parts.left);
      arithmetic(place + ".that", parts.right);
    } catch (const ExpressionFault& fault) {
      add_fault(place + ".that", fault.what(), fault.hint());
    }
    const Json at = one.value("at", Json());
    if (at.is_string() && options::find(manifest_.keys, at.get<std::string>()) == nullptr)
      add_fault(place + ".at", "it names no key of `keys`");
  }

  /// Tried with several numbers: a division by zero is the author's fault only where all of them give it.
  void arithmetic(const std::string& place, const Json& written) {
    std::string message, hint;
    for (const double first : {3.0, 64.0, 0.5}) {
      PluginNames names(whole_["let"]);
      double next = first;
      for (const std::string& name : names_) {
        if (!whole_["let"].contains(name)) names.set(name, next += 2 * first);
      }
      try {
        static_cast<void>(names.value(written));
        return;
      } catch (const ExpressionFault& fault) {
        message = fault.what(), hint = fault.hint();
      }
    }
    add_fault(place, message, hint);
  }

  const plugin::Manifest& manifest_;
  const Json& whole_;
  std::set<std::string> names_, tensors_;
  std::vector<ManifestFault> faults_;
};

}  // namespace

namespace {

/// Keys of every section of the kind, which dlrun reads itself.
std::vector<std::string> reserved(plugin::Kind kind) {
  switch (kind) {
    case plugin::Kind::layer: return {"name", "from", "tags", "role", "repeat", "share"};
    case plugin::Kind::loss: return {"weight", "parts", "class_weights"};
    case plugin::Kind::optimizer: return {"lr", "weight_decay", "no_decay", "groups"};
    default: return {};
  }
}

}  // namespace

std::vector<ManifestFault> check_declaration(const plugin::Manifest& manifest) {
  std::vector<ManifestFault> faults;
  if (manifest.kind == plugin::Kind::layer) faults = Check(manifest).find_faults();
  if (manifest.kind == plugin::Kind::metric && !manifest.keys.empty())
    faults.push_back({"keys", "a metric has no keys: `metrics:` is a list of names", "make a plugin for each"});
  const std::vector<std::string> taken = reserved(manifest.kind);
  for (std::size_t i = 0; i < manifest.keys.size(); ++i) {
    const std::string& name = manifest.keys[i].name;
    if (std::count(taken.begin(), taken.end(), name) > 0)
      faults.push_back({fmt::format("keys.{}.name", i), fmt::format("dlrun reads the key '{}' itself", name),
                        "give it another name"});
  }
  return faults;
}

}  // namespace dlrun::model
