// SPDX-License-Identifier: Apache-2.0
// Rules that all pools share whose workers are jobs of others: of a cluster, of a plugin. Private to this room.
#pragma once
#include <chrono>
#include <filesystem>
#include <string>

#include "executor/pool.hpp"

namespace dlrun::executor {

constexpr int kEarlyJobDeaths = 3;             ///< jobs in a row that bring no worker: the study stops
constexpr std::chrono::seconds kFarewell{30};  ///< for jobs to be gone after the end of the study

/// @param seconds  of a study's section
std::chrono::steady_clock::duration as_duration(double seconds);

/// The last 4 KiB of a job's log; empty if it cannot be read.
std::string tail_of(const std::filesystem::path& log);

/// Pause before the next try: 1, 2, 4 … 60 s.
std::chrono::seconds pause_after(int failures);

/// If more workers are there than needed, those without work for `idle` seconds give their places back. Workers that
/// share a job do so together, because a job holds its cores until the last one has ended.
void retire_idle(PoolView view, int needed, double idle);

}  // namespace dlrun::executor
