// SPDX-License-Identifier: Apache-2.0
#include "worker/command_runner.hpp"

#include <fmt/format.h>

#include <optional>

#include "energy/nvml.hpp"
#include "programs/callers.hpp"
#include "programs/keeper.hpp"
#include "util/error.hpp"
#include "util/gpus.hpp"
#include "worker/command_piece.hpp"
#include "worker/command_settings.hpp"
#include "worker/starters.hpp"
#include "worker/waiting_programs.hpp"

namespace dlrun::worker {

namespace {

using programs::Keeper;
using trial::Host;
using trial::PieceOrder;
using trial::PieceResult;

/// Waiting programs may hold memory of a GPU, and no key says how many there may be.
bool are_limited_by_gpu(const trial::WorkSetup& setup) { return setup.device != "cpu" && setup.parked < 0; }

/// Half of a GPU's memory is left to the program that runs.
bool has_gpu_room() {
  constexpr double kLeft = 0.5;
  return energy::free_gpu_memory(energy::nvml_library(), visible_gpus()).value_or(0) >= kLeft;
}

WaitingLimits limits_of(const trial::WorkSetup& setup) {
  WaitingLimits limits;
  if (are_limited_by_gpu(setup)) limits.has_room = has_gpu_room;
  if (setup.parked >= 0) limits.programs = std::size_t(setup.parked);
  if (setup.parked_bytes > 0) limits.bytes = setup.parked_bytes;
  return limits;
}

class CommandRunner final : public trial::Runner {
 public:
  explicit CommandRunner(const trial::WorkSetup& setup)
      : setup_(setup),
        starter_(make_starter(read_command(setup.trial), setup)),
        waiting_(limits_of(setup), read_command(setup.trial).grace, setup.maximize) {}

  PieceResult run(const PieceOrder& order, Host& host) override {
    auto keeper = waiting_.take_program(order.key.member, order.from_step);
    if (!keeper && !order.program.empty()) {
      if (auto result = run_elsewhere(order, host)) return *result;
    }
    try {
      return run_here(std::move(keeper), order, host);
    } catch (const ImportHangs& fault) {
      return {.key = order.key,
              .attempt = order.attempt,
              .outcome = trial::Outcome::failed,
              .cause = trial::Cause::timeout,
              .message = fault.message};
    }
  }

  std::set<std::string> folders() override { return waiting_.folders(); }
  void end_trial(trial::TrialId trial) override { waiting_.end_trial(trial); }

 private:
  /// @param keeper  of the trial's program, which waits; nullptr: it is started
  PieceResult run_here(std::unique_ptr<Keeper> keeper, const PieceOrder& order, Host& host) {
    CommandPiece piece(setup_, order, host);
    if (!keeper) keeper = start(piece.prepare(), host);
    PieceResult result = piece.run(keeper->channel());
    const std::string socket = piece.parked_at();
    if (piece.has_freed()) starter_->take_back(std::move(keeper));
    if (!socket.empty()) waiting_.add(order.key.member, piece.waiting(std::move(keeper)));
    if (!piece.has_client() && are_limited_by_gpu(setup_)) waiting_.end_member(order.key.member);
    if (waiting_.has(order.key.member)) result.parked_at = socket;
    if (!piece.could_not_go_on()) return result;
    keeper.reset();
    return run_anew(order, host, result.message);
  }

  /// From the piece's beginning, after an attempt to go on from its middle. @param why  that failed
  PieceResult run_anew(PieceOrder order, Host& host, const std::string& why) {
    host.log(fmt::format("dlrun: it could not go on ({}), and is run from step {} again", why, order.from_step + 1));
    order.partial.clear();
    return run_here(nullptr, order, host);
  }

  /// Where the machine can have no other process, one that waits makes room for it.
  std::unique_ptr<Keeper> start(const programs::Start& start, Host& host) {
    if (start.is_reusable) {
      for (auto& keeper : waiting_.take_free(starter_->patience())) starter_->take_back(std::move(keeper));
    }
    while (true) {
      try {
        return starter_->start(start, host);
      } catch (const Error& fault) {
        if (fault.kind() != ErrorKind::outside || !waiting_.give_way()) throw;
      }
    }
  }

  /// The piece by the program of another worker; nullopt: it waits no longer, or was about to end.
  std::optional<PieceResult> run_elsewhere(const PieceOrder& order, Host& host) const {
    std::optional<programs::Channel> channel;
    try {
      channel.emplace(programs::visit(order.program));
    } catch (const Error&) {
      return std::nullopt;
    }
    CommandPiece piece(setup_, order, host);
    PieceResult result = piece.run(*channel);
    if (!piece.was_heard()) return std::nullopt;
    result.parked_at = piece.parked_at();
    return result;
  }

  trial::WorkSetup setup_;
  std::unique_ptr<Starter> starter_;
  WaitingPrograms waiting_;
};

}  // namespace

std::unique_ptr<trial::Runner> make_command_runner(const trial::WorkSetup& setup) {
  return std::make_unique<CommandRunner>(setup);
}

}  // namespace dlrun::worker
