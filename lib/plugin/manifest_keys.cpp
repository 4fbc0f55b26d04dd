// SPDX-License-Identifier: Apache-2.0
#include "plugin/manifest_keys.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "document/scalars.hpp"
#include "options/form.hpp"
#include "options/value.hpp"
#include "plugin/worker_keys.hpp"
#include "util/error.hpp"

namespace dlrun::plugin {

using options::boolean;
using options::Form;
using options::Key;
using options::Table;
using options::text;
using options::Variant;

namespace {

const std::map<std::string, Form>& forms() {
  static const std::map<std::string, Form> all = {{"boolean", Form::boolean},   {"integer", Form::integer},
                                                  {"real", Form::real},         {"text", Form::text},
                                                  {"choice", Form::choice},     {"duration", Form::duration},
                                                  {"integers", Form::integers}, {"numbers", Form::numbers}};
  return all;
}

std::vector<std::string> form_names() {
  std::vector<std::string> names;
  for (const auto& [name, form] : forms()) names.push_back(name);
  return names;
}

/// One entry of `keys:`.
Table entry_keys() {
  return {text("name", "name of the key in a study").must(),
          options::choice("type", "the type of its value", form_names()).must(),
          text("text", "one line about it, for schema and messages").must(),
          options::real("from", "the least value").or_else("no bound"),
          options::real("above", "a bound that itself is outside").or_else("no bound"),
          options::real("to", "the greatest value").or_else("no bound"),
          options::real("below", "a bound that itself is outside").or_else("no bound"),
          options::any("default", "the value of a section that has none").or_else("none: the plugin is given no value"),
          boolean("required", "a section must have the key").with(false),
          boolean("search", "a parameter may name it in `at:`").with(false),
          boolean("file", "the value names a file, whose content counts and not its place").with(false),
          options::list("choices", "the values of a choice", text("", "a value")).or_else("none")};
}

Table common_keys() {
  return {text("plugin", "its name: small letters, digits and '_', with a letter first").must(),
          text("version", "its own version: 1.0.0").must(), text("about", "one line about it").must(),
          options::list("keys", "the keys of its section in a study", options::table("", "one key", entry_keys()))
              .with(Json::array())};
}

Table sampler_keys() {
  return {boolean("learns", "takes trials of earlier studies (`learn_from:`)").with(false),
          boolean("several", "searches for several objectives").with(false)};
}

Table pruner_keys() { return {boolean("bounds", "judges trials of studies with `feasible:`").with(false)}; }

Table data_keys() {
  return {
      boolean("names", "a section names arrays of the file (`inputs:`, `targets:`); false: all are read").with(true),
      boolean("folder", "`path` may name a folder, whose files count together").with(false)};
}

Table keys_of(Kind kind) {
  switch (kind) {
    case Kind::data: return data_keys();
    case Kind::sampler: return sampler_keys();
    case Kind::pruner: return pruner_keys();
    case Kind::layer: return layer_keys();
    case Kind::loss: return loss_keys();
    case Kind::metric: return metric_keys();
    case Kind::optimizer: return optimizer_keys();
    default: return {};
  }
}

const std::map<Kind, const char*>& abouts() {
  static const std::map<Kind, const char*> all = {
      {Kind::sampler, "which values next: `search: {sampler: {op: NAME}}`"},
      {Kind::pruner, "which trials stop: `search: {pruner: {op: NAME}}`"},
      {Kind::executor, "where workers run: `executor: {NAME: …}`"},
      {Kind::exporter, "a study in another tool's format: `dlrun export --to NAME`"},
      {Kind::layer, "a layer of models: `{op: NAME}`"},
      {Kind::loss, "a loss: `trial: {loss: {op: NAME}}`"},
      {Kind::optimizer, "an optimiser: `trial: {optimizer: {op: NAME}}`"},
      {Kind::metric, "a metric: `trial: {metrics: [NAME]}`"},
      {Kind::data, "a format of data sets: `trial: {data: {op: NAME}}`"}};
  return all;
}

void check_bounds(const Key& key, const Json& entry) {
  for (const auto& [closed, open] : {std::pair{"from", "above"}, std::pair{"to", "below"}}) {
    if (!entry.at(closed).is_null() && !entry.at(open).is_null())
      throw Error(ErrorKind::usage, fmt::format("key '{}' has both '{}' and '{}'", key.name, closed, open));
  }
  if (key.low > key.high) throw Error(ErrorKind::usage, fmt::format("key '{}' allows no value", key.name));
  if ((key.form == Form::choice) == key.choices.empty())
    throw Error(ErrorKind::usage,
                fmt::format("key '{}' must have 'choices' if it is a choice, and only then", key.name));
  if (key.required && !key.fallback.is_null())
    throw Error(ErrorKind::usage, fmt::format("key '{}' is required, so its default has no effect", key.name));
  if (!key.fallback.is_null() && key.form != Form::duration && !options::has_form(key.fallback, key))
    throw Error(ErrorKind::usage, options::describe_misfit(key, key.fallback), "the default must be a right value");
}

/// A default as sections have it after reading: times in seconds, numbers of one type.
Json normal_default(const Key& key) {
  if (key.fallback.is_null()) return nullptr;
  if (key.form != Form::duration) return options::as_numbers(key.fallback, key);
  const bool is_text = key.fallback.is_string();
  const auto time = is_text                    ? document::seconds(key.fallback.get<std::string>())
                    : key.fallback.is_number() ? std::optional(key.fallback.get<double>())
                                               : std::nullopt;
  if (time && options::in_range(*time, key)) return *time;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' must be a time{}, but is {}", key.name, options::range_text(key), key.fallback.dump()),
              "the default must be a right value: seconds, or as 500ms, 90s, 10m, 1h30m");
}

}  // namespace

const Key& manifest_key() {
  static const Key key = [] {
    std::vector<Variant> kinds;
    for (const Kind kind : kKinds)
      kinds.push_back({name_of(kind), abouts().at(kind), options::joined<Key>({common_keys(), keys_of(kind)})});
    return options::variant("", "a plugin", std::move(kinds)).tagged("kind");
  }();
  return key;
}

Key key_from_json(const Json& entry) {
  Key key = options::key(forms().at(entry.at("type").get<std::string>()), entry.at("name"), entry.at("text"));
  key.fallback = entry.at("default");
  key.required = entry.at("required");
  key.is_searchable = entry.at("search");
  key.is_file = entry.at("file");
  if (entry.at("choices").is_array()) key.choices = entry.at("choices").get<std::vector<std::string>>();
  if (!entry.at("from").is_null()) key.from(entry.at("from"));
  if (!entry.at("above").is_null()) key.above(entry.at("above"));
  if (!entry.at("to").is_null()) key.to(entry.at("to"));
  if (!entry.at("below").is_null()) key.below(entry.at("below"));
  if (key.form == Form::integers) key.or_a(Form::integer);
  if (key.fallback.is_null() && !key.required) key.or_else("none");
  check_bounds(key, entry);
  key.fallback = normal_default(key);
  return key;
}

}  // namespace dlrun::plugin
