// SPDX-License-Identifier: Apache-2.0
#include "ablation/proposals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "ablation/request.hpp"
#include "ablation/try_component.hpp"
#include "document/emit.hpp"
#include "document/parse.hpp"
#include "document/reader.hpp"
#include "util/sha256.hpp"

namespace dlrun::ablation {

namespace {

const char* const kReplyHelp = "a reply is YAML: components: [{id: …, drop: …, rationale: …, expected: helps}, …]";

/// Entries of `components:`, the one key of a reply.
std::vector<Node> components_of(const std::string& reply) {
  document::Diagnostics faults;
  const document::Source source = document::make_source("the reply", {}, 0, reply, faults);
  require_sound(faults);
  const std::optional<Node> root = document::parse(source, faults);
  require_sound(faults);
  const Node* list = root->find("components");
  if (list == nullptr || !list->is_list())
    faults.error(root->span, "the reply is no list of 'components' but " + document::describe(*root), kReplyHelp);
  require_sound(faults);
  for (const document::Entry& entry : root->entries) {
    if (entry.key != "components")
      faults.error(entry.key_span, "unknown key " + document::quote(entry.key), kReplyHelp);
  }
  if (list->items.size() > kMostProposals)
    faults.error(list->span, fmt::format("{} components, more than {}", list->items.size(), kMostProposals));
  require_sound(faults);
  return list->items;
}

bool has_slash(const Json& value) {
  if (value.is_string()) return value.get<std::string>().find('/') != std::string::npos;
  return value.is_structured() && std::any_of(value.begin(), value.end(), has_slash);
}

/// A place that would make dlrun open a file of the proposer's choice, or run a program; empty: there is none.
std::string closed_place(const Json& component) {
  const Json set = component.value("set", Json());
  if (set.is_object()) {
    for (const auto& [place, value] : set.items()) {
      if (!is_open_to_proposals(place) || has_slash(value)) return place;
    }
  }
  for (const char* key : {"drop_argument", "swap_argument"}) {
    if (!component.value(key, Json()).is_null()) return key;
  }
  const Json swap = component.value("swap", Json());
  return swap == "init" || has_slash(component.value("to", Json())) ? "to" : "";
}

/// The component without defaults.
Json as_written(const Node& component) {
  Faults unread;
  return document::read_any(component, "component", unread);
}

class Proposals {
 public:
  explicit Proposals(const Baseline& baseline) : baseline_(baseline) {}

  /// Accepts what can be built. @return the rest
  std::vector<Rejected> judge(const std::vector<Node>& components) {
    std::vector<Rejected> rejected;
    for (std::size_t i = 0; i < components.size(); ++i) {
      Rejected one = judged(components[i]);
      if (one.code.empty()) continue;
      if (one.id.empty()) one.id = fmt::format("#{}", i + 1);
      rejected.push_back(std::move(one));
    }
    return rejected;
  }

  Json ids() const {
    Json out = Json::array();
    for (const Json& component : accepted_) out.push_back(component.at("id"));
    return out;
  }

  bool has(const std::string& id) const {
    return std::any_of(accepted_.begin(), accepted_.end(), [&](const Json& one) { return one.at("id") == id; });
  }

  const Json& accepted() const { return accepted_; }

 private:
  /// No code: accepted.
  Rejected judged(const Node& component) {
    const Json written = as_written(component);
    Rejected out;
    if (written.is_object() && written.value("id", Json()).is_string()) out.id = written["id"].get<std::string>();
    if (const std::string place = written.is_object() ? closed_place(written) : ""; !place.empty())
      return {out.id, "E241", fmt::format("a proposal may not say {}", document::quote(place))};
    if (has(out.id)) return {out.id, "E201", "another component has this id"};
    const TriedComponent tried = try_component(component, baseline_);
    if (!tried.code.empty()) return {out.id, tried.code, tried.message};
    if (!tried.component.rationale || !tried.component.expected)
      return {out.id, "E200", "a proposal says its 'rationale' and what is 'expected'"};
    return taken(out.id, written, tried.variants);
  }

  Rejected taken(const std::string& id, const Json& written, const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) {
      if (names_.contains(variant.id)) return {id, "E201", fmt::format("another component is '{}'", variant.id)};
      const auto known = by_hash_.find(variant.hash);
      if (known != by_hash_.end()) return {id, "E231", fmt::format("the same variant as '{}'", known->second)};
    }
    for (const Variant& variant : variants) {
      by_hash_[variant.hash] = id;
      names_.insert(variant.id);
    }
    accepted_.push_back(written);
    return {};
  }

  const Baseline& baseline_;
  Json accepted_ = Json::array();
  std::map<std::string, std::string> by_hash_;  ///< ids of components by the hashes of their variants
  std::set<std::string> names_;                 ///< names of variants
};

Json rejections_json(const std::vector<Rejected>& rejected) {
  Json out = Json::array();
  for (const Rejected& one : rejected) out.push_back({{"id", one.id}, {"code", one.code}, {"message", one.message}});
  return out;
}

}  // namespace

Proposed proposed(const Baseline& baseline, const ProposalOptions& options, const AskProposer& ask) {
  Proposals proposals(baseline);
  Proposed out;
  Json request = proposal_request(baseline, options.goal), replies = Json::array();
  for (int round = 1; round <= options.rounds; ++round) {
    request["round"] = round;
    request["accepted"] = proposals.ids();
    request["rejected"] = rejections_json(out.rejected);
    const std::vector<Rejected> before = std::move(out.rejected);
    const std::string reply = ask(to_text(request) + '\n');
    replies.push_back(Sha256::hex_of(reply));
    out.rejected = proposals.judge(components_of(reply));
    for (const Rejected& one : before) {  // rejected before, and not proposed again
      const bool is_again = std::any_of(out.rejected.begin(), out.rejected.end(),
                                        [&](const Rejected& other) { return other.id == one.id; });
      if (!is_again && !proposals.has(one.id)) out.rejected.push_back(one);
    }
    if (out.rejected.empty()) break;
  }
  out.accepted = proposals.accepted().size();
  const Json proposer{{"program", options.program}, {"replies", replies}};
  out.yaml = document::to_yaml(Json{{"ablation", {{"components", proposals.accepted()}, {"proposed_by", proposer}}}});
  return out;
}

}  // namespace dlrun::ablation
