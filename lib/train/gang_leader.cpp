// SPDX-License-Identifier: Apache-2.0
#include "train/gang_leader.hpp"

#include <filesystem>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gang/process_cluster.hpp"
#include "recipe/parallel.hpp"

namespace dlrun::train {

std::filesystem::path own_program() {
  const std::filesystem::path link = "/proc/self/exe";
  std::error_code fault;
  const std::filesystem::path file = std::filesystem::read_symlink(link, fault);
  return !fault && std::filesystem::exists(file, fault) ? file : link;
}

namespace {

constexpr std::chrono::milliseconds kAnswer{500};

bool is_same_crew(const gang::Meeting& a, const gang::Meeting& b) {
  return a.hosts == b.hosts && a.key == b.key && a.is_encrypted == b.is_encrypted && a.is_elastic == b.is_elastic;
}

}  // namespace

gang::Place* GangLeader::gather(const Json& trial, const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  const auto config = recipe::read_parallel(trial);
  const int processes = config ? recipe::processes_of(*config) : 0;
  if (processes == 0 || order.task != "train" || !order.replays.empty()) return nullptr;
  ranks_ = config->gang.ranks;
  gang::Meeting meeting{gang::hosts_of(ranks_, processes - ranks_, setup.nodes)};
  meeting.key = setup.key;
  meeting.is_encrypted = config->cluster.is_encrypted;
  meeting.is_elastic = config->gang.on_loss == "elastic";
  if (!crew_ || !is_same_crew(crew_->meeting(), meeting) || !crew_->place().is_whole()) {
    crew_.reset();
    crew_.emplace(own_program(), std::move(meeting));
    crew_->place().renew = [this] {
      crew_->renew();
      send_order();
    };
  }
  order_ = Json{{"setup", trial::to_json(setup)}, {"order", trial::to_json(order)}}.dump();
  send_order();
  return &crew_->place();
}

void GangLeader::send_order() {
  gang::Packet packet{gang::PacketKind::order};
  packet.text = order_;
  for (const int to : crew_->place().others()) crew_->place().send(to, packet);
}

std::string GangLeader::name_of(int process) const {
  const bool is_rank = process < ranks_;
  return fmt::format("{} {}", is_rank ? "rank" : "server", is_rank ? process : process - ranks_);
}

std::string GangLeader::end_text(int process) { return name_of(process) + " " + crew_->end_text(process); }

/// Asks all. Whatever a process says now, even that it was asked at the wrong time, it answers.
std::string GangLeader::silent_text() {
  gang::Place& place = crew_->place();
  const std::vector<int> others = place.others();
  std::set<int> silent(others.begin(), others.end());
  for (const int process : others) place.send(process, {gang::PacketKind::probe});
  const auto until = std::chrono::steady_clock::now() + kAnswer;
  while (!silent.empty() && std::chrono::steady_clock::now() < until) {
    try {
      if (const auto received = place.mesh.receive(gang::ProcessCluster::kWait)) silent.erase(received->from);
    } catch (const gang::PeerLost& lost) {  // after its last words
      silent.erase(lost.peer);
      place.mesh.drop(lost.peer);
    }
  }
  std::vector<std::string> names;
  for (const int process : silent) names.push_back(name_of(process));
  if (names.empty()) return "all ranks answer";
  return fmt::format("{} {} not answer", fmt::join(names, ", "), names.size() == 1 ? "does" : "do");
}

}  // namespace dlrun::train
