// SPDX-License-Identifier: Apache-2.0
// Ranks of which one may be lost, a process or in virtual time: the others go on from the states that they have, or all
// begin the epoch again.
#include <algorithm>

#include <fmt/format.h>

#include "gang/process_cluster.hpp"
#include "parallel/restarts.hpp"
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
    } catch (const parallel::RankLost& loss) {
      lost = loss.process;
    }
  } while (lost);
}

/// A server takes its weights with it.
bool Ranks::may_lose(int process) const { return is_elastic_ && process < gang_.rank_processes(); }

/// Methods in step train the round again in which the rank was lost; the others leave out the batches under way.
void Ranks::go_on_without(int process) {
  ++lost_;
  losses_ += fmt::format("; rank {} was lost", process);
  if (place_ != nullptr) {
    lost_at_ = Clock::now();
    place_->mesh.drop(process);
  }
  if (cluster_) {
    first_batch_ += cluster_->settled();
    end_part();
  }
  if (exchange_) {
    exchange_->ask_for_states();
    collect();
  } else {
    back_at_ = std::max(back_at_, seconds_ + machines_.restart);
    losses_ += fmt::format(" at {:.3f} s", seconds_);
  }
  std::vector<int> seats = seating_.seats();
  std::erase_if(seats, [&](int seat) { return seat == process || (place_ != nullptr && !place_->mesh.has(seat)); });
  seating_.keep(seats);
  seating_.mend();
  if (exchange_) exchange_->spread({first_step_, first_batch_, seats}, pulse_.wait);
  begin_part();
  losses_ += fmt::format(", {} went on", seats.size());
  gradients_since_loss_ = 0;
}

/// In virtual time an epoch begins when all lost ranks are back. Nobody is lost meanwhile, and the log says so; rank 0
/// never is.
void Ranks::await_lost() {
  for (const parallel::Failure& failure : machines_.failures) {
    if (failure.rank > 0 && failure.at >= seconds_ && failure.at < back_at_)
      losses_ +=
          fmt::format("; rank {} was not lost at {:.3f} s, when all waited for a lost rank", failure.rank, failure.at);
  }
  seconds_ = std::max(seconds_, back_at_);
}

void Ranks::begin_again() {
  if (!machines_.fails() || is_elastic_) return;
  const parallel::Restarts all = parallel::restarts(timed_, *algorithm_, states_.members, virtual_options(), deal_);
  seconds_ += all.seconds;
  bytes_ += all.bytes;
  lost_ += all.count;
  if (all.count > 0)
    losses_ += fmt::format("; {}, begun for good at {:.3f} s",
                           all.count == 1 ? "1 loss" : fmt::format("{} losses", all.count), seconds_);
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
    exchange_->start_from(begin, text);
    observed_ = states_.most_steps();
    gang_.epoch = int(shared_.progress.state().epoch);
    begin_partition(text);
    open_sums(part.sums);
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
