// SPDX-License-Identifier: Apache-2.0
#include "spec/load_study.hpp"

#include <string_view>
#include <utility>

#include "spec/keys.hpp"

namespace dlrun::spec {

using document::Node;

namespace {

constexpr std::string_view kEnd = "-ablation";  // ends the name of an ablation that has none of its own

/// `--set model.nodes.fc1.out=64` means the trial's model, as in `at:`.
std::string with_trial(const std::string& set) {
  const std::string first = set.substr(0, set.find_first_of(".="));
  if (find(study_keys(), first) != nullptr) return set;
  for (const Variant& kind : trial_key().variants) {
    if (find(kind.table, first) != nullptr) return "trial." + set;
  }
  return set;
}

/// The user has not written the end of this name.
void require_short(const Node& study) {
  const Node* name = study.find("study");
  if (name == nullptr || name->text.size() <= kLongestName || !name->text.ends_with(kEnd)) return;
  const std::string own = name->text.substr(0, name->text.size() - kEnd.size());
  if (own.size() > kLongestName) return;  // said where it stands
  throw Error(ErrorKind::usage,
              "the ablation's name, that of the study with '-ablation', is longer than 100 characters",
              "say --name NAME, or `study:` in the ablation's file");
}

/// The second file laid over the first, as if it extended it; the ablation has a name of its own.
document::Loaded load_over(document::LoadOptions options, const std::filesystem::path& second, Faults& faults) {
  const std::vector<std::string> sets = std::exchange(options.sets, {});
  document::Loaded out = document::load(options, faults.list);
  options.file = second;
  options.text.reset();
  document::Loaded over = document::load(options, faults.list);
  if (!out.root || !over.root) return {};
  const bool has_name = over.root->find("study") != nullptr;
  out.root = document::merge(std::move(*out.root), std::move(*over.root));
  document::Entry* name = out.root->find_entry("study");
  if (!has_name && name != nullptr) name->value.text += kEnd;
  out.text += "\n---\n" + over.text;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    document::apply_set(*out.root, sets[i], kAfterFiles + int(i), options.environment, faults.list);
  }
  if (!has_name) require_short(*out.root);
  return out;
}

/// Folders from which the paths of a study count.
std::vector<std::filesystem::path> bases_of(const Source& source) {
  std::vector<std::filesystem::path> out = source.data_folders;
  out.push_back(std::filesystem::absolute(source.file).parent_path());
  out.push_back(std::filesystem::current_path());
  return out;
}

}  // namespace

document::Loaded load_study(const Source& source, Faults& faults) {
  document::LoadOptions options;
  options.file = source.file;
  for (const std::string& set : source.sets) options.sets.push_back(with_trial(set));
  options.pieces = source.config_folders.empty() ? config_folders() : source.config_folders;
  options.environment.keep = {"args"};
  options.text = source.text;
  options.fence = source.fence;
  const bool is_guarded = source.fence && source.fence->guards_values();
  if (is_guarded) options.environment.lookup = [](const std::string&) { return std::nullopt; };
  document::Loaded out =
      source.over.empty() ? document::load(options, faults.list) : load_over(options, source.over, faults);
  if (is_guarded && out.root) {
    document::require_inside(*out.root, *source.fence, bases_of(source), faults.list);
    if (faults.list.has_errors()) out.root.reset();  // no file that the study names is opened
  }
  return out;
}

}  // namespace dlrun::spec
