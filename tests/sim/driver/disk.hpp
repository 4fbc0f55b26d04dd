// SPDX-License-Identifier: Apache-2.0
// The disk under a study's database: it fails, fills up, and loses in a power cut what was not synced.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fate.hpp"
#include "util/random.hpp"

namespace dlrun::driver_sim {

/// All files of SQLite in this process, from construction to destruction; one at a time. Writes go to the real files,
/// and what they replace is remembered until the file is synced. Threads: none.
class Disk {
 public:
  /// @param fate  of the driver: each write and sync counts as a call
  explicit Disk(Fate& fate);
  ~Disk();
  Disk(const Disk&) = delete;
  Disk& operator=(const Disk&) = delete;

  /// From now on each write or sync fails with this probability, as full or as broken.
  void fail_with(double probability) { failing_ = probability; }
  /// The machine loses its power: of each file a random number of its last writes since it was synced is undone.
  /// REQUIRES: no file is open.
  void lose_power(RandomStream& random);
  int failures() const { return failures_; }

  // For SQLite's calls.
  /// 0: it works, else SQLite's code.
  int fault_of_write(int code);
  bool is_dead() const { return fate_.is_dead(); }
  void will_write(const std::string& path, std::int64_t offset, std::int64_t bytes);
  void will_truncate(const std::string& path, std::int64_t size);
  void synced(const std::string& path) { undo_.erase(path); }
  void deleted(const std::string& path) { undo_.erase(path); }

 private:
  /// How a file was before a write.
  struct Before {
    std::int64_t size;
    std::int64_t offset;
    std::string bytes;
  };
  void remember(const std::string& path, std::int64_t offset, std::int64_t bytes);
  static void restore(const std::string& path, const Before& before);

  Fate& fate_;
  double failing_ = 0;
  int failures_ = 0;
  RandomStream random_;
  std::map<std::string, std::vector<Before>> undo_;
};

}  // namespace dlrun::driver_sim
