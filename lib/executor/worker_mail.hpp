// SPDX-License-Identifier: Apache-2.0
// Messages of workers, turned into happenings for the driver. Private to this room.
#pragma once
#include <optional>
#include <vector>

#include "executor/worker.hpp"
#include "util/error.hpp"

namespace dlrun::executor {

class WorkerMail {
 public:
  /// @param happenings  outlive this object; new ones are added at the end
  explicit WorkerMail(std::vector<Happening>& happenings) : happenings_(happenings) {}

  /// @throws Error(usage) if the worker breaks the rules; then it loses its connection
  void read(Worker& worker, protocol::Message message);
  /// A fault that ends the whole executor, such as a full disk of the store.
  const std::optional<Error>& fault() const { return fault_; }

 private:
  void carry(Worker& worker, const protocol::Message& message);
  std::optional<std::vector<protocol::Message>> answers_to(Worker& worker, const protocol::Message& message);

  std::vector<Happening>& happenings_;
  std::optional<Error> fault_;
};

}  // namespace dlrun::executor
