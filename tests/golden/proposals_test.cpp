// SPDX-License-Identifier: Apache-2.0
// Suggestions of parts that could be left out of studies (ablations/suggested.txt), and what of the replies of a
// program is accepted (ablations/proposed.txt: a study and replies, one for each round), with the requests that it is
// sent.
#include <fmt/format.h>

#include <filesystem>

#include "case_list.hpp"
#include "short_copy.hpp"
#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

namespace proposals_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

const fs::path kPlace = fs::path(DLRUN_SPECS).parent_path() / "ablations";

spec::Source source_of(const std::string& text) {
  return {.file = "one.yaml", .text = text.starts_with("study: ") ? text : "extends: base.txt\n" + text};
}

template <class Act>
std::string outcome(Act act) {
  try {
    return act();
  } catch (const Error& fault) {
    return fmt::format("{}\n{}\n", fault.what(), fault.hint());
  }
}

/// A request without what is the same in every one.
std::string request_text(const std::string& text, bool is_first) {
  Json request = parse_json(text, "request");
  if (is_first) return request.dump(1) + "\n";
  for (const char* key : {"component", "model", "features", "train", "allowed_ops", "reply", "objective", "protocol"})
    request.erase(key);
  return request.dump() + "\n";
}

std::string proposed_text(const std::string& study, const std::vector<std::string>& replies, bool is_first) {
  std::string out;
  std::size_t round = 0;
  const auto ask = [&](const std::string& request) {
    out += "request " + request_text(request, is_first && round == 0);
    return replies.at(round++);
  };
  const int rounds = int(replies.size());
  out += outcome([&] {
    const ablation::Proposed found = spec::propose_ablation(source_of(study), {"ask me", "is it so?", rounds}, ask);
    std::string text = fmt::format("accepted {}\n{}", found.accepted, found.yaml);
    for (const ablation::Rejected& one : found.rejected)
      text += fmt::format("rejected {} {} {}\n", one.id, one.code, one.message);
    return text;
  });
  return out;
}

void check_golden(const char* name, std::string text) {
  support::replace_all(text, fs::current_path().string(), "HERE");
  const std::string expected = support::golden(kPlace / name, text);
  const auto [found, wanted] = support::first_difference(text, expected, "=== ");
  CHECK(found == wanted);
}

}  // namespace

TEST_CASE("suggestions for studies are those that stand in a file", "[golden][specs]") {
  const support::ShortCopy copy(kPlace);
  std::string all;
  for (const auto& [name, text] : support::parts_of(read_file("suggested.txt"), "=== "))
    all += fmt::format("=== {}\n{}\n", name, outcome([&, text = text] { return suggest_ablation(source_of(text)); }));
  check_golden("suggested.expected", all);
}

TEST_CASE("replies of a program are accepted or rejected as a file says", "[golden][specs]") {
  const support::ShortCopy copy(kPlace);
  std::string all;
  for (const auto& [name, text] : support::parts_of(read_file("proposed.txt"), "=== ")) {
    std::vector<std::string> parts;
    for (const auto& [rest, part] : support::parts_of(text, "---")) parts.push_back(part);
    const bool is_first = all.empty() || name == "of a table of features";
    all += fmt::format("=== {}\n{}\n", name, proposed_text(parts.at(0), {parts.begin() + 1, parts.end()}, is_first));
  }
  check_golden("proposed.expected", all);
}

}  // namespace proposals_test
