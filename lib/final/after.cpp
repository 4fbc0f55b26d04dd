// SPDX-License-Identifier: Apache-2.0
#include "final/after.hpp"

#include "final/warm_race.hpp"
#include "storage/store.hpp"

namespace dlrun::final {

Json section_after(const spec::StudySpec& spec) {
  const Json final = spec.json.value("final", Json());
  const bool is_final_itself = final.is_object() && final.value("of", Json()).is_string();
  return !final.is_object() || is_final_itself || spec.ablation ? Json() : final;
}

std::string name_after(const spec::StudySpec& spec) { return spec.name + "-final"; }

namespace {

/// A study of this name that follows the search. nullopt: the store has none.
std::optional<spec::StudySpec> begun(const std::filesystem::path& store, const std::string& name,
                                     const spec::StudySpec& search) {
  const auto begun = storage::Store::find(store, name);
  const Json final = begun ? begun->spec.value("final", Json()) : Json();
  const Json of = final.is_object() ? final.value("of", Json()) : Json();
  if (!of.is_string() || !of.get<std::string>().starts_with(search.name + "/")) return std::nullopt;
  return spec::from_json(begun->spec, begun->spec_text);
}

/// "search-final", "search-final-2" and so on.
std::string numbered(const std::string& name, int number) {
  return number == 1 ? name : name + "-" + std::to_string(number);
}

}  // namespace

std::optional<spec::StudySpec> begun_after(const std::filesystem::path& store, const spec::StudySpec& spec) {
  std::optional<spec::StudySpec> newest;
  for (int number = 1;; ++number) {
    auto next = begun(store, numbered(name_after(spec), number), spec);
    if (!next) return newest;
    newest = std::move(next);
  }
}

std::string name_for(const std::filesystem::path& store, const spec::StudySpec& spec, const std::string& trial) {
  for (int number = 1;; ++number) {
    std::string name = numbered(name_after(spec), number);
    const auto found = begun(store, name, spec);
    if (!found || found->json.at("final").at("of") == trial) return name;
  }
}

std::optional<spec::StudySpec> begun_race_after(const std::filesystem::path& store, const spec::StudySpec& spec) {
  return begun(store, warm_race_name(name_after(spec)), spec);
}

}  // namespace dlrun::final
