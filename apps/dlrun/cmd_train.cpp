// SPDX-License-Identifier: Apache-2.0
// dlrun train --from STUDY [FINAL.yaml]: the best configuration, longer, begun with what the search trained.
#include <fmt/format.h>

#include "document/emit.hpp"
#include "report/selectors.hpp"
#include "running.hpp"
#include "spec/concise.hpp"
#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "training_after.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// Options as --set would write them.
std::vector<std::string> sets_of(const Arguments& arguments) {
  std::vector<std::string> out = arguments.list("final");
  for (std::string& set : out) set.insert(0, "final.");
  for (const char* key : {"epochs", "seeds", "trial"}) {
    if (arguments.has(key)) out.push_back(fmt::format("final.{}={}", key, arguments.text(key)));
  }
  if (arguments.has("policy")) out.push_back("final.warm_start.policy=" + arguments.text("policy"));
  if (arguments.has("compare")) out.push_back(fmt::format("final.compare=[{}]", arguments.text("compare")));
  return out;
}

/// Section `final` of the study, FINAL.yaml laid over it, options over both.
Json final_of(const std::string& study, const Arguments& arguments) {
  const Json search = storage::Store::find(arguments.store(), study).value().spec;
  const Json stored = search.value("final", Json());
  const Json own = stored.is_object() ? spec::concise_section("final", stored) : Json::object();
  spec::Source source{.file = fmt::format("`final:` of '{}'", study),
                      .sets = sets_of(arguments),
                      .text = document::to_yaml(Json{{"final", own}})};
  if (!arguments.words().empty()) source.over = arguments.words()[0];
  const Json final = spec::read_final(source, search.at("trial").at("kind").get<std::string>());
  return final.is_object() ? final : Json{{"warm_start", Json::object()}};
}

/// The plan is made of the stored study before settings of the new one are laid over it: it would not know them.
void require_late(const std::string& set) {
  const std::string key = set.substr(0, set.find('='));
  const std::string section = key.substr(0, key.find('.'));
  if (section == "final")
    throw Error(ErrorKind::usage, fmt::format("'--set {}' changes nothing: the final training is planned before", key),
                "--final KEY=VALUE and FINAL.yaml set keys of `final:`");
  if (section == "trial")
    throw Error(ErrorKind::usage, fmt::format("'--set {}' comes too late: the final training is planned before", key),
                "--final 'set={KEY: VALUE}' sets keys of the trial, --epochs its epochs");
}

int run_train(const Arguments& arguments, Console& console) {
  if (!arguments.has("from"))
    throw Error(ErrorKind::usage, "'train' needs --from STUDY, the search whose best configuration is trained",
                "usage: dlrun train --from STUDY [FINAL.yaml] [options]");
  for (const std::string& set : arguments.list("set")) require_late(set);
  for (const char* option : {"plan", "output"}) require_no_running(arguments, option);
  const std::string study = report::find_study(arguments.store(), arguments.text("from"));
  return train_after(
      {study, final_of(study, arguments), arguments.text("name", study + "-final"), arguments.list("set")}, arguments,
      console);
}

std::vector<Option> train_options() {
  std::vector<Option> all = running_options();
  for (Option& option : study_options()) {
    if (option.name != "data") all.push_back(std::move(option));  // the search knows where it lies
  }
  all.push_back({.name = "from", .value = "STUDY", .text = "the search it follows"});
  all.push_back({.name = "policy",
                 .value = "NAME",
                 .text = "best, resume, topk_average, greedy_soup, per_layer_best, shrink_perturb, fresh_shrunk, "
                         "partial, none, race"});
  all.push_back({.name = "epochs", .value = "N", .text = "of the final training"});
  all.push_back({.name = "seeds", .value = "N", .text = "how often it is trained"});
  all.push_back({.name = "trial", .value = "N", .text = "the configuration of this trial"});
  all.push_back({.name = "compare", .value = "NAMES", .text = "rivals beside it: kaiming_longer,resume,greedy_soup"});
  all.push_back({.name = "final",
                 .value = "KEY=VALUE",
                 .text = "any key of `final:`, warm_start.exclude=[head]",
                 .repeats = true});
  all.push_back({.name = "plan", .text = "print what would be done, and stop"});
  all.push_back(output_option("write it as a study, and stop"));
  return all;
}

}  // namespace

Verb train_verb() {
  return {
      .name = "train",
      .summary = "train what a search found, begun with its weights",
      .text =
          "Takes the best configuration of a search and trains it as `final:` of the study says, a study of its own "
          "called STUDY-final. The options say the same, and FINAL.yaml, a file with `final:`, is laid over the "
          "study's. What is going to happen is printed first: which trial gives weights, which tensors are taken, "
          "and why others give none. With --compare rivals are trained beside it with the same seeds, and `dlrun "
          "report --section final` tells what each was worth. A study with `final:` does it at the end of `dlrun "
          "tune`.",
      .arguments = {{.name = "FINAL.yaml", .text = "a file with `final:`", .kind = Kind::file, .least = 0}},
      .options = train_options(),
      .examples = {{"dlrun train --from digits --epochs 50", "the best configuration, begun with its weights"},
                   {"dlrun train --from digits --policy resume --plan", "what would be done"},
                   {"dlrun train --from digits --compare resume --seeds 10", "is it worth it?"}},
      .run = run_train};
}

}  // namespace dlrun::cli
