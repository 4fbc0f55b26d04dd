// SPDX-License-Identifier: Apache-2.0
// Control groups that limit what a worker and all that it starts hold together. Private to this room.
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
  /// @param name   of the new group, below `parent`
  /// @param bytes  of memory; none of swap if the kernel counts that
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

/// Parent of the workers' groups: the group of this process, if it may be divided. A group of version 2 must be
/// delegated (`systemd-run --user --scope -p Delegate=yes`) and hold no process but this one. This process then moves
/// into a group of its own there, because the kernel has processes in leaves only.
class MemoryGroups {
 public:
  /// nullptr: the system does not permit control groups.
  static std::unique_ptr<MemoryGroups> find();
  ~MemoryGroups();
  MemoryGroups(const MemoryGroups&) = delete;
  MemoryGroups& operator=(const MemoryGroups&) = delete;

  int version() const { return parent_.version; }  ///< version of control groups, 1 or 2
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
  bool is_below_ = false;  ///< the driver moved into a group of its own
};

}  // namespace dlrun::executor
