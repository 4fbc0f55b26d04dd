// SPDX-License-Identifier: Apache-2.0
#include "ablation/selector.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <regex>

#include "ablation/refused.hpp"
#include "util/edit_distance.hpp"

namespace dlrun::ablation {

namespace {

using model::Block;
using model::Declared;
using model::Draft;

/// Something a selector can match.
struct Candidate {
  std::string name;
  std::string op;
  std::vector<std::string> tags;
  bool is_block = false;
};

bool is_within(const std::string& name, const std::string& block) {
  return name == block || name.starts_with(block + '.');
}

std::vector<Candidate> candidates_of(const Declared& model) {
  std::vector<Candidate> out;
  const auto is_block = [&](const std::string& name) {
    return std::any_of(model.plan.blocks.begin(), model.plan.blocks.end(),
                       [&](const Block& block) { return block.name == name; });
  };
  for (const Draft& draft : model.plan.nodes) {
    for (auto block = model.plan.blocks.rbegin(); block != model.plan.blocks.rend(); ++block) {
      const bool ends_here = block->value == draft.name;
      if (ends_here) out.push_back({block->name, block->op, draft.tags, true});
    }
    if (!is_block(draft.name)) out.push_back({draft.name, draft.op, draft.tags, false});
  }
  return out;
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::regex compiled(const std::string& text) {
  try {
    return std::regex(text, std::regex::ECMAScript);
  } catch (const std::regex_error& fault) {
    throw Refused("E201", fmt::format("the regular expression '{}' is none: {}", text, fault.what()));
  }
}

bool is_selected(const Candidate& candidate, const Selector& selector, const std::regex& regex) {
  if (!selector.names.empty() && !contains(selector.names, candidate.name)) return false;
  if (!candidate.name.starts_with(selector.prefix)) return false;
  if (!selector.glob.empty() && fnmatch(selector.glob.c_str(), candidate.name.c_str(), 0) != 0) return false;
  if (!selector.regex.empty() && !std::regex_search(candidate.name, regex)) return false;
  if (!selector.kind.empty() && candidate.op != selector.kind) return false;
  const auto has = [&](const std::string& tag) { return contains(candidate.tags, tag); };
  return std::all_of(selector.tags.begin(), selector.tags.end(), has) && !contains(selector.except, candidate.name);
}

Match match_of(const Candidate& candidate, const Declared& model) {
  Match match{candidate.name, {}};
  for (const Draft& draft : model.plan.nodes) {
    const bool is_part = candidate.is_block ? is_within(draft.name, candidate.name) : draft.name == candidate.name;
    if (is_part) match.nodes.push_back(draft.name);
  }
  return match;
}

std::string text_of(const Selector& s) {
  std::vector<std::string> parts;
  if (!s.names.empty()) parts.push_back(fmt::format("name: {}", fmt::join(s.names, ", ")));
  if (!s.prefix.empty()) parts.push_back("prefix: " + s.prefix);
  if (!s.glob.empty()) parts.push_back("glob: " + s.glob);
  if (!s.regex.empty()) parts.push_back("regex: " + s.regex);
  if (!s.kind.empty()) parts.push_back("kind: " + s.kind);
  if (!s.tags.empty()) parts.push_back(fmt::format("tags: {}", fmt::join(s.tags, ", ")));
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

template <class Get>
std::vector<std::string> distinct(const std::vector<Candidate>& candidates, Get get) {
  std::vector<std::string> out;
  for (const Candidate& candidate : candidates) {
    for (const std::string& one : get(candidate)) {
      if (!contains(out, one)) out.push_back(one);
    }
  }
  return out;
}

/// Hint of the nearest names, kinds or tags if nothing matched.
std::string hint_for(const Selector& s, const std::vector<Candidate>& candidates) {
  const auto names = distinct(candidates, [](const Candidate& c) { return std::vector{c.name}; });
  const auto kinds = distinct(candidates, [](const Candidate& c) { return std::vector{c.op}; });
  const auto tags = distinct(candidates, [](const Candidate& c) { return c.tags; });
  for (const std::string& name : s.names) {
    if (!contains(names, name)) return nearest_three(name, names);
  }
  if (!s.prefix.empty()) return nearest_three(s.prefix, names);
  if (!s.kind.empty() && !contains(kinds, s.kind)) {
    const std::string nearest = nearest_name(s.kind, kinds);
    return nearest.empty() ? fmt::format("the model has {}", fmt::join(kinds, ", "))
                           : fmt::format("did you mean '{}'?", nearest);
  }
  for (const std::string& tag : s.tags) {
    if (contains(tags, tag)) continue;
    return tags.empty() ? "no layer of the model has a tag" : fmt::format("its tags are {}", fmt::join(tags, ", "));
  }
  return fmt::format("the model has {}", fmt::join(names, ", "));
}

/// A name that is not there, or one in `except`, is a slip of the pen.
void require_names(const Selector& selector, const std::vector<Candidate>& candidates) {
  const auto names = distinct(candidates, [](const Candidate& c) { return std::vector{c.name}; });
  for (const auto* list : {&selector.names, &selector.except}) {
    for (const std::string& name : *list) {
      if (contains(names, name)) continue;
      throw Refused("E201", fmt::format("the model has no component '{}'", name), nearest_three(name, names));
    }
  }
}

void require_no_head(const Declared& model, const std::vector<Match>& matches) {
  for (const Draft& draft : model.plan.nodes) {
    if (draft.role != "head") continue;
    for (const Match& match : matches) {
      if (!contains(match.nodes, draft.name)) continue;
      throw Refused("E203", fmt::format("'{}' is the model's head, which gives its answer", draft.name),
                    fmt::format("write except: [{}], or allow_head: true", draft.name));
    }
  }
}

}  // namespace

std::string nearest_three(const std::string& name, const std::vector<std::string>& known) {
  std::vector<std::string> sorted = known;
  std::stable_sort(sorted.begin(), sorted.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(name, a) < edit_distance(name, b);
  });
  constexpr std::size_t kMost = 3;
  if (sorted.size() > kMost) sorted.resize(kMost);
  return sorted.empty() ? "" : fmt::format("the nearest are '{}'", fmt::join(sorted, "', '"));
}

std::vector<std::string> names_of(const Declared& model) {
  std::vector<std::string> out;
  for (const Candidate& candidate : candidates_of(model)) out.push_back(candidate.name);
  return out;
}

std::vector<Match> select(const Declared& model, const Selector& selector, bool allow_head) {
  const std::vector<Candidate> candidates = candidates_of(model);
  require_names(selector, candidates);
  const std::regex regex = compiled(selector.regex);
  std::vector<Match> matches;
  for (const Candidate& candidate : candidates) {
    if (is_selected(candidate, selector, regex)) matches.push_back(match_of(candidate, model));
  }
  if (matches.empty())
    throw Refused("E201", fmt::format("nothing in the model matches {}", text_of(selector)),
                  hint_for(selector, candidates));
  if (!allow_head) require_no_head(model, matches);
  return matches;
}

}  // namespace dlrun::ablation
