// SPDX-License-Identifier: Apache-2.0
#include "driver/run_order.hpp"

#include <algorithm>
#include <chrono>

#include "ablation/cells.hpp"
#include "driver/stragglers.hpp"
#include "spec/rules.hpp"

namespace dlrun::driver {

namespace {

/// Work that leaves by rules of its own: tests, repairs, copies, and pieces that want a host for themselves.
bool is_apart(const Work& work) {
  return work.is_beside() || work.piece.copy_of > 0 || !work.alone_on.empty() || !work.program.empty();
}

bool fits(const spec::StudySpec& spec, const space::Values& values) { return values.size() == spec.space.size(); }

}  // namespace

study::Tick planned_ticks(const spec::StudySpec& spec, const study::Study& study, const study::StartPiece& piece) {
  const space::Values values = study.trial(piece.key.member.trial).values;
  if (!fits(spec, values)) return spec::base_epoch(spec) * (piece.to_step - piece.from_step);
  return spec.rules.cost(values, piece.from_step, piece.to_step);
}

bool unlocks(const spec::StudySpec& spec, const space::Values& values) {
  const auto index = [&](std::size_t parameter) { return spec.space.index_of(parameter, values[parameter]); };
  if (spec.retune && index(spec.retune->purpose) == 1) return true;
  if (!spec.cells) return false;
  if (spec.cells->after_baseline && index(spec.cells->variant) == 0) return true;
  const std::vector<int>& looks = spec.cells->rules.analysis.looks.at;
  return looks.size() > 1 && index(spec.cells->replicate) < looks[looks.size() - 2];
}

Length RunOrder::length_of(const study::StartPiece& piece) const {
  const study::Tick ticks = std::max<study::Tick>(planned_ticks(spec_, study_, piece), 1);
  Length out{.epochs = piece.to_step - piece.from_step, .ticks = double(ticks)};
  const space::Values values = study_.trial(piece.key.member.trial).values;
  const auto variant = spec_.space.find(ablation::kVariant);
  if (!fits(spec_, values) || !variant) return out;
  out.kind = spec_.space.index_of(*variant, values[*variant]);
  out.unlocks = unlocks(spec_, values);
  return out;
}

const Length& RunOrder::known_length(const study::StartPiece& piece) {
  const auto found = lengths_.find(piece.key);
  return found != lengths_.end() ? found->second : lengths_.emplace(piece.key, length_of(piece)).first->second;
}

void RunOrder::begin(const Work& work, Clock::time_point now) {
  if (is_off() || work.is_beside()) return;
  begun_.insert_or_assign(work.attempt(), Begun{known_length(work.piece), now});
  lengths_.erase(work.piece.key);
}

void RunOrder::finish(const trial::PieceResult& result) {
  const auto begun = begun_.find({result.key, result.attempt});
  if (begun == begun_.end()) return;
  if (Stragglers::is_whole(result)) last_rounds_.learn(begun->second.length, result.seconds);
  begun_.erase(begun);
}

std::vector<std::size_t> RunOrder::choose(const std::deque<Work>& waiting, const std::vector<const Work*>& running,
                                          std::size_t idle, Clock::time_point now) {
  const bool has_begun = LastRounds::has_begun(waiting.size(), running.size() + idle);
  if (is_off() || idle == 0 || waiting.size() < 2 || !has_begun) return {};
  if (std::any_of(waiting.begin(), waiting.end(), is_apart)) return {};
  std::vector<LastRounds::Waiting> runs;
  for (const Work& work : waiting) runs.push_back({work.piece.key, known_length(work.piece)});
  std::vector<LastRounds::Running> under_way;
  for (const Work* work : running) {
    const auto begun = begun_.find(work->attempt());
    if (begun == begun_.end()) continue;
    const auto& [length, since] = begun->second;
    under_way.push_back({work->piece.key, length, std::chrono::duration<double>(now - since).count()});
  }
  return last_rounds_.choose(runs, under_way, idle);
}

}  // namespace dlrun::driver
