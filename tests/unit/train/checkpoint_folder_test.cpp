// SPDX-License-Identifier: Apache-2.0
// The files of an attempt: which of them the next attempt takes first, and which kept epochs it takes over.
#include "train/checkpoint_folder.hpp"

#include "support/catch.hpp"
#include "train/kept_epochs.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace checkpoint_folder_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

using Names = std::vector<std::string>;
using Epochs = std::vector<std::int64_t>;

Names names_of(const std::filesystem::path& folder) {
  Names names;
  for (const std::filesystem::path& path : CheckpointFolder::newest_first(folder)) names.push_back(path.filename());
  return names;
}

KeptEpochs kept_of(const std::filesystem::path& folder, const Epochs& epochs) {
  KeptEpochs kept({1, 2, 3}, folder);
  for (const std::int64_t epoch : epochs) kept.add({"last", "hash" + std::to_string(epoch), 10 * epoch, epoch});
  return kept;
}

Epochs epochs_of(const KeptEpochs& kept) {
  Epochs epochs;
  for (const trial::Artifact& artifact : kept.artifacts()) epochs.push_back(artifact.step);
  return epochs;
}

}  // namespace

TEST_CASE("two checkpoints are held, the newest comes first", "[train][checkpoints]") {
  const TempFolder temp;
  const std::filesystem::path folder = temp.make("attempt");
  CheckpointFolder checkpoints(folder, {});
  for (const std::int64_t step : {8, 9, 10, 100}) checkpoints.save("at " + std::to_string(step), step, false);
  CHECK(names_of(folder) == Names{"step-000000000100.safetensors", "step-000000000010.safetensors"});
  CHECK(read_file(CheckpointFolder::newest_first(folder).front()) == "at 100");
  CHECK(names_of(folder / "missing").empty());
}

TEST_CASE("the best epochs of held checkpoints stay, earlier ones go", "[train][checkpoints]") {
  const TempFolder temp;
  const std::filesystem::path folder = temp.make("attempt");
  CheckpointFolder checkpoints(folder, {});
  for (const std::int64_t epoch : {1, 2, 3, 5}) checkpoints.save_best("best", epoch);
  CHECK(checkpoints.has_best(5));
  CHECK_FALSE(checkpoints.has_best(3));
  for (const std::int64_t epoch : {2, 3, 5}) CHECK(std::filesystem::exists(CheckpointFolder::best_path(folder, epoch)));
  CHECK_FALSE(std::filesystem::exists(CheckpointFolder::best_path(folder, 1)));
  CHECK(names_of(folder).empty());
}

TEST_CASE("kept epochs after the checkpoint are not taken over, they are trained again", "[train][checkpoints]") {
  const TempFolder temp;
  const std::filesystem::path lost = temp.make("lost"), again = temp.make("again");
  kept_of(lost, {1, 2, 3});
  KeptEpochs kept({1, 2, 3}, again);
  kept.restore(lost, 0, 2);
  CHECK(epochs_of(kept) == Epochs{1, 2});
  CHECK(kept.artifacts().back() == trial::Artifact{"epoch", "hash2", 20, 2});
  KeptEpochs third({1, 2, 3}, again);
  third.restore(again, 0, 2);  // written beside the new attempt's checkpoints
  CHECK(epochs_of(third) == Epochs{1, 2});
}

TEST_CASE("each kept epoch within the piece must be known, those before it need not", "[train][checkpoints]") {
  const TempFolder temp;
  const std::filesystem::path lost = temp.make("lost");
  kept_of(lost, {2});
  KeptEpochs kept({1, 2, 3}, temp.make("again"));
  kept.restore(lost, 1, 2);
  CHECK(epochs_of(kept) == Epochs{2});
  CHECK_THROWS_WITH(kept.restore(lost, 0, 2), Contains("kept of epoch 1 is not known"));
  CHECK_THROWS_WITH(kept.restore(lost, 1, 3), Contains("kept of epoch 3 is not known"));
}

TEST_CASE("an epoch is kept once", "[train][checkpoints]") {
  const TempFolder temp;
  KeptEpochs kept = kept_of(temp.make("attempt"), {1, 3});
  kept.add({"best", "other", 1, 3});
  CHECK(epochs_of(kept) == Epochs{1, 3});
  CHECK(kept.artifacts().back().sha256 == "hash3");
  CHECK(kept.wants(2));
  CHECK_FALSE(kept.wants(4));
}

}  // namespace checkpoint_folder_test
