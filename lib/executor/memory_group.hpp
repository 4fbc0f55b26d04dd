// SPDX-License-Identifier: Apache-2.0
// Control groups that limit what a worker and all that it starts hold together. Private to this room.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "util/cgroup.hpp"

namespace dlrun::executor {

/// One worker's. What is left in it when this goes out of scope is killed.
class MemoryGroup {
 public:
  /// @param name   of the new group, below `parent`
  /// @param bytes  of memory; none of swap where the kernel counts that
  /// @throws Error(outside) where it cannot be made
  MemoryGroup(const Cgroup& parent, const std::string& name, std::int64_t bytes);
  ~MemoryGroup();
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;

  const std::filesystem::path& folder() const { return group_.folder; }
  std::int64_t oom_kills() const { return dlrun::oom_kills(group_); }

 private:
  void kill_rest() const;

  Cgroup group_;
};

/// The place where they are made: the group of this process, where it may be divided. Of version 2 that is one which
/// was delegated (`systemd-run --user --scope -p Delegate=yes`) and in which there is nobody but this process: it moves
/// into a group of its own there, because the kernel has processes in leaves only.
class MemoryGroups {
 public:
  /// nullptr: they are not permitted.
  static std::unique_ptr<MemoryGroups> find();
  ~MemoryGroups();
  MemoryGroups(const MemoryGroups&) = delete;
  MemoryGroups& operator=(const MemoryGroups&) = delete;

  int version() const { return parent_.version; }  ///< of control groups
  /// @throws Error(outside) as MemoryGroup
  std::unique_ptr<MemoryGroup> make(std::int64_t worker, std::int64_t bytes) const;

 private:
  explicit MemoryGroups(Cgroup parent) : parent_(std::move(parent)) {}
  bool open();
  bool enable();
  void move_below();
  void move_back();
  void remove_stale() const;
  bool try_one() const;

  Cgroup parent_;
  bool is_below_ = false;  ///< we moved
};

}  // namespace dlrun::executor
