// SPDX-License-Identifier: Apache-2.0
// Why trials failed, as a page says it.
#include "page/page.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace failures_test {

using namespace dlrun;
using support::TempFolder;
using trial::Cause;

namespace {

void lose(storage::Store& store, std::int64_t trial, int attempt, Cause cause, const std::string& why) {
  store.attempts().start({support::piece_of(trial), attempt, 0});
  store.add(study::Event(study::AttemptLost{support::piece_of(trial), attempt, cause, why, ""}));
}

/// A trial whose attempts fail or get lost, each for its reason, and which fails with the last of them.
void write_failed(storage::Store& store, std::int64_t trial, Cause cause, const std::vector<std::string>& reasons) {
  store.begin();
  store.add(support::start_of(trial));
  int attempt = 0;
  for (const std::string& why : reasons) lose(store, trial, ++attempt, cause, why);
  store.change({trial::TrialId(trial), trial::TrialState::failed, {}, 0, cause, reasons.back(), attempt});
  store.commit(storage::Durability::normal);
}

/// A trial whose first attempt failed, and whose second one completed.
void write_retried(storage::Store& store, std::int64_t trial) {
  store.begin();
  store.add(support::start_of(trial));
  lose(store, trial, 1, Cause::signal, "killed once");
  store.attempts().start({support::piece_of(trial), 2, 0});
  store.add(study::Event(study::PieceEnded{support::result_of(trial, 0.5, 2)}));
  store.change({trial::TrialId(trial), trial::TrialState::completed, 0.5, 1, Cause::none, "", 2});
  store.commit(storage::Durability::normal);
}

std::string section_of(const std::filesystem::path& store) {
  const std::string page = page::html_page({.store = store, .studies = {"sample"}, .is_drawn = false});
  const std::size_t begin = page.find("Why trials failed</h2>");
  return begin == std::string::npos ? std::string() : page.substr(begin, page.find("</section>", begin) - begin);
}

}  // namespace

// Lost workers had no row, and a failure that a retry made good had one.
TEST_CASE("each failed trial has the reason of its last attempt, and no other trial a row", "[page]") {
  const TempFolder folder;
  auto store = storage::Store::create(folder.path(), support::sample_row(), space::Space());
  write_retried(*store, 0);
  CHECK(section_of(folder.path()).empty());
  write_failed(*store, 1, Cause::worker_lost, {"gone for the first time", "gone for the last time"});
  write_failed(*store, 2, Cause::exception, {"out of luck"});
  const std::string text = section_of(folder.path());
  CHECK_THAT(text, Contains("trials that failed") && Contains("gone for the last time") && Contains("out of luck"));
  CHECK_THAT(text, !Contains("gone for the first time") && !Contains("killed once") && !Contains("the first 20"));
}

TEST_CASE("the table of failed trials says how many more there are", "[page]") {
  const TempFolder folder;
  auto store = storage::Store::create(folder.path(), support::sample_row(), space::Space());
  for (std::int64_t i = 0; i < 25; ++i) write_failed(*store, i, Cause::exception, {"out of luck"});
  CHECK_THAT(section_of(folder.path()), Contains("the first 20 of 25 trials that failed"));
}

}  // namespace failures_test
