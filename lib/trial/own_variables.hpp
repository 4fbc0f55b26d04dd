// SPDX-License-Identifier: Apache-2.0
// Names that dlrun gives to every program as a trial: its environment, and what its arguments may name beside
// parameters (docs/commands.md).
#pragma once
#include <array>
#include <string_view>

namespace dlrun::trial {

inline constexpr std::array<std::string_view, 16> kOwnVariables{
    "DLRUN_STUDY",     "DLRUN_TRIAL",      "DLRUN_REPLICATE", "DLRUN_FOLD", "DLRUN_ATTEMPT", "DLRUN_SEED",
    "DLRUN_FROM_STEP", "DLRUN_TO_STEP",    "DLRUN_PARAMS",    "DLRUN_DIR",  "DLRUN_RESUME",  "DLRUN_INIT",
    "DLRUN_REPORT_FD", "DLRUN_CONTROL_FD", "DLRUN_GPUS",      "DLRUN_NODES"};

/// Beside those, of programs for which `resources` says `gpus` or `nodes`: where their ranks meet (torch.distributed's
/// names), and defaults of torchrun's options (PET_…).
inline constexpr std::array<std::string_view, 14> kGroupVariables{
    "MASTER_ADDR",      "MASTER_PORT", "RANK",          "WORLD_SIZE",        "LOCAL_RANK",
    "LOCAL_WORLD_SIZE", "GROUP_RANK",  "NODE_RANK",     "GROUP_WORLD_SIZE",  "PET_MASTER_ADDR",
    "PET_MASTER_PORT",  "PET_NNODES",  "PET_NODE_RANK", "PET_NPROC_PER_NODE"};

inline constexpr std::array<std::string_view, 9> kOwnNames{"seed", "epochs", "to_step", "trial", "replicate",
                                                           "fold", "folder", "gpus",    "nodes"};

}  // namespace dlrun::trial
