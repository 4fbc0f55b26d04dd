// SPDX-License-Identifier: Apache-2.0
#include "contracts/test_plugin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contracts/contract.hpp"
#include "options/form.hpp"
#include "output/console.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

const plugin::Found& plugin_named(const std::string& name) {
  for (const plugin::Found& found : plugin::found()) {
    if (found.fits() && found.manifest->name == name) return found;
  }
  throw Error(ErrorKind::usage, fmt::format("there is no plugin '{}'", name),
              "`dlrun plugins` says what is found and where it is looked for");
}

Json value_of(const std::string& text) {
  const Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

void set(Json& section, const std::string& setting, const plugin::Manifest& manifest) {
  const std::size_t at = setting.find('=');
  const options::Key* key = options::find(manifest.keys, setting.substr(0, at));
  if (at == std::string::npos || key == nullptr)
    throw Error(ErrorKind::usage, fmt::format("'{}' sets no key of '{}'", setting, manifest.name),
                manifest.keys.empty()
                    ? "it has no keys"
                    : fmt::format("write key=value; its keys are {}", fmt::join(options::names(manifest.keys), ", ")));
  const Json value = value_of(setting.substr(at + 1));
  if (!options::has_form(value, *key)) throw Error(ErrorKind::usage, options::describe_misfit(*key, value));
  section[key->name] = value;
}

Json section_of(const plugin::Manifest& manifest, const std::vector<std::string>& settings) {
  Json section{{"op", manifest.name}};
  for (const options::Key& key : manifest.keys) section[key.name] = key.fallback;
  for (const std::string& setting : settings) set(section, setting, manifest);
  for (const options::Key& key : manifest.keys) {
    if (key.required && section[key.name].is_null())
      throw Error(ErrorKind::usage, fmt::format("'{}' needs the key '{}'", manifest.name, key.name),
                  fmt::format("dlrun plugins test {} {}=VALUE", manifest.name, key.name));
  }
  return section;
}

std::vector<Check> checks_of(const Tested& tested) {
  const plugin::Kind kind = tested.plugin.manifest->kind;
  if (kind == plugin::Kind::sampler) return sampler_checks(tested);
  throw Error(ErrorKind::usage,
              fmt::format("there are no contract tests of plugins of kind {}", plugin::name_of(kind)));
}

struct Verdict {
  bool has_passed = true;
  std::string detail;
};

Verdict run(const Check& check) {
  try {
    return {true, check.run()};
  } catch (const Broken& broken) {
    return {false, broken.message};
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::outside) throw;
    return {false, fault.what()};
  }
}

}  // namespace

int test_plugin(const std::string& name, const std::vector<std::string>& settings, Console& console) {
  const plugin::Found& found = plugin_named(name);
  const Tested tested{found, section_of(*found.manifest, settings)};
  report::Table table{.columns = {"test", "result", "detail"}};
  int failed = 0;
  for (const Check& check : checks_of(tested)) {
    const Verdict verdict = run(check);
    table.rows.push_back({check.name, verdict.has_passed ? "passed" : "failed", verdict.detail});
    failed += verdict.has_passed ? 0 : 1;
  }
  console.print(table);
  if (failed > 0) console.note(fmt::format("{} of {} tests failed", failed, table.rows.size()));
  return failed > 0 ? 1 : 0;
}

}  // namespace dlrun::cli
