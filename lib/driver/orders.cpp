// SPDX-License-Identifier: Apache-2.0
#include "driver/orders.hpp"

#include <system_error>

#include "programs/progress.hpp"
#include "study/objective.hpp"
#include "trial/kinds.hpp"
#include "util/error.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::driver {

namespace {

/// Does the folder of an attempt hold a checkpoint? A folder alone says nothing, for it is made when an attempt begins.
bool has_checkpoint(const std::filesystem::path& folder, bool is_program) {
  std::error_code fault;
  if (is_program) return std::filesystem::exists(folder / trial::kProgressFile, fault);
  for (const auto& entry : std::filesystem::directory_iterator(folder, fault)) {
    if (entry.path().extension() == ".safetensors") return true;
  }
  return false;
}

/// The baseline's trial of the same replicate. Its cell is visible before a variant's is decided.
trial::TrialId baseline_of(const space::Values& values, const spec::StudySpec& spec, const study::Study& study) {
  const samplers::CellOptions& cells = *spec.cells;
  for (std::int64_t i = 0; i < study.trial_count(); ++i) {
    const trial::TrialId id(i);
    const space::Values other = study.trial(id).values;
    const bool is_baseline = spec.space.index_of(cells.variant, other[cells.variant]) == 0;
    if (is_baseline && other[cells.replicate] == values[cells.replicate]) return id;
  }
  throw Error(ErrorKind::internal, "a variant was decided before its baseline");
}

/// A variant that begins with what the baseline ended with: as `init:` of that file, taking what fits.
void start_from_baseline(Order& order, const space::Values& values, const spec::StudySpec& spec,
                         const study::Study& study, const storage::Store& store) {
  const bool is_variant = spec.space.index_of(spec.cells->variant, values[spec.cells->variant]) != 0;
  if (!is_variant) return;
  const trial::Member& own = order.order.key.member;
  const trial::Member member{baseline_of(values, spec, study), own.replicate, own.fold};
  order.start_artifact = store.artifacts().last_of(member);
  order.start = trial::PieceKey{member, 0};
  const std::filesystem::path file =
      store.artifacts().folder() / order.start_artifact.substr(0, 2) / (order.start_artifact + ".safetensors");
  order.order.sets["init"] = {{"from", file.string()}, {"sha256", order.start_artifact}, {"strict", false}};
}

}  // namespace

std::optional<int> find_partial(const Work& work, const spec::StudySpec& spec, const storage::Store& store) {
  const bool is_program = trial::runs_program(spec.kind);
  for (int attempt = work.piece.attempt - 1; attempt >= 1; --attempt) {
    if (has_checkpoint(store.artifacts().attempt_folder(work.piece.key, attempt), is_program)) return attempt;
  }
  return std::nullopt;
}

bool takes_weights(const spec::StudySpec& spec) { return spec.kind == "train" || trial::runs_program(spec.kind); }

namespace {

/// `warm_start` of a trial with these places set.
Json start_of(const spec::StudySpec& spec, const Json& sets) {
  const Json own = sets.value("warm_start", Json());
  return own.is_object() ? own : spec.json.at("trial").value("warm_start", Json());
}

}  // namespace

void set_fold(Json& sets, const spec::StudySpec& spec, int fold) {
  if (spec.rules.members.folds <= 1) return;
  if (spec.kind == "train") sets["data.split.fold"] = fold;
  const Json all = start_of(spec, sets), own = warmstart::start_of_fold(all, fold);
  if (own != all) sets["warm_start"] = own;
}

std::vector<storage::WeightDonor> donors_of(const spec::StudySpec& spec, const Json& sets) {
  std::vector<storage::WeightDonor> out;
  const auto start = warmstart::warm_start_of(start_of(spec, sets));
  if (!start) return out;
  for (const warmstart::Donor& donor : start->donors) {
    if (donor.folds.empty()) out.push_back({donor.sha256, donor.study, donor.trial});
    for (const warmstart::Donor& fold : donor.folds) out.push_back({fold.sha256, donor.study, donor.trial});
  }
  return out;
}

namespace {

/// A program does not go on from just any checkpoint: the worker looks, too, and says in the log what it found.
void offer_partial(Order& out, const Work& work, const spec::StudySpec& spec, const storage::Store& store) {
  const std::optional<int> partial = find_partial(work, spec, store);
  if (!partial) return;
  const std::filesystem::path folder = store.artifacts().attempt_folder(work.piece.key, *partial);
  out.order.partial = folder.string();
  const programs::PieceSteps steps{work.piece.from_step, work.piece.to_step, study::needed_metrics(spec.rules)};
  if (!trial::runs_program(spec.kind) || programs::read_progress(folder, steps)) out.partial = partial;
}

}  // namespace

Order make_order(const Work& work, const spec::StudySpec& spec, const study::Study& study,
                 const storage::Store& store) {
  const study::TrialView view = study.trial(work.piece.key.member.trial);
  const space::Values& values = view.values;
  Order out;
  trial::PieceOrder& order = out.order;
  order.key = work.piece.key;
  order.attempt = work.piece.attempt;
  order.task = work.is_test ? "test" : "train";
  order.from_step = work.piece.from_step;
  order.to_step = work.piece.to_step;
  order.seed = spec.seed;
  order.params = study.space().params(values);
  order.sets = study.space().sets(values);
  set_fold(order.sets, spec, order.key.member.fold);
  if (spec.cells && spec.cells->after_baseline) start_from_baseline(out, values, spec, study, store);
  if (order.key.piece == 0 && takes_weights(spec)) out.weights = donors_of(spec, order.sets);
  order.inherits = !work.is_test && work.piece.key.piece == 0 && view.donor.has_value();
  order.resume = work.piece.resume;
  order.program = work.program;
  if (trial::runs_program(spec.kind) && !order.resume.empty())
    order.resume_step = store.artifacts().step_of(order.resume, order.key.member).value_or(order.from_step);
  const std::filesystem::path folder = work.is_repair
                                           ? repair_folder(work, store)
                                           : store.artifacts().attempt_folder(work.piece.key, work.piece.attempt);
  order.folder = folder.string();
  if (spec.kind != "function" && !work.is_beside()) offer_partial(out, work, spec, store);
  return out;
}

std::filesystem::path repair_folder(const Work& repair, const storage::Store& store) {
  return store.artifacts().attempt_folder(repair.piece.key, repair.piece.attempt).string() + ".again";
}

void keep_apart(Order& order) {
  order.partial.reset();
  order.order.partial.clear();
}

Work test_work(const study::MeasureTest& measure, int attempt) {
  Work work;
  work.is_test = true;
  work.piece = {{measure.member, kTestPiece}, attempt, measure.step, measure.step, measure.artifact};
  return work;
}

}  // namespace dlrun::driver
