// SPDX-License-Identifier: Apache-2.0
#include "driver/asked_session.hpp"

#include <unistd.h>

#include <thread>
#include <utility>

#include "driver/environment.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::driver {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{20'000}, kNap{5};  ///< while another call has the study

/// Opens the study when no other call has it.
Opened open_in_turn(const spec::StudySpec& file, const Options& options) {
  if (file.kind != "asked")
    throw Error(ErrorKind::usage, "trials of '" + file.name + "' are carried out by dlrun: they cannot be asked for",
                "dlrun tune runs them; `trial: {kind: asked}` is for those that you carry out");
  const MachineClock clock;
  const auto folder = std::filesystem::absolute(options.store).lexically_normal();
  const auto lock = storage::study_file(folder, file.name, ".lock");
  for (const auto end = clock.now() + kPatience;; std::this_thread::sleep_for(kNap)) {
    const bool was_there = storage::Store::find(folder, file.name).has_value();
    try {
      return open_study(file, folder, options, clock);
    } catch (const Error& fault) {
      const bool was_made = !was_there && storage::Store::find(folder, file.name).has_value();
      const bool was_held = fault.place() == lock.string();
      if (fault.kind() != ErrorKind::store || clock.now() >= end || !(was_held || was_made)) throw;
    }
  }
}

}  // namespace

AskedSession::AskedSession(const spec::StudySpec& file, const Options& options, Display& display)
    : options_(options),
      display_(display),
      opened_(open_in_turn(file, options)),
      citing_(citing_from(options.store, opened_.spec, *opened_.study)),
      stages_(opened_.spec, {}, [](trial::TrialId) { return std::optional<space::Values>(); }),
      retrying_({opened_.spec.retry_delay, opened_.blame, opened_.crowded, clock_}),
      origins_(opened_.spec, study()),
      effects_(
          {opened_.spec, study(), store(), outbox_, citing_, retrying_, adoption_, stages_, tally_, curves_, display}),
      recorder_({study(), store(), effects_, retrying_, origins_, outbox_, display}) {
  tally_.count(study());
}

std::vector<study::StartPiece> AskedSession::pending() {
  return study().resume_work([](const trial::PieceKey&, int) { return true; }).under_way;
}

std::optional<study::StartPiece> AskedSession::piece_of(const trial::Member& member) {
  for (const study::StartPiece& piece : pending()) {
    if (piece.key.member == member) return piece;
  }
  return std::nullopt;
}

std::optional<std::int64_t> AskedSession::given_at(const study::StartPiece& piece) {
  return store().attempts().given_at(piece.key, piece.attempt);
}

void AskedSession::begin() {
  store().begin();
  if (std::exchange(has_begun_, true)) return;
  store().opening().environment(describe_environment(spec(), options_));
  store().opening().worker(0, ::getpid(), storage::host_name(), "asked");  // whoever asked measures, and never ends
  const bool is_new = opened_.rows == 0, is_amended = opened_.amending.has_value();
  const bool is_open = !study().is_finished() || is_amended;
  if (is_open && (is_new || store().state() != "running")) store().study_state("running", "");
  for (const study::Learned& learned : opened_.lessons.studies) recorder_.absorb({learned});
  if (is_amended) amend(*opened_.amending);
  if (opened_.settings) record(*opened_.settings, store(), display_);
  if (study().is_stopped()) recorder_.absorb({study::Resumed{}});
}

void AskedSession::amend(const Amending& amending) {
  for (const std::string& line : describe(amending, study())) display_.line(line);
  effects_.carry_out(record(amending, spec().space, study(), store()).effects);
}

void AskedSession::close() {
  for (const std::string& warning : store().warnings()) display_.line("warning: " + warning);
  store().close();
}

}  // namespace dlrun::driver
