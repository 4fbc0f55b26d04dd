// SPDX-License-Identifier: Apache-2.0
// Which checkpoint of a trial is meant by an epoch, and its weights.
#include "final/checkpoint.hpp"

#include "unit/final/searched.hpp"

namespace final_test {

using final::checkpoint_of;

namespace {

/// Trial 0 left best of epoch 2, last of epoch 3 and the checkpoint of epoch 1; trial 1 nothing.
std::unique_ptr<storage::Store> write_checkpoints(const std::filesystem::path& folder) {
  auto store = storage::Store::create(folder, search_row(), line());
  write_trial(*store, 0, 0.5,
              {artifact(folder, checkpoint(2, 1), 1, "epoch"), artifact(folder, checkpoint(2, 2), 2, "best"),
               artifact(folder, checkpoint(2, 3), 3)});
  write_trial(*store, 1, 0.5, {});
  return store;
}

std::string fault_of(const std::filesystem::path& folder, std::int64_t trial, const std::string& epoch) {
  try {
    (void)checkpoint_of(folder, {"search", trial}, epoch);
    return "none";
  } catch (const Error& fault) {
    return std::string(fault.what()) + " (" + fault.hint() + ")";
  }
}

}  // namespace

TEST_CASE("an epoch names a checkpoint", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = write_checkpoints(folder.path());
  const auto [epoch, step] =
      GENERATE(table<std::string, std::int64_t>({{"", 2}, {"best", 2}, {"last", 3}, {"1", 1}, {"2", 2}, {"3", 3}}));
  INFO(epoch);
  CHECK(checkpoint_of(folder.path(), {"search", 0}, epoch).step == step);
}

TEST_CASE("what is no checkpoint is said, with those there are", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = write_checkpoints(folder.path());
  CHECK(fault_of(folder.path(), 0, "7") ==
        "trial search/0 has no checkpoint of epoch 7 (still there: epoch 1, 2, 3; --epoch N takes one of them)");
  CHECK(fault_of(folder.path(), 0, "x") == "--epoch x: there is no such epoch (best, last, or a number)");
  CHECK_THAT(fault_of(folder.path(), 1, ""), Contains("trial search/1 has no checkpoint"));
}

TEST_CASE("a checkpoint that was given up is refused by its name only", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = write_checkpoints(folder.path());
  store->artifacts().collect({.best = 0, .last = 1, .rungs = false});  // the last one stays, and that of an epoch
  CHECK(checkpoint_of(folder.path(), {"search", 0}, "").step == 3);
  CHECK_THAT(fault_of(folder.path(), 0, "best"),
             Contains("the checkpoint of trial search/0 was given up (still there: epoch 1, 3;"));
}

// A best epoch's checkpoint that was given up hid the kept one of the same epoch behind it.
TEST_CASE("an epoch's number takes the checkpoint of it that is kept", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = storage::Store::create(folder.path(), search_row(), line());
  write_trial(*store, 0, 0.5,
              {artifact(folder.path(), checkpoint(2, 3), 3, "best"), artifact(folder.path(), checkpoint(2, 3), 3)});
  store->artifacts().collect({.best = 0, .last = 1, .rungs = false});
  CHECK(checkpoint_of(folder.path(), {"search", 0}, "3").role == "last");
  CHECK_THAT(fault_of(folder.path(), 0, "best"), Contains("was given up"));
}

TEST_CASE("weights are the tensors of a checkpoint", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = write_checkpoints(folder.path());
  const final::Weights weights = final::weights_of(folder.path(), {"search", 0}, "last");
  CHECK(weights.tensors == 1);
  const tensors::SafeTensors file(weights.bytes, "weights");
  REQUIRE(file.find("w") != nullptr);
  CHECK(file.find("w")->shape == std::vector<std::int64_t>{2});
  SECTION("of a damaged file there are none") {
    write_file(storage::checkpoint_file(folder.path(), weights.from.sha256), "other");
    CHECK_THROWS_WITH(final::weights_of(folder.path(), {"search", 0}, "last"), Contains("is damaged"));
  }
}

TEST_CASE("a checkpoint is copied as it is, or not at all", "[final][checkpoint]") {
  const support::TempFolder folder;
  const auto store = write_checkpoints(folder.path());
  const std::filesystem::path copy = folder.path() / "copy";
  SECTION("whole") {
    CHECK(final::copy_checkpoint(folder.path(), {"search", 0}, "last", copy).step == 3);
    CHECK(read_file(copy) == checkpoint(2, 3));
  }
  SECTION("a damaged one leaves no file") {
    write_file(storage::checkpoint_file(folder.path(), Sha256::hex_of(checkpoint(2, 3))), "other");
    CHECK_THROWS_WITH(final::copy_checkpoint(folder.path(), {"search", 0}, "last", copy), Contains("is damaged"));
    CHECK_FALSE(std::filesystem::exists(copy));
  }
}

}  // namespace final_test
