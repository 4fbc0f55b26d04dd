// SPDX-License-Identifier: Apache-2.0
// read(): the file to its normal form, every fault on the way, then the values the driver works with.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <system_error>

#include "ablation/section_reader.hpp"
#include "ablation/suggest.hpp"
#include "spec/familiar_words.hpp"
#include "spec/keep_section.hpp"
#include "spec/load_study.hpp"
#include "spec/plugins_used.hpp"
#include "spec/study_checker.hpp"
#include "spec/study_reader.hpp"
#include "spec/unusable.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;
using document::Node;

namespace {

/// The ablation of a study. Settings that are retuned are checked with the whole space first.
Json read_ablation(const Node& root, const Source& source, Faults& faults) {
  const Node& section = *root.find("ablation");
  const bool retunes = ablation::asks_to_retune(section);
  std::vector<std::string> left_out;
  Node base = ablation::without_search(root, left_out, retunes);
  Json study = StudyReader(source, true, faults).read(base);
  if (!left_out.empty())
    faults.warn("",
                fmt::format("an ablation trains its variants whole and leaves aside {}", fmt::join(left_out, ", ")));
  if (faults.list.has_errors()) return study;
  faults.wrote("ablation", root, "ablation");
  const StudyChecker checker(source);
  ablation::Settings settings;
  if (retunes) {
    settings = ablation::settings_of(study);
    base = ablation::without_search(root, left_out);
    Faults known;
    study = checker.check(base, known);
  }
  ablation::add_ablation(study, base, section, settings, checker, faults);
  return study;
}

/// A study, or the ablation of one.
Json read_document(const Node& root, const Source& source, Faults& faults) {
  const Node* section = root.find("ablation");
  const bool is_there = section != nullptr && !section->is_null();
  if (is_there && source.ablation != Ablation::refused) return read_ablation(root, source, faults);
  if (source.ablation == Ablation::required)
    faults.list.error(root.span, "the study has no 'ablation'", "ablation: {components: [{id: bn, drop: {…}}]}");
  return StudyReader(source, false, faults).read(root);
}

/// Gives `use` the study without its search. @throws SpecError
void with_baseline(const Source& source, const std::function<void(const ablation::Baseline&)>& use) {
  Faults faults(help_for_familiar);
  const document::Loaded loaded = load_study(source, faults);
  if (loaded.root) {
    std::vector<std::string> left_out;
    Node base = ablation::without_search(*loaded.root, left_out);
    Json study = StudyReader(source, true, faults).read(base);
    const StudyChecker checker(source);
    if (!faults.list.has_errors()) ablation::fold_constants(study, base, checker, faults);
    if (!faults.list.has_errors()) use({study, base, checker});
  }
  require_sound(faults.list);
}

}  // namespace

std::vector<fs::path> config_folders() {
  std::error_code fault;
  std::vector<fs::path> out;
  fs::path folder = fs::read_symlink("/proc/self/exe", fault).parent_path();
  constexpr int kMostSteps = 6;
  for (int i = 0; i < kMostSteps && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const fs::path& candidate : {folder / "configs", folder / "share" / "dlrun" / "configs"}) {
      if (fs::is_directory(candidate, fault)) out.push_back(candidate);
    }
  }
  return out;
}

ablation::Proposed propose_ablation(const Source& source, const ablation::ProposalOptions& options,
                                    const ablation::AskProposer& ask) {
  ablation::Proposed out;
  with_baseline(source, [&](const ablation::Baseline& baseline) { out = proposed(baseline, options, ask); });
  return out;
}

std::string suggest_ablation(const Source& source) {
  std::vector<ablation::Suggestion> found;
  with_baseline(source, [&](const ablation::Baseline& baseline) { found = suggestions(baseline); });
  if (found.empty())
    throw Error(ErrorKind::usage, "nothing of this trial can be left out by itself",
                "docs/ablation.md says what can be");
  return to_yaml(found);
}

StudySpec read(const Source& source, std::vector<Warning>* warnings) {
  Faults faults(help_for_familiar);
  const document::Loaded loaded = load_study(source, faults);
  Json study;
  if (loaded.root) study = read_document(*loaded.root, source, faults);
  if (faults.list.has_errors()) explain_unusable(faults, loaded.root ? &*loaded.root : nullptr);
  require_sound(faults.list);
  if (Json plugins = plugins_used(study); !plugins.empty()) study["derived"]["plugins"] = std::move(plugins);
  StudySpec spec = from_json(study, loaded.text);
  check_final_donors(spec, faults);
  require_sound(faults.list);
  if (warnings != nullptr) {
    for (const std::string& text : faults.list.render_warnings()) warnings->push_back({text});
  }
  return spec;
}

}  // namespace dlrun::spec
