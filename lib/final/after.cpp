// SPDX-License-Identifier: Apache-2.0
#include "final/after.hpp"

#include "storage/store.hpp"

namespace dlrun::final {

Json section_after(const spec::StudySpec& spec) {
  const Json final = spec.json.value("final", Json());
  const bool is_final_itself = final.is_object() && final.value("of", Json()).is_string();
  return !final.is_object() || is_final_itself || spec.ablation ? Json() : final;
}

std::string name_after(const spec::StudySpec& spec) { return spec.name + "-final"; }

std::optional<spec::StudySpec> begun_after(const std::filesystem::path& store, const spec::StudySpec& spec) {
  const auto begun = storage::Store::find(store, name_after(spec));
  const std::string of = begun ? begun->spec.value("final", Json::object()).value("of", std::string()) : "";
  if (!of.starts_with(spec.name + "/")) return std::nullopt;
  return spec::from_json(begun->spec, begun->spec_text);
}

}  // namespace dlrun::final
