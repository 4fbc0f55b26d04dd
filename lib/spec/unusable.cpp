// SPDX-License-Identifier: Apache-2.0
#include "spec/unusable.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "plugin/found.hpp"

namespace dlrun::spec {

namespace {

/// The texts in quotes of a message: "there is no layer kind \"x\"".
std::vector<std::string> quoted_names(const std::string& message) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; (begin = message.find_first_of("'\"", begin)) != std::string::npos;) {
    const std::size_t end = message.find(message[begin], begin + 1);
    if (end == std::string::npos) break;
    names.push_back(message.substr(begin + 1, end - begin - 1));
    begin = end + 1;
  }
  return names;
}

bool is_about_name(const document::Diagnostic& fault) {
  const auto says = [&](const char* words) { return fault.message.find(words) != std::string::npos; };
  return !fault.is_warning && (says("there is no ") || says("cannot be "));
}

/// Empty: no file of this name is unusable.
std::string reason_of(const std::string& name) {
  for (const plugin::Found& found : plugin::found()) {
    const bool is_it = found.manifest ? found.manifest->name == name : found.file.stem() == name;
    if (is_it && !found.fits())
      return fmt::format("the plugin '{}' in {} cannot be used: {}", name, found.file.string(), found.problem);
  }
  return {};
}

/// A section of a plugin, where dlrun finds no sampler at all but its own.
bool is_lost_sampler(const document::Diagnostic& fault) {
  return fault.message.starts_with("'search.sampler' must be ") && fault.message.ends_with("is a map") &&
         plugin::all_of(plugin::Kind::sampler).empty();
}

}  // namespace

void explain_unusable(document::Diagnostics& faults) {
  document::Diagnostics told;
  for (document::Diagnostic fault : faults.list()) {
    for (const std::string& name : is_about_name(fault) ? quoted_names(fault.message) : std::vector<std::string>()) {
      if (const std::string reason = reason_of(name); !reason.empty()) fault.help = reason;
    }
    if (is_lost_sampler(fault))
      fault.help =
          "a map is the section of a plugin, and no sampler is found: `dlrun plugins` says where it is looked for";
    told.add(std::move(fault));
  }
  faults = std::move(told);
}

}  // namespace dlrun::spec
