// SPDX-License-Identifier: Apache-2.0
#include "train/gang_leader.hpp"

#include <filesystem>
#include <system_error>

#include "recipe/parallel.hpp"

namespace dlrun::train {

gang::Place* GangLeader::gather(const Json& trial, const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  const auto config = recipe::read_parallel(trial);
  const int processes = config ? recipe::processes_of(*config) : 0;
  if (processes == 0 || order.task != "train") return nullptr;
  if (!crew_ || crew_->processes() != processes) {
    crew_.reset();
    std::error_code fault;
    crew_.emplace(std::filesystem::read_symlink("/proc/self/exe", fault), processes);
  }
  gang::Packet packet{gang::PacketKind::order};
  packet.text = Json{{"setup", trial::to_json(setup)}, {"order", trial::to_json(order)}}.dump();
  for (int to = 1; to < processes; ++to) crew_->place().mesh.send(to, packet);
  return &crew_->place();
}

}  // namespace dlrun::train
