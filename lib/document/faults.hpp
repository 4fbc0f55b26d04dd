// SPDX-License-Identifier: Apache-2.0
// Faults by dotted path ("trial.optimizer.lr", lists by number) instead of by place: the reader notes where each path
// was written, later checks name paths.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>

#include "document/diagnostic.hpp"
#include "document/node.hpp"
#include "util/error.hpp"

namespace dlrun::document {

/// Place of a key and its value.
struct Written {
  Span key;  ///< for a list's element the element itself
  Span value;
};

class Faults {
 public:
  /// Help for a word at a path where nothing has that name; empty: none is known.
  using Advice = std::function<std::string(const std::string& path, const std::string& word)>;

  explicit Faults(Advice advice = {}) : advice_(std::move(advice)) {}

  Diagnostics list;

  void wrote(const std::string& path, Written where) { places_[path] = std::move(where); }
  /// Notes the place of `key` in the map, if the map has it.
  void wrote(const std::string& path, const Node& map, const std::string& key);
  /// Points at the value; if the path was not written, at the key of the nearest map around it.
  void at(const std::string& path, const std::string& message, const std::string& help = {});
  /// Points at the key.
  void at_key(const std::string& path, const std::string& message, const std::string& help = {});
  /// Points at the key; `code` is that of the broken rule, with which the fault's message begins.
  void refuse(const std::string& path, const std::string& code, const Error& fault);
  /// Shows both places, that of the fault and that of its rival.
  void clash(const std::string& path, const std::string& message, const std::string& other, const std::string& note,
             const std::string& help = {});
  void warn(const std::string& path, const std::string& message, const std::string& help = {});

  /// Marks a place whose fault is reported elsewhere.
  void spoil(const std::string& path) { bad_.insert(path); }

  /// Whether something is wrong at the path, inside it, or around it: checks that build upon it are then left out.
  bool is_bad(const std::string& path) const;
  bool was_written(const std::string& path) const { return places_.contains(path); }
  /// Whether anything was written inside the map at `path`.
  bool has_inside(const std::string& path) const;
  /// Help for a word that is none of the known ones: the reader's advice, else as suggest().
  std::string help_for(const std::string& path, const std::string& word, const std::vector<std::string>& known,
                       const std::string& lead) const;
  Span value_of(const std::string& path) const { return find(path, false); }
  Span key_of(const std::string& path) const { return find(path, true); }

 private:
  Span find(std::string path, bool wants_key) const;

  Advice advice_;
  std::map<std::string, Written> places_;
  std::set<std::string> bad_;
};

/// "a" and "b" to "a.b"; either may be empty.
std::string join(const std::string& path, const std::string& key);

/// "did you mean 'x'?", else "there are a, b and c" (the first dozen).
std::string suggest(const std::string& name, const std::vector<std::string>& known,
                    const std::string& lead = "there are");

}  // namespace dlrun::document
