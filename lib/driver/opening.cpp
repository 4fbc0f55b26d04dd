// SPDX-License-Identifier: Apache-2.0
#include "driver/opening.hpp"

#include "driver/spec_diff.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

storage::StudyRow row_of(const spec::StudySpec& spec) {
  storage::StudyRow row;
  row.name = spec.name;
  row.hash = spec.hash;
  row.spec_text = spec.text;
  row.spec = spec.json;
  row.seed = spec.seed;
  row.slack = spec.rules.slack;
  return row;
}

void require_same(const storage::StudyRow& row, const spec::StudySpec& spec) {
  if (row.hash == spec.hash) return;
  std::string message = "study '" + spec.name + "' was started with another spec";
  for (const std::string& line : spec_diff(row.spec, spec.json)) message += "\n  " + line;
  throw Error(ErrorKind::store, message, "give this one another name (`study:` or --name), or delete the first");
}

/// A new one is made once it is known that it can learn what it is to learn.
std::unique_ptr<storage::Store> open_store(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  const auto row = storage::Store::find(folder, spec.name);
  if (!row) {
    learn(spec, folder);
    return storage::Store::create(folder, row_of(spec), spec.space);
  }
  require_same(*row, spec);
  return storage::Store::open(folder, spec.name, spec.space);
}

std::unique_ptr<study::Study> new_study(const spec::StudySpec& spec) {
  return std::make_unique<study::Study>(spec.rules, spec.space,
                                        samplers::make_sampler(spec.sampler, spec.space, spec.seed),
                                        pruners::make_pruner(spec.pruner));
}

}  // namespace

Opened open_study(const spec::StudySpec& spec, const std::filesystem::path& folder) {
  Opened opened{open_store(spec, folder), new_study(spec)};
  opened.store->replay([&](const storage::LogRow& row) {
    ++opened.rows;
    if (const auto* event = std::get_if<study::Event>(&row)) {
      const auto* ended = std::get_if<study::PieceEnded>(event);
      opened.seconds += ended ? ended->result.seconds : 0;
      opened.study->absorb(*event);
    }
    if (const auto* decision = std::get_if<study::Decision>(&row)) opened.study->apply(*decision);
  });
  if (opened.rows == 0) opened.lessons = learn(spec, folder);
  return opened;
}

}  // namespace dlrun::driver
