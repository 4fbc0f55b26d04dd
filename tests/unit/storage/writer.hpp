// SPDX-License-Identifier: Apache-2.0
// A process that writes trials until something ends it, and what is found in the log afterwards.
#pragma once
#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "support/sample_study.hpp"
#include "util/error.hpp"

namespace dlrun {

struct Written {
  std::int64_t rows = 0;
  bool is_ordered = true;  ///< trial n's decision is row 2n + 1, its result row 2n + 2
};

inline Written read_log(storage::Store& store) {
  Written written;
  store.replay([&](const storage::LogRow& row) {
    const auto* decision = std::get_if<study::Decision>(&row);
    const auto* event = std::get_if<study::Event>(&row);
    if (decision != nullptr) written.is_ordered &= decision->number * 2 == written.rows;
    if (event != nullptr) {
      const auto* ended = std::get_if<study::PieceEnded>(event);
      written.is_ordered &= ended != nullptr && ended->result.key.member.trial.value * 2 + 1 == written.rows;
    }
    ++written.rows;
  });
  return written;
}

/// Writes trials from `first` on for ever; says each number after its commit.
[[noreturn]] inline void write_for_ever(const std::filesystem::path& folder, std::int64_t first, int pipe,
                                        storage::Durability durability = storage::Durability::full) {
  try {
    const auto store = storage::Store::open(folder, "sample", {});
    for (std::int64_t trial = first;; ++trial) {
      support::write_trial(*store, trial, 0.5, {}, durability);
      if (::write(pipe, &trial, sizeof trial) != sizeof trial) ::_exit(1);
    }
  } catch (const Error& fault) {
    std::fprintf(stderr, "the writer failed: %s\n", fault.what());
  }
  ::_exit(1);
}

}  // namespace dlrun
