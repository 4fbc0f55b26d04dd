// SPDX-License-Identifier: Apache-2.0
#include "final/after.hpp"

#include <fmt/format.h>

#include "final/warm_race.hpp"
#include "spec/concise.hpp"
#include "storage/store.hpp"
#include "util/sha256.hpp"

namespace dlrun::final {

Json section_after(const spec::StudySpec& spec) {
  const Json final = spec.json.value("final", Json());
  const bool is_final_itself = final.is_object() && final.value("of", Json()).is_string();
  return !final.is_object() || is_final_itself || spec.ablation ? Json() : final;
}

namespace {

/// A study of this name that follows the search. nullopt: the store has none.
std::optional<storage::StudyRow> follower(const std::filesystem::path& store, const std::string& name,
                                          const spec::StudySpec& search) {
  auto row = storage::Store::find(store, name);
  const Json final = row ? row->spec.value("final", Json()) : Json();
  const Json of = final.is_object() ? final.value("of", Json()) : Json();
  if (!of.is_string() || !of.get<std::string>().starts_with(search.name + "/")) return std::nullopt;
  return row;
}

/// Whether the store has a study of this name, or of its race's.
bool is_taken(const std::filesystem::path& store, const std::string& name) {
  return storage::Store::find(store, name) || storage::Store::find(store, warm_race_name(name));
}

bool is_like(const Json& final, const Following& wanted) {
  const Json digest = final.value("digest", Json());
  return final.at("of") == wanted.trial && (wanted.digest.empty() || digest.is_null() || digest == wanted.digest);
}

}  // namespace

std::optional<spec::StudySpec> begun(const std::filesystem::path& store, const std::string& name,
                                     const spec::StudySpec& search) {
  const auto row = follower(store, name, search);
  return row ? std::optional(spec::from_json(row->spec, row->spec_text)) : std::nullopt;
}

std::string digest_of(const Json& section) {
  constexpr std::size_t kDigits = 16;
  return Sha256::hex_of(to_text(spec::concise_section("final", section))).substr(0, kDigits);
}

std::string name_for(const std::filesystem::path& store, const spec::StudySpec& search, const Following& wanted) {
  std::optional<std::string> newest;
  for (int number = 1;; ++number) {
    std::string name = search.name + "-final" + (number == 1 ? "" : fmt::format("-{}", number));
    auto found = follower(store, name, search);
    if (!found) found = follower(store, warm_race_name(name), search);
    if (!found && is_taken(store, name)) continue;
    if (!found) return newest.value_or(name);
    if (is_like(found->spec.at("final"), wanted)) newest = name;
  }
}

}  // namespace dlrun::final
