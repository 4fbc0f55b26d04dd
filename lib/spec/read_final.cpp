// SPDX-License-Identifier: Apache-2.0
// `final:` read by itself, where the search it follows is in a store.
#include "document/load.hpp"
#include "spec/familiar_words.hpp"
#include "spec/keys.hpp"
#include "spec/reading.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "trial/kinds.hpp"

namespace dlrun::spec {

namespace {

std::optional<document::Node> load(const Source& source, Faults& faults) {
  document::LoadOptions options;
  options.file = source.file;
  options.text = source.text;
  options.pieces = source.config_folders.empty() ? config_folders() : source.config_folders;
  document::Loaded out = document::load(options, faults.list);
  if (!source.over.empty()) {
    options.file = source.over;
    options.text = std::nullopt;
    document::Loaded over = document::load(options, faults.list);
    if (!out.root || !over.root) return std::nullopt;
    out.root = document::merge(std::move(*out.root), std::move(*over.root));
  }
  for (std::size_t i = 0; out.root && i < source.sets.size(); ++i)
    document::apply_set(*out.root, source.sets[i], kAfterFiles + int(i), options.environment, faults.list);
  return out.root;
}

}  // namespace

Json read_final(const Source& source, const std::string& kind) {
  Faults faults(help_for_familiar);
  Json study;
  if (const auto root = load(source, faults)) {
    study = read_table(*root, {final_key()}, "", "a file of a final training", faults);
    study["trial"] = {{"kind", trial::runs_program(kind) ? kind : "train"}};
    if (!faults.list.has_errors()) check_final(study, root->find("final"), faults);
  }
  require_sound(faults.list);
  return study.value("final", Json());
}

}  // namespace dlrun::spec
