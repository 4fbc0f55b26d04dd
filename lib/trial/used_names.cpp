// SPDX-License-Identifier: Apache-2.0
#include "trial/used_names.hpp"

#include <cctype>
#include <set>
#include <string>

namespace dlrun::trial {

namespace {

using Names = std::set<std::string>;

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Words of an expression, `round(4 * width)`: names among them.
void add_words(const std::string& text, Names& words) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_of_word(text[end])) ++end;
    if (end > at) words.insert(text.substr(at, end - at));
    at = end + 1;
  }
}

void add_words(const Json& json, Names& words) {
  if (json.is_string()) add_words(json.get<std::string>(), words);
  if (!json.is_structured()) return;
  for (const Json& inner : json) add_words(inner, words);
}

/// Names of `let` in the layers, and in what those names are computed from.
Names used_in(const Json& model) {
  Json layers = model;
  layers.erase("let");
  Names words;
  add_words(layers, words);
  const Json& let = model.at("let");
  for (std::size_t known = 0; known != words.size();) {
    known = words.size();
    for (const std::string& word : Names(words)) {
      if (let.contains(word)) add_words(let[word], words);
    }
  }
  return words;
}

}  // namespace

void forget_unused_names(const Json& before, Json& model) {
  if (!model.is_object() || !model.contains("let") || !before.contains("let") || before == model) return;
  const Names then = used_in(before), now = used_in(model);
  Json& let = model["let"];
  for (const std::string& name : then) {
    if (!now.contains(name)) let.erase(name);
  }
}

}  // namespace dlrun::trial
