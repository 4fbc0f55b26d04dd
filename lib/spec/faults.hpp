// SPDX-License-Identifier: Apache-2.0
// Faults by dotted path ("trial.optimizer.lr", lists by number) instead of by place: the reader notes where each path
// was written, the checks that follow name paths.
#pragma once
#include <map>
#include <set>
#include <string>

#include "ablation/refused.hpp"
#include "document/diagnostic.hpp"

namespace dlrun::spec {

/// Where something was written.
struct Written {
  document::Span key;  ///< the key; for a list's element the element itself
  document::Span value;
};

class Faults {
 public:
  document::Diagnostics list;

  void wrote(const std::string& path, Written where) { places_[path] = std::move(where); }
  /// Points at the value; where the path was not written, at the key of the nearest map around it.
  void at(const std::string& path, const std::string& message, const std::string& help = {});
  /// Points at the key.
  void at_key(const std::string& path, const std::string& message, const std::string& help = {});
  /// A component that cannot be ablated, at its key.
  void refuse(const std::string& path, const ablation::Refused& fault);
  /// Both places: of the fault and of what it clashes with.
  void clash(const std::string& path, const std::string& message, const std::string& other, const std::string& note,
             const std::string& help = {});
  void warn(const std::string& path, const std::string& message, const std::string& help = {});

  /// What stands there has been reported by somebody else.
  void spoil(const std::string& path) { bad_.insert(path); }

  /// Was something wrong at the path, inside it, or around it? Checks that build upon it are left out then.
  bool is_bad(const std::string& path) const;
  bool was_written(const std::string& path) const { return places_.contains(path); }
  /// Was anything written inside of it?
  bool has_inside(const std::string& path) const;
  document::Span value_of(const std::string& path) const { return find(path, false); }
  document::Span key_of(const std::string& path) const { return find(path, true); }

 private:
  document::Span find(std::string path, bool wants_key) const;

  std::map<std::string, Written> places_;
  std::set<std::string> bad_;
};

/// "a" and "b" to "a.b"; either may be empty.
std::string join(const std::string& path, const std::string& key);

/// "did you mean 'x'?", else "there are a, b and c" (the first dozen).
std::string suggest(const std::string& name, const std::vector<std::string>& known,
                    const std::string& lead = "there are");

}  // namespace dlrun::spec
