// SPDX-License-Identifier: Apache-2.0
#include "model/let.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "model/attributes.hpp"
#include "model/expression.hpp"
#include "model/layer.hpp"
#include "options/form.hpp"
#include "options/value.hpp"
#include "util/edit_distance.hpp"
#include "util/hints.hpp"

namespace dlrun::model {

namespace {

constexpr double kMostWhole = 0x1p53;

/// The names of `let` and their values, each computed when it is first asked for.
class Values {
 public:
  Values(const Json& let, Faults& faults) : let_(let), faults_(faults) {
    for (const auto& [name, written] : let.items()) {
      known_.push_back(name);
      check(name, written);
    }
    for (const std::string& name : known_) settle(name);
    used_.clear();  // by others of `let`, which does not count where those are unused
  }

  bool has(const std::string& name) const { return let_.contains(name); }
  std::string nearest(const std::string& name, const std::string& but = {}) const {
    std::vector<std::string> others;
    std::copy_if(known_.begin(), known_.end(), std::back_inserter(others), [&](const auto& n) { return n != but; });
    return nearest_name(name, others);
  }

  /// The value of a name in an attribute. @throws ExpressionFault.
  double use(const std::string& name) {
    if (!has(name)) {
      const std::string near = nearest(name);
      throw ExpressionFault(
          fmt::format("there is no '{}' in let", name),
          near.empty() ? "give it a value: let: {" + name + ": 64}" : fmt::format("did you mean '{}'?", near));
    }
    if (is_used(name)) return values_[name];
    used_.insert(name);
    for (const std::string& other : reads_[name]) (void)use(other);
    return values_[name];
  }

  /// Did a value have a fault? Then what was computed from it says nothing.
  bool are_sound() const { return bad_.empty(); }

  void check_used() {
    for (const std::string& name : known_) {
      if (is_used(name)) continue;
      const std::string near = nearest(name, name);
      faults_.add({options::place_of("let", name), fmt::format("nothing uses '{}'", name),
                   near.empty() ? "remove it, or use it in a layer, e.g. out: " + name
                                : fmt::format("did you mean '{}'?", near),
                   Part::key});
    }
  }

 private:
  [[noreturn]] static void refuse(const std::string& name, const std::string& near) {
    throw ExpressionFault(fmt::format("there is no '{}' in let", name), near.empty()
                                                                            ? "give it a value: let: {" + name + ": 64}"
                                                                            : fmt::format("did you mean '{}'?", near));
  }

  bool is_used(const std::string& name) const { return used_.contains(name); }

  void check(const std::string& name, const Json& written) {
    if (!is_identifier(name)) {
      add_fault(name, fmt::format("{} is no name for a value", quoted(Json(name))),
                "letters, digits and '_', e.g. width");
    } else if (!written.is_string() && !(written.is_number() && std::isfinite(written.get<double>()))) {
      add_fault(name, fmt::format("'{}' must be a number, but is {}", name, quoted(written)),
                "a number, or an expression of other names, e.g. 4 * width");
    }
  }

  void add_fault(const std::string& name, const std::string& message, const std::string& hint) {
    bad_.insert(name);
    values_[name] = 1;
    faults_.add({options::place_of("let", name), message, hint});
  }

  /// Computes a value and, before it, those it reads.
  double settle(const std::string& name) {
    if (bad_.contains(name)) return 1;
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    const Json& written = let_[name];
    if (written.is_number()) return values_[name] = written.get<double>();
    open_.insert(name);
    try {
      values_[name] = evaluate(written.get<std::string>(), [&](const std::string& other) { return read(name, other); });
    } catch (const ExpressionFault& fault) {
      add_fault(name, fmt::format("'{}' is {}: {}", name, quoted(written), fault.what()), fault.hint());
    }
    open_.erase(name);
    return values_[name];
  }

  double read(const std::string& reader, const std::string& name) {
    if (open_.contains(name)) throw ExpressionFault(fmt::format("'{}' depends on itself", name), "give it a number");
    if (!has(name)) refuse(name, nearest(name, reader));
    reads_[reader].insert(name);
    return settle(name);
  }

  const Json& let_;
  Faults& faults_;
  std::vector<std::string> known_;
  std::map<std::string, double> values_;
  std::map<std::string, std::set<std::string>> reads_;  ///< by name: the names its expression reads
  std::set<std::string> open_, used_, bad_;
};

bool takes_numbers(const options::Key& attribute) {
  return takes(attribute, Form::integer) || takes(attribute, Form::real) || takes(attribute, Form::pair) ||
         takes(attribute, Form::shape);
}

bool is_number_in_quotes(const std::string& text) {
  double value = 0;
  return std::from_chars(text.data(), text.data() + text.size(), value).ptr == text.data() + text.size();
}

class Replacing {
 public:
  Replacing(Values& names, Faults& faults) : names_(names), faults_(faults) {}

  Json list(Json nodes, const std::string& path) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].is_object()) node(nodes[i], fmt::format("{}.{}", path, i));
    }
    return nodes;
  }

  /// False where something could not be looked at: a name it may use must not be called unused.
  bool is_complete() const { return is_complete_; }

 private:
  void node(Json& written, const std::string& path) {
    const auto op = written.find("op");
    const LayerRule* rule = op != written.end() && op->is_string() ? find_rule(op->get<std::string>()) : nullptr;
    if (rule == nullptr) {
      is_complete_ = false;
      return;
    }
    for (const options::Key& attribute : rule->kind.table) {
      const auto found = written.find(attribute.name);
      if (found != written.end()) value(*found, attribute, options::place_of(path, attribute.name));
    }
    static const options::Key kRepeat = integer("repeat", "");  // every kind of layer has `repeat`
    const auto repeat = written.find("repeat");
    if (repeat != written.end()) value(*repeat, kRepeat, options::place_of(path, "repeat"));
  }

  void value(Json& written, const options::Key& attribute, const std::string& path) {
    const bool is_list = written.is_array();
    if (is_list && takes(attribute, Form::nodes)) {
      written = list(std::move(written), path);
    } else if (is_list && takes_numbers(attribute)) {
      for (std::size_t i = 0; i < written.size(); ++i) number(written[i], attribute, fmt::format("{}.{}", path, i));
    } else if (takes_numbers(attribute)) {
      number(written, attribute, path);
    }
  }

  void number(Json& written, const options::Key& attribute, const std::string& path) {
    if (!written.is_string() || has_form(written, attribute)) return;
    const std::string text = written.get<std::string>();
    if (!is_meant(text)) return;
    try {
      written = fitting(evaluate(text, [&](const std::string& name) { return names_.use(name); }), attribute, text);
    } catch (const ExpressionFault& fault) {
      is_complete_ = false;
      faults_.add({path, fmt::format("'{}' is {}: {}", attribute.name, quoted(written), fault.what()), fault.hint()});
      written = 1;  // so that one fault is one message
    }
  }

  /// Whether a text is meant as an expression; else the attribute's own message on a wrong word is the better one.
  bool is_meant(const std::string& text) const {
    if (is_identifier(text)) return names_.has(text) || !names_.nearest(text).empty();
    return text.find_first_of("+-*/(") != std::string::npos && !is_number_in_quotes(text);
  }

  static Json fitting(double value, const options::Key& attribute, const std::string& text) {
    if (takes(attribute, Form::real)) return value;
    if (value == std::floor(value) && std::abs(value) <= kMostWhole) return std::int64_t(value);
    throw ExpressionFault(fmt::format("it has the value {}, but must be a whole number", value),
                          fmt::format("write round({}), or // to round down", text));
  }

  Values& names_;
  Faults& faults_;
  bool is_complete_ = true;
};

}  // namespace

Json with_let(const Json& model, Faults& faults) {
  static const Json kNone = Json::object();
  const auto let = model.find("let");
  const bool is_map = let != model.end() && let->is_object();
  if (let != model.end() && !is_map && !let->is_null()) {
    faults.add({"let", "'let' must map names to numbers", "e.g. let: {width: 64}"});
  }
  Values names(is_map ? *let : kNone, faults);
  Replacing replacing(names, faults);
  Json nodes = replacing.list(model["nodes"], "nodes");
  if (replacing.is_complete() && names.are_sound()) names.check_used();
  return nodes;
}

}  // namespace dlrun::model
