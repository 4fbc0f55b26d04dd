// SPDX-License-Identifier: Apache-2.0
// Files on their way to the disk while those after them are written: waiting for it is most of an import.
#pragma once
#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <utility>

#include "util/files.hpp"

namespace dlrun::archive {

class Syncs {
 public:
  /// @throws Error(outside) for an earlier file.
  void add(std::unique_ptr<FileWriter> file) {
    if (under_way_.size() == kMostSyncs) finish_one();
    under_way_.push_back(std::async(std::launch::async, [file = std::move(file)] { file->sync(); }));
  }
  /// Waits until all files are on the disk. @throws Error(outside).
  void finish() {
    while (!under_way_.empty()) finish_one();
  }

 private:
  static constexpr std::size_t kMostSyncs = 4;

  void finish_one() {
    std::future<void> first = std::move(under_way_.front());
    under_way_.pop_front();
    first.get();
  }

  std::deque<std::future<void>> under_way_;
};

}  // namespace dlrun::archive
