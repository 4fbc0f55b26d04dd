// SPDX-License-Identifier: Apache-2.0
#include "driver/loop.hpp"

#include <fmt/format.h>

#include <utility>

#include "driver/keeping.hpp"
#include "driver/plugin_jobs.hpp"
#include "driver/program_state.hpp"
#include "driver/slurm.hpp"
#include "spec/gang_processes.hpp"
#include "storage/paths.hpp"
#include "util/arithmetic.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

using std::chrono::milliseconds;

namespace {

constexpr milliseconds kShow{100};

std::string arithmetic_warning(int earlier) {
  return fmt::format(
      "warning: decisions of this study were made with version {} of dlrun's arithmetic, this dlrun has "
      "version {}: later decisions may differ from those of an uninterrupted study",
      earlier, arithmetic::kVersion);
}

/// Values of a trial that may share epochs with others. Heirs have the weights of others, and trials from before an
/// amendment may lie in another space.
std::optional<space::Values> shared_values(const spec::StudySpec& spec, const study::TrialView& trial) {
  const bool is_of_space = trial.values.size() == spec.space.size() && spec.space.contains(trial.values);
  if (trial.donor || !is_of_space) return std::nullopt;
  return trial.values;
}

}  // namespace

Loop::Loop(const spec::StudySpec& spec, const Options& options, Opened& opened, Surroundings surroundings)
    : spec_(spec),
      options_(options),
      store_(*opened.store),
      study_(*opened.study),
      opened_(opened),
      clock_(surroundings.clock),
      executor_(surroundings.executor),
      display_(surroundings.display),
      environment_(std::move(surroundings.environment)),
      mending_({spec, study_, store_, dispatcher_, side_rows_, display_, clock_}),
      blame_(opened.blame),
      crowded_(opened.crowded),
      curves_(spec.rules.objective.metric),
      hint_(spec, study_, display_),
      citing_(citing_from(options.store, spec, *opened.study)),
      stages_(spec, storage::stages_folder(std::filesystem::absolute(options.store), spec.name),
              [&spec, study = opened.study.get()](trial::TrialId id) { return shared_values(spec, study->trial(id)); }),
      stragglers_(spec.speculation),
      run_order_(spec, study_),
      placing_(
          {spec, study_, store_, executor_, dispatcher_, blame_, stages_, stragglers_, run_order_, side_rows_, clock_}),
      origins_(spec, *opened.study),
      retrying_({spec.retry_delay, blame_, crowded_, clock_}),
      effects_({spec, study_, store_, outbox_, citing_, retrying_, adoption_, stages_, tally_, curves_, display_}),
      recorder_({study_, store_, effects_, retrying_, origins_, outbox_, display_}),
      metering_(std::move(surroundings.counters), clock_.now()),
      judging_({blame_, crowded_, outage_, side_rows_, display_, clock_, spec.memory_bytes}),
      result_intake_({study_, executor_, dispatcher_, metering_, mending_, judging_, adoption_, citing_, stragglers_,
                      run_order_, stages_, tally_, curves_, hint_, side_rows_, clock_, incoming_}),
      worker_intake_({study_, store_, executor_, dispatcher_, placing_, mending_, judging_, blame_, metering_,
                      adoption_, citing_, retrying_, stragglers_, stages_, side_rows_, display_, ending_, incoming_,
                      options.only_joined}),
      time_limits_(spec.wall_seconds.value_or(0), GpuBudget(spec.gpu_hours, surroundings.gpu_share, opened.seconds),
                   clock_.now()),
      draining_({study_, executor_, dispatcher_, surroundings.signals, outage_, time_limits_, clock_, display_, ending_,
                 incoming_}),
      standing_({spec, study_, tally_, curves_, dispatcher_, blame_, time_limits_, ending_, clock_}),
      commands_(spec, study_, [&standing = standing_] { return standing.status(); }),
      request_intake_({commands_, draining_, side_rows_, outbox_, display_, incoming_}),
      warned_(store_.warnings().size()) {
  if (!spec::repeats(spec)) store_.attempts().tolerate_variation();
}

Summary Loop::run() {
  open_run();
  while (!is_over()) round();
  if (study_.is_finished()) mend_kept();
  draining_.begin(Ending::By::study, study_.finish_reason());  // workers are idle
  while (executor_.alive() > 0 && !ending_.is_at_once()) round();
  close_run();
  if (ending_.by() != Ending::By::outage) return standing_.summary();
  throw Error(ErrorKind::outside, "nothing can go on: " + outage_.message(),
              "no trial has paid for it; when it is mended, run the same command again");
}

void Loop::mend_kept() {
  if (spec_.kind == "function" || ending_.has_begun()) return;
  mending_.mend(store_.artifacts().kept(keep_policy(spec_, study_)));
  while (!mending_.is_idle() && !ending_.has_begun()) round();
}

void Loop::tell_changed_program() {
  if (opened_.rows == 0 || (study_.is_finished() && !opened_.amending)) return;
  const std::string warning = program_warning(store_.opening().earlier_program(), environment_.program);
  if (!warning.empty()) display_.line(warning);
}

/// Begins the run: pieces that were under way when the last driver ended start again, then the study decides.
void Loop::open_run() {
  tally_.count(study_);
  for (const Finished& done : opened_.finished) {
    stragglers_.learn(done.piece, planned_ticks(spec_, study_, done.piece), done.seconds);
    if (!run_order_.is_off()) run_order_.learn(done.piece, done.seconds);
  }
  blame_.tell_kept(clock_.now());
  judging_.tell_news();
  epochs_before_ = tally_.epochs();
  store_.begin();
  if (!study_.is_finished() || opened_.amending) store_.study_state("running", "");  // else it has only files to mend
  const std::optional<int> others = store_.opening().environment(environment_);
  if (others && opened_.rows > 0) display_.line(arithmetic_warning(*others));
  tell_changed_program();
  for (const study::Learned& learned : opened_.lessons.studies) {
    display_.line("learned from " + describe(learned));
    recorder_.absorb({learned});
  }
  if (opened_.amending) amend(*opened_.amending);
  if (opened_.settings) record(*opened_.settings, store_, display_);
  if (study_.is_stopped()) recorder_.absorb({study::Resumed{}});
  const study::Output resumed = resume_work();
  for (const study::Event& event : resumed.events) store_.add(event);
  effects_.carry_out(resumed.effects);
  recorder_.decide();
  store_.commit(storage::Durability::full);
  release();
}

/// Starts pieces again that were under way at the end of the last driver. If workers can join this driver, it waits for
/// joined workers that continued without a driver. After an amendment it waits for none, because their work answers
/// another spec.
study::Output Loop::resume_work() {
  const bool has_door = options_.listen || slurm_of(spec_, options_) || plugin_jobs_of(spec_, options_);
  if (!has_door || opened_.amending) return study_.resume_work();
  study::Output out = study_.resume_work(
      [this](const trial::PieceKey& piece, int attempt) { return store_.attempts().is_at_joined(piece, attempt); });
  adoption_.wait_for(out.under_way, clock_.now());
  if (const std::size_t count = out.under_way.size(); count > 0) {
    display_.line(fmt::format("{} attempt{} may be under way at workers that joined: waiting up to {} s for them",
                              count, count == 1 ? "" : "s", Adoption::kPatience.count()));
  }
  return out;
}

void Loop::amend(const Amending& amending) {
  for (const std::string& line : describe(amending, study_)) display_.line(line);
  effects_.carry_out(record(amending, spec_.space, study_, store_).effects);
}

void Loop::round() {
  auto happenings = executor_.wait(patience());
  // A worker whose result just came was busy until now.
  time_limits_.count_busy(clock_.now(), dispatcher_.busy_workers());
  store_.require_ours();  // before anything is answered: whoever was stopped for a while may be fenced
  for (executor::Happening& happening : happenings) handle(happening);
  draining_.watch();
  give_up_overdue();
  dispatch();  // workers that fell free go on with what is decided while this round is committed
  meter();
  draining_.end_outage();
  copy_straggler();
  commit_round();
  dispatch();
  meter();
  executor_.need(
      static_cast<int>(dispatcher_.waiting() + dispatcher_.busy_workers() + citing_.waiting() + adoption_.waiting()));
  show();
}

/// Hands a happening to the part that deals with its kind.
void Loop::handle(executor::Happening& happening) {
  const auto hand = [this](auto& what) {
    if constexpr (requires { worker_intake_.handle(what); }) {
      worker_intake_.handle(what);
    } else if constexpr (requires { result_intake_.handle(what); }) {
      result_intake_.handle(what);
    } else {
      request_intake_.handle(what);
    }
  };
  std::visit(hand, happening);
}

bool Loop::is_over() const {
  if (ending_.is_at_once()) return true;
  if (ending_.has_begun()) return executor_.alive() == 0;
  const bool is_stuck = dispatcher_.is_idle() && study_.pending() == 0 && !study_.is_finished() && !study_.is_stopped();
  if (is_stuck) throw Error(ErrorKind::internal, "the study neither ends nor has anything left to do");
  return study_.is_finished() || (study_.is_stopped() && study_.pending() == 0);
}

milliseconds Loop::patience() const {
  if (citing_.has_found()) return milliseconds(0);
  return side_rows_.patience(clock_.now());
}

/// Notes the energy of attempts that have ended, once the counters were read after their end.
void Loop::meter() {
  if (!metering_.is_on()) return;
  metering_.pass(clock_.now(), dispatcher_.running());
  for (Metering::Taken& taken : metering_.take_ended()) side_rows_.add(std::move(taken), clock_.now());
}

/// Gives up attempts that no worker brought back. Overdue attempts of a run that ends are settled by the next run.
void Loop::give_up_overdue() {
  if (ending_.has_begun() || adoption_.waiting() == 0) return;
  for (study::AttemptLost& lost : adoption_.overdue(clock_.now())) {
    display_.line(fmt::format("{}, attempt {}: {}", trial::describe(lost.key.member), lost.attempt, lost.message));
    incoming_.push_back({std::move(lost)});
  }
}

/// Copies the piece that is furthest behind to an idle worker. Decisions go first: if results came in this round, no
/// copy starts. Lateness counts only up to what the driver has read; otherwise a busy driver would take unread results
/// for slow pieces.
void Loop::copy_straggler() {
  const bool has_others = !incoming_.empty() || citing_.has_found() || citing_.waiting() > 0 || !dispatcher_.has_room();
  if (ending_.has_begun() || stragglers_.is_off() || has_others) return;
  const auto late = stragglers_.worst(executor_.read_up_to(), [this](const executor::AttemptKey& attempt) {
    return study_.may_be_copied(attempt.piece, attempt.attempt) && dispatcher_.may_copy(attempt);
  });
  if (!late) return;
  display_.line(
      fmt::format("{}, attempt {}, has run for {:.3g} s, where others took {:.3g} s: it runs on another worker too",
                  trial::describe(late->attempt.piece.member), late->attempt.attempt, late->seconds, late->expected));
  incoming_.push_back({study::AttemptCopied{late->attempt.piece, late->attempt.attempt}});
}

void Loop::show(bool is_forced) {
  const auto now = clock_.now();
  if (!is_forced && now - shown_ < kShow) return;
  shown_ = now;
  display_.progress(standing_.progress(epochs_before_));
}

void Loop::close_run() {
  metering_.end(clock_.now());
  for (Metering::Taken& taken : metering_.take_ended()) side_rows_.add(std::move(taken), clock_.now());
  store_.begin();
  write_side_rows();
  for (const Metering::Rest& rest : metering_.take_rest()) store_.opening().energy(rest.what, rest.source, rest.joules);
  if (!study_.is_finished()) store_.study_state(ending_.is_interrupted() ? "interrupted" : "stopped", ending_.reason());
  store_.commit(storage::Durability::full);
  if (study_.is_finished()) stages_.remove_all();
  if (const std::int64_t cited = recorder_.cited(); cited > 0)
    display_.line(fmt::format("{} of its runs were cited from earlier studies (reuse: none runs them)", cited));
  show(true);
}

}  // namespace dlrun::driver
