// SPDX-License-Identifier: Apache-2.0
#include "trained.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dataset/fresh.hpp"
#include "final/trial_study.hpp"
#include "report/trial_reader.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace {

Json config_of(const std::filesystem::path& store, const report::OneTrial& trial, const Json& whole) {
  Json config = report::TrialReader(store, trial).config();
  const Json start = final::start_of(store, trial.study, trial.number, whole);
  if (!start.is_null()) config["init"] = start;
  return config;
}

using Keys = std::vector<dataset::FreshKey>;

void add_file(const std::string& word, const Keys& keys, Json& files) {
  const std::size_t equals = word.find('=');
  const bool has_key = equals != std::string::npos && !std::filesystem::exists(word);
  const std::string key = has_key ? dataset::fresh_key(keys, word.substr(0, equals)) : keys.front().name;
  const std::string file = has_key ? word.substr(equals + 1) : word;
  if (file.empty()) throw Error(ErrorKind::usage, fmt::format("--data '{}' names no file", word));
  if (files.contains(key)) throw Error(ErrorKind::usage, fmt::format("--data names '{}' twice", key));
  files[key] = std::filesystem::absolute(file).string();
}

bool begins_with_key(const std::string& text, const Keys& keys) {
  const std::string word = text.substr(0, text.find('='));
  return word.size() < text.size() && std::any_of(keys.begin(), keys.end(), [&](const dataset::FreshKey& key) {
           return dataset::fresh_key({key}, word) == key.name;
         });
}

/// "x=a.npy,y=b.npy": several, where a key stands behind the comma.
std::vector<std::string> split_words(const std::string& word, const Keys& keys) {
  std::vector<std::string> words{word};
  if (std::filesystem::exists(word)) return words;
  for (std::size_t comma = 0; (comma = words.back().find(',', comma)) != std::string::npos; ++comma) {
    const std::string rest = words.back().substr(comma + 1);
    if (!begins_with_key(rest, keys)) continue;
    words.back().resize(comma);
    words.push_back(rest);
    comma = 0;
  }
  return words;
}

}  // namespace

std::string Trained::name() const {
  return fmt::format("{}/{}, {} epoch ({})", trial.study, trial.number, from.role, from.step);
}

Trained find_trained(const std::filesystem::path& store, const std::string& word, const std::string& epoch) {
  Trained trained{report::find_winner(store, word), {}, {}, {}};
  const storage::StudyRow row = storage::Store::find(store, trained.trial.study).value();
  trained.spec = spec::from_json(row.spec, row.spec_text);
  if (trained.spec.kind != "train") {
    throw Error(ErrorKind::usage,
                fmt::format("trial {}/{} is of kind '{}': dlrun has no model of it", trained.trial.study,
                            trained.trial.number, trained.spec.kind),
                "trials of kind train can be used");
  }
  trained.from = final::checkpoint_of(store, trained.trial, epoch);
  trained.config = config_of(store, trained.trial, row.spec);
  return trained;
}

Trained find_trained(const Arguments& arguments) {
  Trained trained = find_trained(arguments.store(), arguments.words().at(0), arguments.text("epoch"));
  if (arguments.has("device")) trained.spec.device = arguments.text("device");
  return trained;
}

Json new_files(const Arguments& arguments, const Trained& trained) {
  const Keys keys = dataset::fresh_keys(trained.config.at("data"));
  Json files = Json::object();
  for (const std::string& words : arguments.list("data")) {
    for (const std::string& word : split_words(words, keys)) add_file(word, keys, files);
  }
  return files;
}

trial::Use use(const Arguments& arguments, const Trained& trained, const trial::UseOptions& options, int rows) {
  const driver::Checkpoint checkpoint{trained.config, trained.from.member, trained.from.sha256};
  return driver::use(trained.spec, std::filesystem::path(arguments.store()) / "artifacts", checkpoint, options, rows);
}

Option epoch_option() {
  return {.name = "epoch", .value = "WHICH", .text = "best where it was kept (default), last, or an epoch's number"};
}

Argument trained_argument() {
  return {.name = "TRIAL", .text = "STUDY/17, STUDY/best, or STUDY alone: its best trial", .kind = Kind::trial};
}

std::vector<Option> trained_options() {
  return {{.name = "data",
           .value = "FILE",
           .text = "new examples: a file or folder as the study's `data:` names one; KEY=FILE where several are needed",
           .kind = Kind::file,
           .repeats = true},
          {.name = "unseen",
           .value = "RULE",
           .text = "what a category that training never saw is: refuse (default), or zero: none",
           .choices = {"refuse", "zero"}},
          epoch_option(),
          {.name = "device", .value = "DEVICE", .text = "cpu, cuda, … (default: the study's)"},
          store_option()};
}

}  // namespace dlrun::cli
