// SPDX-License-Identifier: Apache-2.0
#include "train/trainer.hpp"

#include <new>

#include <ATen/Parallel.h>
#include <fmt/format.h>

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

void log_peak(at::Device device, trial::Host& host) {
  if (!device.is_cpu()) host.log(fmt::format("peak memory of {}: {} bytes", device.str(), peak_bytes(device)));
}

}  // namespace

Trainer::Trainer(trial::WorkSetup setup, SaveRules rules)
    : setup_(std::move(setup)), device_(device_of(setup_)), rules_(rules) {
  require_capability();
  at::set_num_threads(std::max(1, setup_.threads));
}

trial::Runtime Trainer::runtime() const { return describe_runtime(setup_); }

trial::PieceResult Trainer::run(const trial::PieceOrder& order, trial::Host& host) {
  trial::PieceResult result;
  result.key = order.key;
  result.attempt = order.attempt;
  std::optional<Piece> piece;
  if (!device_.warning.empty()) host.log("warning: " + device_.warning);
  note_peak(device_.device);
  try {
    require_data(setup_, order);
    piece.emplace(setup_, order, host, rules_, device_.device);
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
  } catch (const Diverged& end) {
    fail(result, trial::Cause::nan,
         fmt::format("training diverged: {} in epoch {}, step {}", end.what, end.epoch, end.step));
  } catch (const std::bad_alloc&) {
    fail(result, trial::Cause::oom, "out of memory");
  } catch (const c10::Error& fault) {
    if (!is_out_of_memory(fault)) throw Error(ErrorKind::internal, "libtorch: " + first_line(fault));
    fail(result, trial::Cause::oom, "out of memory: " + first_line(fault));
  }
  if (piece) result.reports = piece->reports();
  log_peak(device_.device, host);
  if (result.cause == trial::Cause::oom) {  // the next trial begins with all that there is
    piece.reset();
    release_memory(device_.device);
  }
  return result;
}

}  // namespace dlrun::train
