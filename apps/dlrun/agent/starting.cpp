// SPDX-License-Identifier: Apache-2.0
#include "agent/starting.hpp"

#include <fmt/format.h>

#include "agent/record.hpp"
#include "driver/cores.hpp"
#include "running.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli::agent {

namespace {

/// The command with which a person would start the same study.
Arguments arguments_of(const StartOrder& order, const Guarded& read, const Grant& grant) {
  std::vector<std::string> words = {below_root(order.study.file, grant).string()};
  if (!order.study.over.empty()) words.push_back(below_root(order.study.over, grant).string());
  words.insert(words.end(), {"--store", grant.store.string()});
  if (order.workers > 0) words.insert(words.end(), {"--workers", std::to_string(order.workers)});
  for (const std::string& set : read.sets) words.insert(words.end(), {"--set", set});
  Arguments out = Arguments::parse(verb_named(read.spec.ablation ? "ablate" : "tune"), words);
  out.remark(started_remark(order.caller));
  return out;
}

void refuse_more_workers(int workers) {
  const int most = most_workers();
  if (workers > most)
    throw Error(ErrorKind::usage, fmt::format("{} workers are asked for, but {} are allowed", workers, most),
                "without `workers` there is one for each core");
}

}  // namespace

std::vector<std::string> words_of(const StartOrder& order, const Grant& grant) {
  const Json json = {{"file", order.study.file}, {"over", order.study.over}, {"sets", order.study.sets},
                     {"workers", order.workers}, {"caller", order.caller},   {"grant", to_json(grant)}};
  return {"__start", to_text(json)};
}

int most_workers() { return driver::usable_cores(); }

Guarded read_startable(const StartOrder& order, const Grant& grant) {
  refuse_more_workers(order.workers);
  Guarded read = read_bounded(order.study, grant);
  const std::string& name = read.spec.name;
  if (read.spec.kind == "asked")
    throw Error(ErrorKind::usage, fmt::format("trials of '{}' are carried out by whoever asks for them", name),
                "a person begins it with `dlrun ask`; then ask_trial and tell_trial");
  if (!storage::Store::find(grant.store, name)) return read;
  if (!was_started_by_agent(grant.store, name))
    throw Error(ErrorKind::usage, fmt::format("the store has a study '{}' that a person started", name),
                "give yours another name: set study=NAME");
  if (storage::WriterLock::is_held(storage::study_file(grant.store, name, ".lock")))
    throw Error(ErrorKind::usage, fmt::format("'{}' runs already", name), "stop_study ends it");
  return read;
}

int run_order(const std::string& words, Console& console) {
  const Json json = parse_json(words, "the order");
  const Grant grant = grant_in(json.at("grant"));
  const StartOrder order{{json.at("file"), json.at("over"), json.at("sets").get<std::vector<std::string>>()},
                         json.at("workers").get<int>(),
                         json.at("caller")};
  const Guarded read = read_startable(order, grant);
  for (const std::string& warning : read.warnings) console.note(warning);
  return run_study(read.spec, arguments_of(order, read, grant), console);
}

}  // namespace dlrun::cli::agent
