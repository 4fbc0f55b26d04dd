// SPDX-License-Identifier: Apache-2.0
// dlrun tag TARGET [TAG...] [--remove]: words to find studies and trials by.
#include <fmt/format.h>

#include <algorithm>

#include "arguments.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "steer.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

void check_tag(const std::string& tag) {
  constexpr const char* kAllowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
  if (!tag.empty() && tag.size() <= 100 && tag.find_first_not_of(kAllowed) == std::string::npos) return;
  throw Error(ErrorKind::usage, fmt::format("'{}' is no tag", tag), "use 1 to 100 of the characters A-Z a-z 0-9 . _ -");
}

int list(const Arguments& arguments, const report::Target& target, Console& console) {
  const std::string where = target.trial ? fmt::format("where trial = {}", *target.trial) : std::string();
  console.print(report::sql(arguments.store(), {target.study},
                            fmt::format("select tag, trial from tags {} order by tag, trial", where), report::kOwnSql));
  return 0;
}

int run_tag(const Arguments& arguments, Console& console) {
  const std::vector<std::string>& words = arguments.words();
  const report::Target target = report::find_target(arguments.store(), words[0]);
  if (words.size() == 1) return list(arguments, target, console);
  const bool is_removed = arguments.has("remove");
  std::optional<trial::TrialId> id;
  if (target.trial) id = trial::TrialId(*target.trial);
  std::for_each(words.begin() + 1, words.end(), check_tag);
  for (std::size_t i = 1; i < words.size(); ++i) {
    Json request = {{"command", "tag"}, {"tag", words[i]}, {"remove", is_removed}};
    if (target.trial) request["trial"] = *target.trial;
    steer(arguments.store(), target.study, request, [&](storage::Store& open) { open.tag(id, words[i], is_removed); });
  }
  return 0;
}

}  // namespace

Verb tag_verb() {
  return {.name = "tag",
          .summary = "tag a study or a trial, or list the tags",
          .arguments = {{.name = "TARGET", .text = "a study, STUDY/17 or a trial's number", .kind = Kind::target},
                        {.name = "TAG", .text = "tags; without any they are listed", .least = 0, .most = -1}},
          .options = {{.name = "remove", .text = "take these tags away"}, format_option(), store_option()},
          .examples = {{"dlrun tag first/3 keep paper", "two tags for a trial"}, {"dlrun tag first", "list all"}},
          .run = run_tag};
}

}  // namespace dlrun::cli
