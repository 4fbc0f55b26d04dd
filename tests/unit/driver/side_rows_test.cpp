// SPDX-License-Identifier: Apache-2.0
// Rows beside the log wait together, and are in the store once they are written.
#include "driver/side_rows.hpp"

#include "storage/paths.hpp"
#include "storage/sqlite.hpp"
#include "support/catch.hpp"
#include "support/sample_study.hpp"
#include "support/temp_folder.hpp"

namespace side_rows_test {

using namespace dlrun;
using namespace dlrun::driver;
using std::chrono::milliseconds;

namespace {

const Clock::time_point kStart{std::chrono::hours(1)};

struct Fixture {
  support::TempFolder folder;
  std::unique_ptr<storage::Store> store = storage::Store::create(folder.path(), support::sample_row(), {});
  SideRows rows;

  std::vector<std::string> write() {
    store->begin();
    auto warnings = rows.write(*store);
    store->commit(storage::Durability::normal);
    return warnings;
  }
  /// An integer of the database, after the driver's end.
  std::int64_t stored(const std::string& sql) {
    if (store) store->close();
    store.reset();
    storage::Database database(storage::study_file(folder.path(), "sample", ".db"), storage::Database::Mode::read);
    return database.integer(sql);
  }
};

StartRow start_row() { return {.attempt = {support::piece_of(0), 1}, .worker = 4}; }

}  // namespace

TEST_CASE("the oldest row decides how long the driver waits", "[driver][rows]") {
  SideRows rows;
  CHECK(rows.patience(kStart) == SideRows::kGroup);
  rows.add(start_row(), kStart);
  rows.add(start_row(), kStart + milliseconds(150));
  CHECK_FALSE(rows.is_due(kStart + milliseconds(199)));
  CHECK(rows.patience(kStart + milliseconds(150)) == milliseconds(50));
  CHECK(rows.patience(kStart + std::chrono::microseconds(199'001)) == milliseconds(1));  // never a wait of nothing
  CHECK(rows.is_due(kStart + milliseconds(200)));
  CHECK(rows.patience(kStart + milliseconds(300)) == milliseconds(0));
}

TEST_CASE("workers are written at once, remarks with a full commit", "[driver][rows]") {
  SideRows rows;
  rows.add(Remark{.text = "a note"});
  CHECK(rows.needs_full_commit());
  CHECK_FALSE(rows.is_due(kStart));
  rows.add(WorkerRow{4, 12, "node", "running"});
  CHECK(rows.is_due(kStart));
}

TEST_CASE_METHOD(Fixture, "what was written is in the store and does not wait any more", "[driver][rows]") {
  store->begin();
  store->add(support::start_of(0));
  store->commit(storage::Durability::normal);
  rows.add(WorkerRow{4, 12, "node", "running"});
  rows.add(start_row(), kStart);
  rows.add(Remark{.text = "a note"});
  rows.add_quiet(Remark{.text = "another"}, kStart);
  rows.add(Metering::Taken{start_row().attempt, "cpu", 3.0}, kStart);
  CHECK(write().empty());
  CHECK_FALSE(rows.needs_full_commit());
  CHECK_FALSE(rows.is_due(kStart + milliseconds(1000)));
  CHECK(stored("SELECT worker FROM dl_attempt") == 4);
  CHECK(stored("SELECT count(*) FROM dl_note") == 2);
  CHECK(stored("SELECT joules FROM dl_energy WHERE source = 'cpu'") == 3);
}

TEST_CASE_METHOD(Fixture, "a run that computes otherwise than an earlier one says so once", "[driver][rows]") {
  const auto with = [](std::int64_t worker, const std::string& numerics) {
    trial::Runtime runtime;
    runtime.numerics = numerics;
    return RuntimeRow{worker, runtime};
  };
  rows.add(WorkerRow{0, 12, "node", "running"});
  rows.add(with(0, "avx2"));
  CHECK(write().empty());
  store->close();
  store.reset();
  store = storage::Store::open(folder.path(), "sample", {});
  for (std::int64_t worker : {1, 2}) {
    rows.add(WorkerRow{worker, 13, "node", "running"});
    rows.add(with(worker, "avx512"));
  }
  CHECK(write() == std::vector<std::string>{"warning: this run computes with avx512, an earlier one of this study with "
                                            "avx2: equal trials may differ in their last bits"});
}

}  // namespace side_rows_test
