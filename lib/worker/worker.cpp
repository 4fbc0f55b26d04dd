// SPDX-License-Identifier: Apache-2.0
#include "worker/worker.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>
#include <system_error>

#include "programs/descendants.hpp"
#include "trial/artifacts.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "worker/attempt_log.hpp"
#include "worker/command_runner.hpp"
#include "worker/courier.hpp"
#include "worker/function_runner.hpp"
#include "worker/memory_peak.hpp"
#include "worker/server.hpp"
#include "worker/sudden_end.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

namespace {

/// The worker as a runner sees it.
class LinkedHost final : public trial::Host {
 public:
  LinkedHost(Link& link, AttemptLog& log) : link_(link), log_(log) {}
  void report(const trial::Report& report) override { link_.report(report); }
  void step_report(const trial::Report& report) override { link_.step_report(report); }
  void gang_report(const trial::GangReport& report) override { link_.gang_report(report); }
  void step() override { link_.step(); }
  bool is_stopping() const override { return link_.stop_reason() != StopReason::none; }
  void log(const std::string& line) override { log_.append(line); }

 private:
  Link& link_;
  AttemptLog& log_;
};

/// A runner that could not be made: one piece fails with the reason, which is then seen in the lineage, and the worker
/// ends. The next one may fare better.
class BrokenRunner final : public trial::Runner {
 public:
  explicit BrokenRunner(const Error& reason) : reason_(std::make_exception_ptr(reason)) {}
  trial::PieceResult run(const trial::PieceOrder&, trial::Host&) override { std::rethrow_exception(reason_); }

 private:
  std::exception_ptr reason_;
};

struct Made {
  std::unique_ptr<trial::Runner> runner;
  bool is_broken = false;
};

std::unique_ptr<trial::Runner> make_sound(const trial::WorkSetup& setup, const Options& options) {
  const std::string kind = setup.trial.value("kind", std::string("train"));
  if (kind == "function") return make_function_runner(setup);
  if (trial::runs_program(kind)) return make_command_runner(setup);
  if (kind == "train") return make_trainer(options.library.empty() ? program_folder() : options.library, setup);
  throw Error(ErrorKind::usage, "there is no kind of trial '" + kind + "'");
}

/// The runner of a study, which the driver has checked; no trial is known yet.
Made make_runner(const trial::WorkSetup& setup, const Options& options) {
  try {
    return {make_sound(setup, options)};
  } catch (const Error& fault) {
    return {std::make_unique<BrokenRunner>(Error(ErrorKind::outside, fault.what(), fault.hint())), true};
  }
}

trial::PieceResult failed(const trial::PieceOrder& order, trial::Cause cause, const std::string& message) {
  trial::PieceResult result{.key = order.key, .attempt = order.attempt};
  result.outcome = trial::Outcome::failed;
  result.cause = cause;
  result.message = message;
  return result;
}

trial::PieceResult stopped(const trial::PieceOrder& order, StopReason reason, double limit) {
  if (reason != StopReason::timeout) return failed(order, trial::Cause::cancelled, "abandoned");
  return failed(order, trial::Cause::timeout,
                "took longer than its limit of " + fmt::format("{:g}", limit) + " seconds");
}

/// Whatever the machine lacks, no setting of the trial asked for that.
trial::Cause cause_of(const Error& fault) {
  return fault.kind() == ErrorKind::outside ? trial::Cause::machine : trial::Cause::exception;
}

/// A program, or PyTorch, does not say that it was the disk: where that is full, it is no fault of the trial's.
void blame_disk(trial::PieceResult& result, const std::filesystem::path& folder) {
  if (result.cause != trial::Cause::exception || !is_disk_full(folder)) return;
  result.cause = trial::Cause::machine;
  result.message += "; the disk of '" + folder.string() + "' is full";
}

trial::Cause cause_of(const std::system_error& fault) {
  return is_of_machine(fault.code().value()) ? trial::Cause::machine : trial::Cause::exception;
}

/// nullopt: the worker is shutting down and the piece was left unfinished.
std::optional<trial::PieceResult> run_piece(trial::Runner& runner, const trial::PieceOrder& order, LinkedHost& host,
                                            Link& link) {
  try {
    return runner.run(order, host);
  } catch (const trial::Stopped&) {
    if (link.stop_reason() == StopReason::shutdown) return std::nullopt;
    return stopped(order, link.stop_reason(), link.setup().time_limit);
  } catch (const std::bad_alloc&) {
    return failed(order, trial::Cause::oom, "out of memory");
  } catch (const Error& fault) {
    return failed(order, cause_of(fault), fault.what() + (fault.hint().empty() ? "" : " (" + fault.hint() + ")"));
  } catch (const std::system_error& fault) {
    return failed(order, cause_of(fault), fault.what());
  } catch (const std::exception& fault) {
    return failed(order, trial::Cause::exception, fault.what());
  } catch (...) {
    return failed(order, trial::Cause::exception, "an exception of unknown type");
  }
}

/// An input that is missing or damaged is no fault of the trial's, however its reader failed.
void blame_inputs(trial::PieceResult& result, const trial::PieceOrder& order, const trial::WorkSetup& setup) {
  if (result.outcome != trial::Outcome::failed || result.cause != trial::Cause::exception) return;
  try {
    for (const trial::InputFile& input : trial::inputs_of(setup, order)) {
      const std::string fault = trial::fault_of(input);
      if (fault.empty()) continue;
      result.cause = trial::Cause::artifact;
      result.message = fmt::format("'{}' {}", input.path.string(), fault);
      return;
    }
  } catch (const Error&) {
    return;  // a file that cannot be read proves nothing
  }
}

/// Deletes this worker's own copies, one of which is damaged: they are brought again.
void drop_copies(const trial::PieceOrder& order, const trial::WorkSetup& setup) {
  std::error_code none;
  for (const trial::InputFile& input : trial::inputs_of(setup, order)) {
    if (input.is_stored) std::filesystem::remove(input.path, none);
  }
}

/// nullopt: the worker is shutting down.
std::optional<trial::PieceResult> run_order(trial::Runner& runner, const trial::PieceOrder& order, Link& link) {
  using Clock = std::chrono::steady_clock;
  const bool trains = link.setup().trial.value("kind", std::string()) == "train";
  if (trains) make_folders(order.folder);
  AttemptLog log(order.folder, link.setup().log_bytes);
  LinkedHost host(link, log);
  std::optional<MemoryPeak> memory;  // for a test function it would cost more than the function
  if (trains) memory.emplace();
  const auto begin = Clock::now();
  auto result = run_piece(runner, order, host, link);
  if (!result) return std::nullopt;
  result->seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  blame_disk(*result, link.is_apart() ? order.folder : link.setup().artifacts);
  if (memory) result->peak_rss = memory->bytes();
  if (result->outcome == trial::Outcome::failed) result->log_tail = log.tail();
  return result;
}

/// Where the attempt has its folder in the store.
std::optional<trial::PieceResult> run_order_here(trial::Runner& runner, const trial::PieceOrder& order, Link& link) {
  try {
    auto result = run_order(runner, order, link);
    if (result) blame_inputs(*result, order, link.setup());
    return result;
  } catch (const Error& fault) {
    return failed(order, cause_of(fault), fault.what());
  }
}

/// Likewise where the store is not seen: what it reads is brought before, what it made handed over afterwards.
std::optional<trial::PieceResult> run_order_apart(trial::Runner& runner, const trial::PieceOrder& order, Link& link,
                                                  Courier& courier) {
  try {
    const auto own = courier.bring(order, runner.folders());
    auto result = own ? run_order(runner, *own, link) : std::nullopt;
    if (result) blame_inputs(*result, *own, courier.setup());
    const std::string fault = result ? Courier::size_fault(*result) : std::string();
    if (!fault.empty()) result = failed(order, trial::Cause::exception, fault);
    if (result && result->cause == trial::Cause::artifact) drop_copies(*own, courier.setup());
    if (result && courier.hand_over(*result)) return result;
    if (link.stop_reason() == StopReason::shutdown) return std::nullopt;
    return stopped(order, StopReason::abandoned, 0);
  } catch (const Error& fault) {
    const bool is_of_store = fault.kind() == ErrorKind::store;  // the driver looks at its own file
    return failed(order, is_of_store ? trial::Cause::artifact : trial::Cause::machine, fault.what());
  }
}

/// False: the worker is shutting down.
bool serve_order(trial::Runner& runner, const trial::PieceOrder& order, Link& link, std::optional<Courier>& courier) {
  const auto result = courier ? run_order_apart(runner, order, link, *courier) : run_order_here(runner, order, link);
  if (result) link.send(*result);
  return result.has_value();
}

/// Before any thread is made: they inherit it.
void pin_to(const std::string& cores) {
  if (cores.empty()) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  std::istringstream list(cores);
  for (std::string core; std::getline(list, core, ',');) CPU_SET(std::strtoul(core.c_str(), nullptr, 10), &mask);
  if (::sched_setaffinity(0, sizeof mask, &mask) == 0) return;
  throw Error(ErrorKind::outside, "cannot run on cores " + cores + ": " + std::generic_category().message(errno));
}

/// Memory that is reserved and never written does not count, so that CUDA works. More ends in std::bad_alloc, not in a
/// death.
void limit_memory(std::int64_t bytes) {
  if (bytes == 0) return;
  const rlimit limit{static_cast<rlim_t>(bytes), static_cast<rlim_t>(bytes)};
  if (::setrlimit(RLIMIT_DATA, &limit) == 0) return;
  throw Error(ErrorKind::outside,
              "cannot limit memory (resources.memory_mb): " + std::generic_category().message(errno));
}

/// Before memory is taken: what is there already counts for the group it was taken in.
void join(const std::filesystem::path& cgroup) {
  if (cgroup.empty()) return;
  std::ofstream file(cgroup / "cgroup.procs");
  if (file << "0" << std::flush) return;
  throw Error(ErrorKind::outside, "cannot join the control group '" + cgroup.string() + "'");
}

/// Before CUDA is opened, which reads it once.
void see_only(const std::string& gpu) {
  if (!gpu.empty()) ::setenv("CUDA_VISIBLE_DEVICES", gpu.c_str(), 1);
}

}  // namespace

int serve_driver(const Options& options) {
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);  // writing past `ulimit -f` is an error like others
  join(options.cgroup);
  pin_to(options.cores);
  see_only(options.gpu);
  std::optional<Scratch> scratch;
  if (!options.scratch.empty()) scratch.emplace(options.scratch);
  at_sudden_end([&scratch] {
    programs::kill_descendants();
    if (scratch) scratch->remove();
  });
  Server server(options);
  Link& link = server.link();
  limit_memory(link.setup().memory_bytes);
  std::optional<Courier> courier;
  if (scratch) courier.emplace(link, *scratch);
  const auto [runner, is_broken] = make_runner(courier ? courier->setup() : link.setup(), options);
  trial::Runtime runtime = runner->runtime();
  runtime.cores = options.cores;
  if (is_broken || runtime != trial::Runtime()) link.send(std::move(runtime));
  const auto end_trial = [&runner = *runner](trial::TrialId trial) { runner.end_trial(trial); };
  while (const auto order = link.next(end_trial)) {
    if (link.stop_reason() == StopReason::abandoned) {
      link.send(stopped(*order, StopReason::abandoned, 0));
    } else if (!serve_order(*runner, *order, link, courier)) {
      break;
    } else if (is_broken) {
      return static_cast<int>(ErrorKind::outside);
    }
  }
  link.wait_for_acks();
  link.leave();
  return 0;
}

}  // namespace dlrun::worker
