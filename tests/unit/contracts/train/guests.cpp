// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <utility>

#include "guests.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/plugin_copies.hpp"
#include "support/temp_folder.hpp"
#include "train/contracts/run.hpp"

namespace dlrun::contracts_test {

namespace {

struct Registered {
  std::string yaml;
  Make make;
};

std::vector<Registered>& registered() {
  static std::vector<Registered> all;
  return all;
}

/// Leaves every plugin in a folder that is found; before the first look for plugins.
void install() {
  static const support::TempFolder folder;
  static bool is_done = false;
  if (std::exchange(is_done, true)) return;
  for (const Registered& one : registered())
    support::set_door(support::write_plugin(folder.path(), one.yaml + "version: 1.0.0\nabout: a guest\n"), one.make);
  ::setenv("DLRUN_PLUGINS", folder.path().c_str(), 1);
}

Json section_of(const plugin::Found& found, const Json& keys) {
  Json section{{"op", found.manifest->name}};
  for (const options::Key& key : found.manifest->keys) section[key.name] = key.fallback;
  section.update(keys);
  return section;
}

/// Numbers of float32 have few digits that every processor gives: two of them are compared.
std::string with_few_digits(const std::string& detail) {
  static const std::regex number(R"( (is|say|mean) (-?[0-9.]+(e[-+][0-9]+)?|-nan))");
  if (detail.find("differences say") == std::string::npos && detail.find("losses of the") == std::string::npos)
    return detail;
  std::string text, rest = detail;
  for (std::smatch found; std::regex_search(rest, found, number); rest = found.suffix())
    text += fmt::format("{} {} {:.2g}", found.prefix().str(), found[1].str(), std::abs(std::stod(found[2])));
  return text + rest;
}

}  // namespace

Guest::Guest(const char* yaml, Make make) { registered().push_back({yaml, make}); }

const plugin::Found& guest(plugin::Kind kind, const std::string& name) {
  install();
  return plugin::named(kind, name);
}

plugin::Tested tested(plugin::Kind kind, const std::string& name, const Json& keys) {
  const plugin::Found& found = guest(kind, name);
  return {found, section_of(found, keys)};
}

std::string verdicts(plugin::Kind kind, const std::string& name, const Json& keys) {
  const trial::PluginTest test{
      .kind = plugin::name_of(kind), .name = name, .section = section_of(guest(kind, name), keys)};
  std::string whole, broken, kept, begun;
  train::test_plugin(test, [&](const trial::PluginVerdict& verdict) {
    if (verdict.has_begun) {
      begun = verdict.test;
      return;
    }
    CHECK(begun == verdict.test);
    const std::string line = fmt::format("{}: {}\n", verdict.test, with_few_digits(verdict.detail));
    whole += "  ok " + line;
    if (!verdict.has_passed) broken += "  BROKEN " + line;
    if (verdict.has_passed) kept += (kept.empty() ? "  ok " : ", ") + verdict.test;
  });
  return broken.empty() ? whole : broken + kept + "\n";
}

std::string chapter(plugin::Kind kind, const std::string& name, const Json& keys) {
  return fmt::format("{} {} {}\n{}", plugin::name_of(kind), name, to_text(keys), verdicts(kind, name, keys));
}

void require_golden(const std::string& file, const std::string& text) {
  const std::string wanted = support::golden(std::filesystem::path(DLRUN_CONTRACTS) / file, text);
  for (std::size_t a = 0, b = 0; a < text.size() || b < wanted.size();) {
    const std::size_t end = std::min(text.find('\n', a), text.size()),
                      other = std::min(wanted.find('\n', b), wanted.size());
    CHECK(text.substr(a, end - a) == wanted.substr(b, other - b));
    if (text.compare(a, end - a, wanted, b, other - b) != 0) break;
    a = end + 1, b = other + 1;
  }
  CHECK(text.size() == wanted.size());
}

}  // namespace dlrun::contracts_test
