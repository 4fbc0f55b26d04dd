// SPDX-License-Identifier: Apache-2.0
// Ranks as processes, of which one may be lost: the others go on from the states that they have.
#include <algorithm>

#include <fmt/format.h>

#include "gang/process_cluster.hpp"
#include "train/ranks.hpp"

namespace dlrun::train {

namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void Ranks::play(std::int64_t until) {
  std::optional<int> lost;
  do {
    try {
      if (lost) go_on_without(*lost);
      lost.reset();
      play_on(until);
    } catch (const gang::PeerLost& peer) {
      if (!may_lose(peer.peer)) throw;
      lost = peer.peer;
    }
  } while (lost);
}

/// A server takes its weights with it.
bool Ranks::may_lose(int process) const { return is_elastic_ && process < gang_.rank_processes(); }

/// Methods in step train the round again in which the rank was lost; the others leave out the batches under way.
void Ranks::go_on_without(int process) {
  lost_at_ = Clock::now();
  losses_ += fmt::format("; rank {} was lost", process);
  place_->mesh.drop(process);
  if (cluster_) {
    const std::int64_t begun = cluster_->started();
    first_batch_ +=
        algorithm_->is_synchronous() ? std::max<std::int64_t>(0, begun - 1) / gang_.ranks * gang_.ranks : begun;
    end_part();
  }
  exchange_->ask_for_states();
  collect();
  std::vector<int> seats = seating_.seats();
  std::erase_if(seats, [&](int seat) { return !place_->mesh.has(seat); });
  seating_.keep(seats);
  seating_.mend(*algorithm_);
  exchange_->spread({first_step_, first_batch_, seats}, pulse_.wait);
  begin_part();
  losses_ += fmt::format(", {} went on", seats.size());
  gradients_since_loss_ = 0;
}

/// A rank that begins its second gradient has seen the update by the first.
void Ranks::note_update() {
  if (!lost_at_) return;
  losses_ +=
      fmt::format(", next update after {:.3f} s", std::chrono::duration<double>(Clock::now() - *lost_at_).count());
  lost_at_.reset();
}

void Ranks::follow(const gang::Packet& begin) {
  const Json text = Json::parse(begin.text);
  const GangExchange::Part part = GangExchange::part_of(text);
  seating_.keep(part.seats);
  first_step_ = part.first_step;
  first_batch_ = part.first_batch;
  costs_ = {};
  try {
    exchange_->take(begin, text);
    observed_ = states_.most_steps();
    gang_.epoch = int(shared_.progress.state().epoch);
    begin_partition(text);
    begin_part();
    while (cluster_->advance()) continue;
  } catch (const gang::Regroup& order) {
    place_->generation = order.generation;
  }
  if (cluster_) end_part();
  exchange_->give(costs_);
  if (collects()) shared_.batches.partition()->end_epoch();
}

void Ranks::give_again(const gang::Packet& regroup) {
  place_->generation = regroup.generation;
  exchange_->give(costs_);
}

}  // namespace dlrun::train
