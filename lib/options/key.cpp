// SPDX-License-Identifier: Apache-2.0
#include "options/key.hpp"

#include <algorithm>

namespace dlrun::options {

namespace {

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

Key key(Form form, std::string name, std::string text) {
  Key made;
  made.name = std::move(name);
  made.form = form;
  made.text = std::move(text);
  return made;
}

Key boolean(std::string name, std::string text) { return key(Form::boolean, std::move(name), std::move(text)); }
Key integer(std::string name, std::string text) { return key(Form::integer, std::move(name), std::move(text)); }
Key real(std::string name, std::string text) { return key(Form::real, std::move(name), std::move(text)); }
Key text(std::string name, std::string text) { return key(Form::text, std::move(name), std::move(text)); }
Key duration(std::string name, std::string text) { return key(Form::duration, std::move(name), std::move(text)); }
Key plain(std::string name, std::string text) { return key(Form::plain, std::move(name), std::move(text)); }
Key any(std::string name, std::string text) { return key(Form::any, std::move(name), std::move(text)); }

Key choice(std::string name, std::string text, std::vector<std::string> choices) {
  Key made = key(Form::choice, std::move(name), std::move(text));
  made.choices = std::move(choices);
  return made;
}

Key list(std::string name, std::string text, Key element) {
  Key made = key(Form::list, std::move(name), std::move(text));
  made.element = std::make_shared<Key>(std::move(element));
  return made;
}

Key map_of(std::string name, std::string text, Key element) {
  Key key = list(std::move(name), std::move(text), std::move(element));
  key.form = Form::map_of;
  return key;
}

Key table(std::string name, std::string text, Table keys) {
  Key made = key(Form::table, std::move(name), std::move(text));
  made.table = std::move(keys);
  return made;
}

Key variant(std::string name, std::string text, std::vector<Variant> variants) {
  Key made = key(Form::variant, std::move(name), std::move(text));
  made.variants = std::move(variants);
  return made;
}

const Key* find(const Table& table, const std::string& name) { return find_named(table, name); }
const Variant* find(const std::vector<Variant>& variants, const std::string& name) {
  return find_named(variants, name);
}
std::vector<std::string> names(const Table& table) { return names_of(table); }
std::vector<std::string> names(const std::vector<Variant>& variants) { return names_of(variants); }

}  // namespace dlrun::options
