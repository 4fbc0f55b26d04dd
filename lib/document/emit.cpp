// SPDX-License-Identifier: Apache-2.0
#include "document/emit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

namespace dlrun::document {

namespace {

constexpr std::size_t kWidth = 110;     // columns of a line
constexpr std::size_t kBlockDepth = 1;  // the outermost maps always stand in lines of their own

/// Keys that come first in a map, in this order; the others follow by name.
constexpr std::array kOrder = {"study",    "seed",     "objective", "space", "search", "limits",    "resources",
                               "executor", "retry",    "keep",      "trial", "final",  "kind",      "id",
                               "name",     "op",       "at",        "type",  "metric", "direction", "low",
                               "high",     "function", "command",   "data",  "model",  "loss",      "optimizer",
                               "schedule", "epochs",   "batch_size"};

std::size_t rank(const std::string& key) {
  return std::size_t(std::find(kOrder.begin(), kOrder.end(), key) - kOrder.begin());
}

using Member = std::pair<std::string, const Json*>;

std::vector<Member> members(const Json& map) {
  std::vector<Member> all;
  for (const auto& [key, value] : map.items()) all.emplace_back(key, &value);
  std::stable_sort(all.begin(), all.end(),
                   [](const Member& a, const Member& b) { return rank(a.first) < rank(b.first); });
  return all;
}

bool is_alpha(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// Letters, digits, '_', '-', '.', '/' after a letter, '_' or '/', and no word that some reader takes for a value.
bool is_plain(const std::string& text) {
  constexpr std::string_view kInside = "_-./";
  if (text.empty() || !(is_alpha(text[0]) || text[0] == '_' || text[0] == '/')) return false;
  const auto fits = [&](char c) {
    return is_alpha(c) || std::isdigit(static_cast<unsigned char>(c)) != 0 || kInside.find(c) != std::string_view::npos;
  };
  if (!std::all_of(text.begin(), text.end(), fits)) return false;
  std::string lower = text;
  for (char& c : lower) c = char(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array kWords = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"};
  return std::find(kWords.begin(), kWords.end(), lower) == kWords.end();
}

class Emitter {
 public:
  explicit Emitter(const std::set<std::string>& keep) : keep_(keep) {}

  std::string block(const Json& value, std::size_t indent) const {
    std::string out;
    if (value.is_object()) {
      for (const auto& [key, member] : members(value)) out += std::string(indent, ' ') + entry(key, *member, indent);
    } else {
      for (const Json& item : value) out += std::string(indent, ' ') + element(item, indent);
    }
    return out;
  }

  std::string flow(const Json& value) const {
    if (value.is_object()) {
      std::string out;
      for (const auto& [key, member] : members(value))
        out += (out.empty() ? "" : ", ") + text(key) + ": " + flow(*member);
      return "{" + out + "}";
    }
    if (value.is_array()) {
      std::string out;
      for (const Json& item : value) out += (out.empty() ? "" : ", ") + flow(item);
      return "[" + out + "]";
    }
    if (value.is_string()) return text(guarded(value.get_ref<const std::string&>()));
    if (value.is_number_float() && !std::isfinite(value.get<double>())) return infinite(value.get<double>());
    return to_text(value);
  }

 private:
  static std::string infinite(double value) { return std::isnan(value) ? ".nan" : value > 0 ? ".inf" : "-.inf"; }

  static std::string text(const std::string& text) { return is_plain(text) ? text : to_text(Json(text)); }

  /// The reader would take "${" for the beginning of a variable's name.
  std::string guarded(const std::string& text) const {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::size_t end = text.compare(i, 2, "${") == 0 ? text.find('}', i) : std::string::npos;
      const bool is_mark = text.compare(i, 2, "${") == 0;
      const bool is_kept = end != std::string::npos && keep_.count(text.substr(i + 2, end - i - 2)) > 0;
      if (is_mark && !is_kept) out += '$';
      out += text[i];
    }
    return out;
  }

  /// On one line? What is outermost is not, and what is too long is not.
  bool is_short(const Json& value, std::size_t column, std::size_t indent) const {
    if (!value.is_structured() || value.empty()) return true;
    const bool is_outer = indent < 2 * kBlockDepth && std::any_of(value.begin(), value.end(), [](const Json& item) {
                            return item.is_structured();
                          });
    return !is_outer && column + flow(value).size() <= kWidth;
  }

  std::string entry(const std::string& key, const Json& value, std::size_t indent) const {
    const std::string head = text(key) + ":";
    if (is_short(value, indent + head.size() + 1, indent)) return head + " " + flow(value) + "\n";
    return head + "\n" + block(value, indent + 2);
  }

  std::string element(const Json& value, std::size_t indent) const {
    if (is_short(value, indent + 2, indent + 2)) return "- " + flow(value) + "\n";
    return "- " + block(value, indent + 2).substr(indent + 2);
  }

  const std::set<std::string>& keep_;
};

}  // namespace

std::string to_yaml(const Json& value, const std::set<std::string>& keep) {
  const Emitter emitter(keep);
  return value.is_structured() && !value.empty() ? emitter.block(value, 0) : emitter.flow(value) + "\n";
}

}  // namespace dlrun::document
