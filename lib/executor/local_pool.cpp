// SPDX-License-Identifier: Apache-2.0
#include "executor/local_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "executor/local_worker.hpp"
#include "executor/remote_worker.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::executor {

namespace {

constexpr int kEarlyDeaths = 3;                        ///< in a row, before being ready: the study stops
constexpr std::chrono::milliseconds kEarlyPause{100};  ///< after each of them

}  // namespace

void LocalPool::start(int workers) {
  wanted_ = workers;
  share_cores();
  share_gpus();
  if (options_.setup.memory_bytes > 0) memory_groups_ = MemoryGroups::find();
  make_folders(options_.logs);
}

void LocalPool::keep(PoolView view) {
  if (Worker::Clock::now() < restart_at_) return;
  while (static_cast<int>(mine_.size()) < wanted_) {
    const std::int64_t number = view.next_number++;
    mine_.insert(number);
    view.workers.push_back(std::make_unique<LocalWorker>(view.loop, options_, view.socket, number, places_for(number)));
  }
}

Places LocalPool::places_for(std::int64_t worker) {
  Places mine;
  if (cores_) mine.cores = cores_->acquire(worker);
  if (gpus_) mine.gpu = gpus_->acquire(worker);
  if (memory_groups_) mine.memory = memory_groups_->make(worker, options_.setup.memory_bytes);
  return mine;
}

void LocalPool::share_gpus() {
  const int each = options_.setup.gpus;
  if (options_.gpus.empty() && (each == 0 || wanted_ == 0)) return;
  gpus_.emplace(options_.gpus, options_.gpu_share, std::max(1, each));
  if (gpus_->workers() >= wanted_) return;
  if (each > 0) refuse_gpus(each);
  throw Error(ErrorKind::usage,
              fmt::format("resources.gpu_share: {} workers of {:g} of a GPU each do not fit on {} GPU{}", wanted_,
                          options_.gpu_share, options_.gpus.size(), options_.gpus.size() == 1 ? "" : "s"),
              fmt::format("at most {} do: say --workers, or a smaller share", gpus_->workers()));
}

void LocalPool::refuse_gpus(int each) const {
  const int most = gpus_->workers();
  const std::string need = most > 0 ? fmt::format("{} workers need {} GPUs", wanted_, wanted_ * each)
                                    : fmt::format("a program needs {} GPU{}", each, each == 1 ? "" : "s");
  throw Error(ErrorKind::usage, fmt::format("resources.gpus: {}, but this machine has {}", need, options_.gpus.size()),
              most > 0 ? fmt::format("at most {} would do: say --workers", most)
                       : "`dlrun doctor` lists them; CUDA_VISIBLE_DEVICES hides others");
}

void LocalPool::share_cores() {
  if (!options_.pin) return;
  const int each = std::max(1, options_.setup.threads) * options_.setup.devices * options_.processes;
  cores_.emplace(each);
  if (cores_->workers() >= wanted_) return;
  throw Error(ErrorKind::usage,
              fmt::format("resources.pin: {} worker{} of {} thread{} cannot each have cores of their own here", wanted_,
                          wanted_ == 1 ? "" : "s", each, each == 1 ? "" : "s"),
              fmt::format("at most {} can: say --workers, fewer threads_per_trial, or pin: false", cores_->workers()));
}

Pool::Meeting LocalPool::meet(const protocol::Hello& hello, PoolView view) {
  const bool joins = options_.network && !hello.session.empty();
  if (!joins) return Pool::meet(hello, view);
  return {std::make_unique<RemoteWorker>(options_, view.next_number++, hello), {}};
}

void LocalPool::is_ready(const Worker& worker) {
  if (mine_.contains(worker.number())) early_deaths_ = 0;
}

void LocalPool::has_ended(const Worker& worker, bool is_expected) {
  if (mine_.erase(worker.number()) == 0) return;
  if (cores_) cores_->give_back(worker.number());
  if (gpus_) gpus_->give_back(worker.number());
  if (!worker.signs.is_ready() && !is_expected) note_early_death(worker);
}

void LocalPool::note_early_death(const Worker& worker) {
  restart_at_ = Worker::Clock::now() + kEarlyPause * ++early_deaths_;
  if (early_deaths_ < kEarlyDeaths) return;
  const std::string tail = worker.log_tail();
  const bool is_outside = worker.ending().cause == trial::Cause::machine;
  throw Error(is_outside ? ErrorKind::outside : ErrorKind::no_worker,
              std::to_string(kEarlyDeaths) + " workers in a row ended before they were ready: " +
                  worker.ending().message + (tail.empty() ? " and said nothing" : "; its last words:\n" + tail));
}

}  // namespace dlrun::executor
