// SPDX-License-Identifier: Apache-2.0
#include "options/key.hpp"

#include <algorithm>

namespace dlrun::options {

namespace {

Key make(Form form, std::string name, std::string text) {
  Key key;
  key.name = std::move(name);
  key.form = form;
  key.text = std::move(text);
  return key;
}

template <class Item>
const Item* find_named(const std::vector<Item>& items, const std::string& name) {
  const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

template <class Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> out;
  for (const Item& item : items) out.push_back(item.name);
  return out;
}

}  // namespace

Key boolean(std::string name, std::string text) { return make(Form::boolean, std::move(name), std::move(text)); }
Key integer(std::string name, std::string text) { return make(Form::integer, std::move(name), std::move(text)); }
Key real(std::string name, std::string text) { return make(Form::real, std::move(name), std::move(text)); }
Key text(std::string name, std::string text) { return make(Form::text, std::move(name), std::move(text)); }
Key duration(std::string name, std::string text) { return make(Form::duration, std::move(name), std::move(text)); }
Key plain(std::string name, std::string text) { return make(Form::plain, std::move(name), std::move(text)); }
Key any(std::string name, std::string text) { return make(Form::any, std::move(name), std::move(text)); }

Key choice(std::string name, std::string text, std::vector<std::string> choices) {
  Key key = make(Form::choice, std::move(name), std::move(text));
  key.choices = std::move(choices);
  return key;
}

Key list(std::string name, std::string text, Key element) {
  Key key = make(Form::list, std::move(name), std::move(text));
  key.element = std::make_shared<Key>(std::move(element));
  return key;
}

Key map_of(std::string name, std::string text, Key element) {
  Key key = list(std::move(name), std::move(text), std::move(element));
  key.form = Form::map_of;
  return key;
}

Key table(std::string name, std::string text, Table keys) {
  Key key = make(Form::table, std::move(name), std::move(text));
  key.table = std::move(keys);
  return key;
}

Key variant(std::string name, std::string text, std::vector<Variant> variants) {
  Key key = make(Form::variant, std::move(name), std::move(text));
  key.variants = std::move(variants);
  return key;
}

const Key* find(const Table& table, const std::string& name) { return find_named(table, name); }
const Variant* find(const std::vector<Variant>& variants, const std::string& name) {
  return find_named(variants, name);
}
std::vector<std::string> names(const Table& table) { return names_of(table); }
std::vector<std::string> names(const std::vector<Variant>& variants) { return names_of(variants); }

}  // namespace dlrun::options
