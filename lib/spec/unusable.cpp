// SPDX-License-Identifier: Apache-2.0
#include "spec/unusable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "plugin/found.hpp"
#include "plugin/taken.hpp"

namespace dlrun::spec {

namespace {

constexpr const char* kSampler = "search.sampler";

/// The part of a name behind the split that it is measured on: "matthews" of val.matthews.
std::string last_part(const std::string& name) { return name.substr(name.rfind('.') + 1); }

/// The text of the study at the fault's place, without quotes.
std::string text_at(const document::Span& span) {
  if (!span.exists() || span.column < 1) return {};
  const std::string_view line = span.source->line(span.line);
  const std::size_t begin = static_cast<std::size_t>(span.column) - 1;
  if (begin >= line.size()) return {};
  std::string text(line.substr(begin, static_cast<std::size_t>(std::max(span.length, 0))));
  std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
  return text;
}

/// Empty: no file of this name is unusable.
std::string reason_of(const std::string& name) {
  for (const plugin::Found& found : plugin::found()) {
    const bool is_it = found.manifest ? found.manifest->name == name : found.file.stem() == name;
    const bool is_ours = found.manifest && plugin::is_built_in(found.manifest->kind, name);  // the study means that one
    if (is_it && !is_ours && !found.fits())
      return fmt::format("the plugin '{}' in {} cannot be used: {}", name, found.file.string(), found.problem);
  }
  return {};
}

/// Empty: there is no plugin of this name, or one of the kind that is wanted.
std::string other_kind(const std::string& name, plugin::Kind wanted) {
  if (plugin::find(wanted, name) != nullptr) return {};
  for (const plugin::Found& found : plugin::found()) {
    if (found.fits() && found.manifest->name == name)
      return fmt::format("the plugin '{}' is of kind {}", name, plugin::name_of(found.manifest->kind));
  }
  return {};
}

/// Empty: every place can be read. Folders and files without a note have no manifest.
std::string lost_place() {
  for (const plugin::Found& found : plugin::found()) {
    std::error_code none;
    if (!found.manifest && !std::filesystem::exists(found.file, none))
      return fmt::format("plugins are looked for in '{}', which does not exist", found.file.string());
  }
  return {};
}

/// The section of a sampler that is written as a map; nullptr: there is none.
const document::Node* sampler_section(const document::Node* root) {
  const document::Node* search = root == nullptr ? nullptr : root->find("search");
  const document::Node* sampler = search == nullptr ? nullptr : search->find("sampler");
  return sampler != nullptr && sampler->is_map() ? sampler : nullptr;
}

bool is_same_place(const document::Span& a, const document::Span& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column;
}

std::string help_and_more(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "; " + second;
}

/// Kinds of plugins that a study names at one place.
struct Naming {
  const char* place;
  plugin::Kind kind;
};
constexpr Naming kNamings[] = {{kSampler, plugin::Kind::sampler},
                               {"search.sampler.op", plugin::Kind::sampler},
                               {"search.pruner", plugin::Kind::pruner},
                               {"search.pruner.op", plugin::Kind::pruner}};

/// The place at which a fault is; nullptr: none of these.
const Naming* naming_at(const document::Span& span, const document::Faults& faults) {
  for (const Naming& one : kNamings) {
    if (faults.was_written(one.place) && is_same_place(span, faults.value_of(one.place))) return &one;
  }
  return nullptr;
}

/// Help for a name that stands where plugins of one kind are named.
std::string help_at(const Naming& naming, const std::string& name, const std::string& help) {
  if (std::string kind = other_kind(name, naming.kind); !kind.empty()) return kind;
  return plugin::find(naming.kind, name) == nullptr && !plugin::is_built_in(naming.kind, name)
             ? help_and_more(help, lost_place())
             : help;
}

/// Without any sampler plugin a section has no meaning at all.
std::string help_of_sampler(const document::Node& section) {
  const document::Node* op = section.find("op");
  const std::string name = op == nullptr ? "" : op->text;
  if (std::string reason = reason_of(name); !reason.empty()) return reason;
  return help_at(
      kNamings[0], name,
      "a map is the section of a plugin, and no sampler is found: `dlrun plugins` says where it is looked for");
}

/// Variants are tuned by built-in samplers.
bool is_in_retune(const document::Span& span, const document::Faults& faults) {
  constexpr const char* kPlace = "ablation.retune.sampler";
  return faults.was_written(kPlace) && is_same_place(span, faults.value_of(kPlace));
}

void explain(document::Diagnostic& fault, const document::Faults& faults, const document::Node* section) {
  const Naming* naming = naming_at(fault.at, faults);
  if (section != nullptr && naming == &kNamings[0]) {
    fault.help = help_of_sampler(*section);
    return;
  }
  const std::string name = last_part(text_at(fault.at));
  if (name.empty()) return;
  if (const std::string reason = reason_of(name); !reason.empty()) {
    fault.help = reason;
  } else if (naming != nullptr) {
    fault.help = help_at(*naming, name, fault.help);
  } else if (is_in_retune(fault.at, faults) && plugin::find(plugin::Kind::sampler, name) != nullptr) {
    fault.help = fmt::format("variants are tuned by built-in samplers only, and '{}' is a plugin", name);
  }
}

}  // namespace

void explain_unusable(document::Faults& faults, const document::Node* root) {
  const bool has_samplers = !plugin::all_of(plugin::Kind::sampler).empty();
  const document::Node* section = has_samplers ? nullptr : sampler_section(root);
  document::Diagnostics told;
  for (document::Diagnostic fault : faults.list.list()) {
    if (!fault.is_warning) explain(fault, faults, section);
    told.add(std::move(fault));
  }
  faults.list = std::move(told);
}

}  // namespace dlrun::spec
