// SPDX-License-Identifier: Apache-2.0
// Words by which other tools know a setting, for those who come from Optuna, Ray Tune, W&B, Hydra or PyTorch.
#pragma once
#include <string>

namespace dlrun::spec {

/// Help for a word that a study uses where dlrun has another one, or where it belongs to another section; empty: it is
/// no such word.
/// @param path  place of an unknown key ("limits.n_trials", "space.lr.min"), or of a kind that there is not
///              ("space.lr.type")
std::string help_for_familiar(const std::string& path, const std::string& word);

}  // namespace dlrun::spec
