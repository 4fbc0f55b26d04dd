// SPDX-License-Identifier: Apache-2.0
// From a decided piece to the message a worker gets.
#pragma once
#include <optional>

#include "driver/dispatcher.hpp"
#include "spec/study_spec.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

struct Order {
  trial::PieceOrder order;
  std::optional<trial::PieceKey> start = {};       ///< piece whose last checkpoint it begins with, by name and shape
  std::string start_artifact = {};                 ///< SHA-256 of that checkpoint
  std::vector<storage::WeightDonor> weights = {};  ///< donors of its first weights
  std::optional<int> partial;                      ///< the earlier attempt that is gone on from
};

/// Makes the order for a piece. A trial of kind `function` keeps nothing in files, so no earlier attempt is looked for.
Order make_order(const Work& work, const spec::StudySpec& spec, const study::Study& study, const storage::Store& store);

/// Prepares an order for a worker that does not see the store: folders of earlier attempts are not offered.
void keep_apart(Order& order);

/// The folder of a piece that is run again, beside the one of its recorded attempt.
std::filesystem::path repair_folder(const Work& repair, const storage::Store& store);

/// The newest earlier attempt of this piece that can be gone on from.
std::optional<int> find_partial(const Work& work, const spec::StudySpec& spec, const storage::Store& store);

/// Can trials of this kind begin with the weights of others?
bool takes_weights(const spec::StudySpec& spec);

/// Sets the places that differ between the folds of a trial: the part that validates, and the weights to begin with.
void set_fold(Json& sets, const spec::StudySpec& spec, int fold);

/// Donors of the weights that a trial with these places set begins with, under `warm_start`; those of all folds where
/// set_fold() has not chosen one.
std::vector<storage::WeightDonor> donors_of(const spec::StudySpec& spec, const Json& sets);

/// The measurement of the test split as work: piece number kTestPiece of its trial, which no training piece has.
inline constexpr int kTestPiece = 1000000;
Work test_work(const study::MeasureTest& measure, int attempt);

}  // namespace dlrun::driver
