// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <new>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "gang/process_cluster.hpp"
#include "gang/rollcall.hpp"
#include "plugin/opened.hpp"
#include "recipe/parallel.hpp"
#include "train/piece.hpp"
#include "train/runtime.hpp"
#include "train/torch_errors.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

void fail(trial::PieceResult& result, trial::Cause cause, std::string message) {
  result.outcome = trial::Outcome::failed;
  result.cause = cause;
  result.message = std::move(message);
}

/// The reports of a lost attempt are not those of the attempt that follows, if ranks race.
bool counts(const Piece& piece, const trial::PieceResult& result) {
  const bool is_lost = result.cause == trial::Cause::worker_lost || result.cause == trial::Cause::timeout;
  return piece.repeats() || !is_lost;
}

void log_peak(at::Device device, trial::Host& host) {
  if (!device.is_cpu()) host.log(fmt::format("peak memory of {}: {} bytes", device.str(), peak_bytes(device)));
}

}  // namespace

Trainer::Trainer(trial::WorkSetup setup, SaveRules rules)
    : setup_(std::move(setup)), device_(device_of(setup_)), rules_(rules) {
  plugin::require_same(setup_.plugins);
  require_capability();
  at::set_num_threads(std::max(1, setup_.threads));
}

/// `device: auto` is known here only.
void Trainer::refuse_processes(const trial::PieceOrder& order) const {
  const auto config = recipe::read_parallel(trial::configured(setup_.trial, order.sets));
  if (config && recipe::processes_of(*config) > 0)
    throw Error(ErrorKind::usage, "ranks in processes compute on CPUs so far", "write resources: {device: cpu}");
}

trial::Runtime Trainer::runtime() const { return describe_runtime(setup_); }

trial::PieceResult Trainer::run(const trial::PieceOrder& order, trial::Host& host) {
  trial::PieceResult result;
  result.key = order.key;
  result.attempt = order.attempt;
  GangLeader::Piece gang_piece(gang_);  // whatever ends it early
  std::optional<Piece> piece;
  if (!device_.warning.empty()) host.log("warning: " + device_.warning);
  note_peak(device_.device);
  try {
    require_data(setup_, order);
    if (!device_.device.is_cpu()) refuse_processes(order);
    gang::Place* place = gang_.gather(trial::configured(setup_.trial, order.sets), setup_, order);
    piece.emplace(setup_, order, host, rules_, device_.device, place);
    if (order.task == "test") {
      piece->test();
    } else if (order.task == "train") {
      piece->train();
    } else {
      throw Error(ErrorKind::usage, fmt::format("there is no task '{}'", order.task));
    }
    result.artifacts = piece->artifacts();
    result.start = piece->start();
    result.shared = piece->shared();
    if (piece->ended_early()) result.outcome = trial::Outcome::early;
    gang_piece.note_end();
  } catch (const Diverged& end) {
    fail(result, trial::Cause::nan, words_of(end));
  } catch (const gang::NotGathered& lost) {
    fail(result, trial::Cause::worker_lost, lost.what());
  } catch (const gang::PeerLost& lost) {
    fail(result, trial::Cause::worker_lost, gang_.end_text(lost.peer));
  } catch (const Hung& hung) {
    host.step();  // or the driver ends this worker meanwhile
    fail(result, trial::Cause::timeout,
         fmt::format("hangs: no step for {:.3g} s; {}", hung.seconds, gang_.silent_text()));
  } catch (const gang::Fault& fault) {
    const Json words = Json::parse(fault.text);
    fail(result, trial::cause(words.at("cause").get<std::string>()), words.at("message").get<std::string>());
  } catch (const std::bad_alloc&) {
    fail(result, trial::Cause::oom, "out of memory");
  } catch (const c10::Error& fault) {
    if (!is_out_of_memory(fault)) throw Error(ErrorKind::internal, "libtorch: " + first_line(fault));
    fail(result, trial::Cause::oom, "out of memory: " + first_line(fault));
  }
  if (piece && counts(*piece, result)) result.reports = piece->reports();
  log_peak(device_.device, host);
  if (result.cause == trial::Cause::oom) {  // the next trial begins with all that there is
    piece.reset();
    release_memory(device_.device);
  }
  return result;
}

}  // namespace dlrun::train
