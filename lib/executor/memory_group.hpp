// SPDX-License-Identifier: Apache-2.0
// Control groups that limit the memory of a worker and all its children together. Private to this room.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "util/cgroup.hpp"

namespace dlrun::executor {

/// Control group of one worker; its destructor kills what is left in it.
class MemoryGroup {
 public:
  /// @param name   name of the new group, below `parent`
  /// @param bytes  limit of memory; swap is forbidden if the kernel counts it
  /// @throws Error(outside) if it cannot be made
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

/// Parent of workers' groups: the group of this process, if it may be divided. With version 2 it must be delegated
/// (`systemd-run --user --scope -p Delegate=yes`) and hold no other process. This process then moves into a group of
/// its own below, because the kernel has processes in leaves only.
class MemoryGroups {
 public:
  /// Opens the parent; nullptr: the system does not permit groups.
  static std::unique_ptr<MemoryGroups> find();
  ~MemoryGroups();
  MemoryGroups(const MemoryGroups&) = delete;
  MemoryGroups& operator=(const MemoryGroups&) = delete;

  int version() const { return parent_.version; }  ///< version of control groups
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
  bool is_below_ = false;  ///< the process has moved into a group below
};

}  // namespace dlrun::executor
