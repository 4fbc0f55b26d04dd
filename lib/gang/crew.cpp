// SPDX-License-Identifier: Apache-2.0
#include "gang/crew.hpp"

#include <poll.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "gang/rollcall.hpp"
#include "process/srun.hpp"
#include "protocol/rendezvous.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr int kLeaveMs = 5000;  ///< for processes of other hosts to end by themselves

/// One process on each host after the first of the job.
std::vector<std::string> start_command(const std::filesystem::path& program, int hosts, bool is_elastic) {
  std::vector<std::string> words = process::srun_command(hosts - 1);
  words.insert(words.end(), {is_elastic ? "--kill-on-bad-exit=0" : "--kill-on-bad-exit=1", "--relative=1",
                             program.string(), "--gang"});
  return words;
}

/// Local connections in the places that others leave closed.
std::vector<Link> merged(std::vector<Link> local, std::vector<Link> far) {
  for (std::size_t i = 0; i < far.size(); ++i) {
    if (far[i].is_open()) local[i] = std::move(far[i]);
  }
  return local;
}

}  // namespace

std::vector<int> Place::others() const {
  std::vector<int> all;
  for (int i = 0; i < mesh.processes(); ++i) {
    if (i != process && mesh.has(i)) all.push_back(i);
  }
  return all;
}

Packet next_word(Mesh& mesh) {
  constexpr std::chrono::milliseconds kPatience{1000};
  std::vector<Mesh::Received> early;
  for (;;) {
    auto received = mesh.receive(kPatience);
    if (!received) continue;
    if (received->packet.kind != PacketKind::message) {
      mesh.put_back(std::move(early));
      return std::move(received->packet);
    }
    early.push_back(std::move(*received));
  }
}

Crew::Crew(std::filesystem::path program, Meeting meeting)
    : program_(std::move(program)), meeting_(std::move(meeting)) {
  place_.emplace(gathered());
}

Place Crew::gathered() {
  if (meeting_.is_spread()) {
    gather_hosts();
  } else {
    household_.emplace(program_, meeting_, 0);
  }
  const SharedMemory memory(household_->memory(), meeting_.processes());
  return {0, merged(household_->take_links(), std::move(far_)), memory};
}

void Crew::renew() {
  const int generation = place_->generation;
  auto renew = std::move(place_->renew);
  dismiss();
  place_.emplace(gathered());
  place_->generation = generation;
  place_->renew = std::move(renew);
}

void Crew::gather_hosts() {
  meeting_.token = protocol::random_token();
  Door door = open_door(meeting_);
  meeting_.port = door.port();
  srun_ = process::Child({.arguments = start_command(program_, meeting_.hosts_in_use(), meeting_.is_elastic),
                          .environment = environment_with(meeting_),
                          .descriptors = {{-1, 0}},
                          .group = process::Group::own,
                          .dies_with_us = true,
                          .unblocks_signals = true});
  if (srun_.fault() != 0)
    throw Error(ErrorKind::outside, "cannot run srun: " + std::generic_category().message(srun_.fault()));
  Meeting near = meeting_;
  near.address = "127.0.0.1";
  household_.emplace(program_, near, 0);
  Gathered all = call_roll(door, meeting_, [this](int missing) { watch(missing); });
  names_ = std::move(all.names);
  far_ = std::move(all.links);
}

void Crew::watch(int missing) {
  if (const auto process = household_->ended())
    throw NotGathered(fmt::format("process {} of a gang {}", *process, household_->end_text(*process)));
  if (!srun_.has_ended()) return;
  throw NotGathered(fmt::format("{} of {} processes of a gang could not start: srun ended with {}", missing,
                                meeting_.processes(), process::end_text(srun_.status())));
}

Crew::~Crew() { dismiss(); }

/// Whoever follows ends as its connection does.
void Crew::dismiss() {
  place_.reset();
  household_.reset();
  if (srun_.pid() < 0) return;
  pollfd item{srun_.watch(), POLLIN, 0};
  if (!srun_.has_ended()) ::poll(&item, 1, kLeaveMs);
  if (!srun_.has_ended()) srun_.signal(SIGTERM);
  if (!srun_.has_ended()) ::poll(&item, 1, kLeaveMs);
}

std::string Crew::end_text(int process) {
  if (household_->has(process)) return household_->end_text(process);
  return fmt::format("on {} was lost: its connection broke", names_[std::size_t(process)]);
}

Follower::Follower(const std::filesystem::path& program, std::optional<int> process) {
  Meeting meeting = found_meeting();
  const bool starts_others = !process;
  if (starts_others)
    process = meeting.first_of(int(std::strtol(process::srun_variable("SLURM_PROCID").c_str(), nullptr, 10)) + 1);
  if (*process < 1 || *process >= meeting.processes()) throw Error(ErrorKind::usage, "no such process of a gang");
  if (starts_others) meeting.address = process::srun_variable("SLURM_LAUNCH_NODE_IPADDR");
  if (starts_others) household_.emplace(program, meeting, *process);
  const Descriptor passed = starts_others ? Descriptor() : passed_memory();
  const SharedMemory memory(starts_others ? household_->memory() : passed, meeting.processes());
  std::vector<Link> links = starts_others ? household_->take_links() : passed_links(meeting, *process);
  if (meeting.is_spread()) links = merged(std::move(links), answer_roll(meeting, *process));
  place_.emplace(*process, std::move(links), memory, meeting.host(*process) == 0);
}

}  // namespace dlrun::gang
