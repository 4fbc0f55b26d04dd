// SPDX-License-Identifier: Apache-2.0
// `dlrun-worker --profile`: one question on standard input, its answer on standard output, both JSON. A process of its
// own, so that the command line needs no libtorch.
#pragma once
#include <filesystem>
#include <iosfwd>

namespace dlrun::worker {

/// Reads {setup, order, steps, warmup} (trial/profile.hpp) and writes a ModelProfile; without steps, a BuiltModel
/// (trial/build.hpp); of {setup, order, use} (trial/use.hpp) a Use, and predictions to descriptor kRowsDescriptor.
/// @throws Error(usage) for a question that is none, and what worker::profile_trial, build_trial and use_trial do.
void answer_profile(std::istream& question, std::ostream& answer, const std::filesystem::path& library = {});

}  // namespace dlrun::worker
