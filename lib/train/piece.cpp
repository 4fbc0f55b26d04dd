// SPDX-License-Identifier: Apache-2.0
#include "train/piece.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "recipe/outputs.hpp"
#include "train/artifacts.hpp"
#include "train/device.hpp"
#include "train/runtime.hpp"
#include "train/warm_starter.hpp"
#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::train {

namespace {

constexpr const char* kSharedNote = "shared.json";

/// The epochs that an attempt had not trained itself; a note that cannot be read says nothing.
std::optional<trial::SharedStart> read_shared(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kSharedNote;
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    return trial::shared_start(parse_json(read_file(path), path.string()));
  } catch (const Error&) {
    return std::nullopt;
  }
}

Placement placement_of(const trial::WorkSetup& setup, at::Device device) {
  Placement placement{device};
  placement.parts = setup.devices;
  placement.threads = setup.threads;
  return placement;
}

std::string line_of(const trial::Report& report) {
  std::string line = fmt::format("epoch {}:", report.step);
  for (const trial::Metric& metric : report.metrics) line += fmt::format(" {}={:.6g}", metric.name, metric.value);
  return line;
}

}  // namespace

std::unique_ptr<Training> make_training(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                        at::Device device, gang::Place* place) {
  const Json trial = trial::configured(setup.trial, order.sets);
  const std::shared_ptr<const data::Data> data = data::load_shared(trial.at("data"), order.seed);
  Config config = read_config(trial, data->schema());
  config.plugins = setup.plugins;
  const model::Graph graph = model::build(config.model, recipe::interface_of(data->schema(), trial));
  const nn::Streams streams{order.seed, trial::replicate_of(trial, order.key.member)};
  const Objective objective{setup.metric, setup.maximize, setup.keep_best};
  check_precision(config.products(), device);
  auto training =
      std::make_unique<Training>(config, graph, data, streams, objective, placement_of(setup, device), place);
  if (!order.replays.empty() && training->records() != nullptr)
    training->records()->replay(setup.artifacts, order.replays);
  return training;
}

Piece::Piece(const trial::WorkSetup& setup, const trial::PieceOrder& order, trial::Host& host, SaveRules rules,
             at::Device device, gang::Place* place)
    : setup_(setup),
      order_(order),
      host_(host),
      device_(device),
      place_(place),
      training_(make_training(setup, order, device, place)),
      hang_clock_(setup.hang_limit),
      log_(training_->config().log_every, host),
      folder_(order.folder, rules),
      kept_(setup.keep_epochs, order.folder) {}

void Piece::train() {
  begin();
  while (training_->state().epoch < last_epoch() && !training_->progress().has_stopped()) run_epoch();
  publish_all();
  publish_values();
}

/// A variant that is shorter than others ends before its piece does.
std::int64_t Piece::last_epoch() const { return std::min(order_.to_step, training_->config().epochs); }

void Piece::begin() {
  begin_alone();
  if (order_.shared && order_.shared->epoch > training_->state().epoch) begin_together();
}

/// Whatever is wrong with it, the epochs are trained once more.
void Piece::begin_together() {
  try {
    take_up(take_stage(order_.shared->folder));
  } catch (const Error& fault) {
    host_.log(fmt::format("nothing shared from '{}': {}", order_.shared->folder, fault.what()));
    training_ = make_training(setup_, order_, device_, place_);
    best_bytes_.clear();
    begin_alone();
  }
}

/// The same bits as after its own epochs: under its own name, with its own checkpoint of the best one.
void Piece::take_up(const Stage& stage) {
  if (stage.epoch != order_.shared->epoch) throw Error(ErrorKind::store, "it is of another epoch");
  if (stage.numerics != describe_runtime(setup_).numerics) throw Error(ErrorKind::store, "it is of other numerics");
  const std::optional<Best> own = training_->state().best;
  const std::string what = "stage '" + order_.shared->folder + "'";
  if (!stage.best.empty()) {
    training_->restore(SafeTensors(stage.best, what), what, Origin::alike);
    best_bytes_ = training_->encode();
  }
  training_->restore(SafeTensors(stage.state, what), what, Origin::alike);
  const State& state = training_->state();
  if (state.epoch != stage.epoch || state.batch != 0) throw Error(ErrorKind::store, "it is not where it says");
  if (training_->prefix() != stage.prefix) throw Error(ErrorKind::store, "it did not train what this one would");
  if (state.best) take_best(own);
  note_shared({stage.member, stage.epoch});
}

/// If the best epoch lies before this piece, its artifact is this trial's own; a later one is not published yet.
void Piece::take_best(const std::optional<Best>& own) {
  Best best = *training_->state().best;
  const bool is_older = best.epoch <= order_.from_step;
  best.sha256.clear();
  best.bytes = 0;
  if (is_older && (!own || own->epoch != best.epoch)) throw Error(ErrorKind::store, "its best epoch is another one");
  training_->progress().set_best(is_older ? *own : best);
  if (is_older) best_bytes_.clear();
  if (best.epoch == training_->state().epoch) best_bytes_ = training_->encode();
}

/// Beside the checkpoints, so that an attempt that goes on from them knows.
void Piece::note_shared(const trial::SharedStart& shared) {
  shared_ = shared;
  write_file(std::filesystem::path(order_.folder) / kSharedNote, to_text(trial::to_json(shared)), {.durable = false});
}

void Piece::leave_stages() const {
  for (const trial::StagePlace& place : order_.leaves) {
    if (place.epoch == training_->state().epoch && !has_stage(place.folder)) leave(place);
  }
}

/// If a stage cannot be written, the others train it. The best epoch's file is an artifact if a piece has ended since.
void Piece::leave(const trial::StagePlace& place) const {
  try {
    const State& state = training_->state();
    Stage stage{order_.key.member,   state.epoch,         describe_runtime(setup_).numerics,
                training_->prefix(), training_->encode(), {}};
    const bool has_older = state.best && state.best->epoch != state.epoch;
    if (has_older) stage.best = state.best->sha256.empty() ? best_bytes_ : fetch(setup_.artifacts, state.best->sha256);
    leave_stage(place.folder, stage);
  } catch (const Error& fault) {
    host_.log(fmt::format("nothing left in '{}': {}", place.folder, fault.what()));
  }
}

void Piece::begin_alone() {
  if (restore_partial()) return;
  if (order_.from_step > 0) return restore_artifact();
  if (!training_->config().warm_start) return training_->load_initial();
  for (const std::string& line : warm_start(*training_, setup_.artifacts, [this] { beat(); }).notes) host_.log(line);
}

/// The newest sound checkpoint of an earlier attempt that lies within this piece, if there is one.
bool Piece::restore_partial() {
  if (order_.partial.empty()) return false;
  for (const std::filesystem::path& path : CheckpointFolder::newest_first(order_.partial)) {
    try {
      restore_partial(path);
      host_.log(fmt::format("resumed from '{}': epoch {}, step {}", path.string(), training_->state().epoch,
                            training_->state().step));
      if (const auto shared = read_shared(order_.partial)) note_shared(*shared);
      return true;
    } catch (const Error& fault) {
      host_.log(fmt::format("not resumed from '{}': {}", path.string(), fault.what()));
    }
  }
  training_ = make_training(setup_, order_, device_, place_);  // a checkpoint refused half-way must leave nothing
  best_bytes_.clear();
  kept_.clear();
  return false;
}

void Piece::restore_partial(const std::filesystem::path& path) {
  training_->restore(SafeTensors(read_file(path), "'" + path.string() + "'"), "'" + path.string() + "'");
  const State& state = training_->state();
  if (state.epoch < order_.from_step || state.epoch > order_.to_step) {
    throw Error(ErrorKind::store, fmt::format("it is at epoch {}, outside of this piece", state.epoch));
  }
  kept_.restore(order_.partial, order_.from_step, state.epoch);
  best_bytes_.clear();
  if (!state.best || !state.best->sha256.empty()) return;
  const std::filesystem::path best = CheckpointFolder::best_path(order_.partial, state.best->epoch);
  best_bytes_ = read_file(best);
  SafeTensors(best_bytes_, "'" + best.string() + "'");  // checks it
}

void Piece::restore_artifact() {
  if (order_.resume.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("a piece from epoch {} needs an artifact to go on from", order_.from_step));
  }
  std::string bytes = fetch(setup_.artifacts, order_.resume);
  const auto size = std::int64_t(bytes.size());
  const std::string what = "artifact " + order_.resume;
  const SafeTensors file(std::move(bytes), what);
  training_->restore(file, what, order_.inherits ? Origin::inherited : Origin::own);
  const State& state = training_->state();
  if (order_.task == "train" && (state.epoch != order_.from_step || state.batch != 0)) {
    throw Error(ErrorKind::store,
                fmt::format("{} is at epoch {}, but the piece begins at {}", what, state.epoch, order_.from_step));
  }
  const bool is_best_itself = state.best && state.best->sha256.empty();
  if (is_best_itself) training_->progress().set_best_artifact({"best", order_.resume, size, state.epoch});
}

void Piece::run_epoch() {
  log_.begin_epoch();
  while (training_->has_batch()) {
    tick();
    training_->step(log_.is_due(training_->state().step), {[this] { beat(); }, [this] { wait(); }});
    log_.note(*training_);
  }
  const trial::Report report = training_->finish_epoch([this] { tick(); });
  const std::string partition = publish_partition(), record = publish_record();
  note_best();
  if (kept_.wants(training_->state().epoch) && training_->state().epoch < last_epoch()) keep_epoch();
  leave_stages();
  host_.report(report);
  host_.log(line_of(report));
  if (const std::string text = training_->gang_text(); !text.empty()) host_.log(text);
  if (!partition.empty()) host_.log(partition);
  if (!record.empty()) host_.log(record);
  if (const auto gang = training_->gang_report()) host_.gang_report(*gang);
  const bool goes_on = training_->state().epoch < last_epoch();
  if (goes_on && folder_.is_due()) save(folder_.is_durable_due());
}

/// Between any two batches: sign of life, saving in time, stopping when asked.
void Piece::tick() {
  note_step();
  if (host_.is_stopping()) {
    if (training_->is_at_rest()) save(true);
    throw trial::Stopped{};
  }
  if (folder_.is_durable_due() && training_->is_at_rest()) save(true);
}

/// Between any two batches before the first step, of which there is nothing to save.
void Piece::beat() {
  note_step();
  stop_if_asked();
}

void Piece::note_step() {
  host_.step();
  hang_clock_.note_step();
}

/// While other ranks are waited for.
void Piece::wait() const {
  stop_if_asked();
  hang_clock_.check();
}

void Piece::stop_if_asked() const {
  if (host_.is_stopping()) throw trial::Stopped{};
}

std::optional<trial::WeightStart> Piece::start() const {
  const bool is_first = order_.task == "train" && order_.from_step == 0;
  return is_first ? training_->state().start : std::nullopt;
}

/// Publishes the ranks of all examples if the epoch was the first one of an interval, before a checkpoint names the
/// file.
/// @return line for the log
std::string Piece::publish_partition() {
  Partition* const partition = training_->partition();
  const std::int64_t epoch = training_->state().epoch;
  const auto file = partition == nullptr ? std::nullopt : partition->file(epoch);
  if (!file) return {};
  const trial::Artifact artifact = publish(setup_.artifacts, *file, "partition", epoch);
  partition->note_published(artifact);
  return partition->text(artifact.sha256);
}

/// Likewise the record of the epoch, if its ranks were processes that keep one, or were replayed.
std::string Piece::publish_record() {
  GangRecords* const records = training_->records();
  const std::int64_t epoch = training_->state().epoch;
  const auto file = records == nullptr ? std::nullopt : records->file(epoch);
  if (!file) return {};
  const trial::Artifact artifact = publish(setup_.artifacts, *file, trial::kRecord, epoch);
  records->note_published(artifact);
  return fmt::format("record of epoch {}: {} bytes; sha256 {}", epoch, artifact.bytes, artifact.sha256);
}

void Piece::note_best() {
  const State& state = training_->state();
  if (state.best && state.best->epoch == state.epoch) best_bytes_ = training_->encode();
}

/// As at the piece's end: what the checkpoint says of the best has to be an artifact too.
void Piece::keep_epoch() {
  const State& state = training_->state();
  const bool names_another = state.best && state.best->epoch != state.epoch && state.best->sha256.empty();
  if (names_another) {
    const trial::Artifact best = publish(setup_.artifacts, best_bytes_, "best", state.best->epoch);
    training_->progress().set_best_artifact(best);
    kept_.add(best);
  }
  kept_.add(publish(setup_.artifacts, training_->encode(), "epoch", state.epoch));
}

void Piece::save(bool durable) {
  const State& state = training_->state();
  if (!best_bytes_.empty() && !folder_.has_best(state.best->epoch)) folder_.save_best(best_bytes_, state.best->epoch);
  folder_.save(training_->encode(), state.step, durable);
}

/// The best first: the last names it, unless it is the best itself.
void Piece::publish_all() {
  const State& state = training_->state();
  const bool is_best_itself = state.best && state.best->epoch == state.epoch;
  if (state.best && !is_best_itself && state.best->sha256.empty()) {
    training_->progress().set_best_artifact(publish(setup_.artifacts, best_bytes_, "best", state.best->epoch));
  }
  const std::string bytes = training_->encode();
  artifacts_.push_back(publish(setup_.artifacts, bytes, "last", state.epoch));
  const trial::Artifact last = artifacts_.front();
  if (kept_.wants(state.epoch)) kept_.add(last);
  if (training_->partition() != nullptr) add_files(training_->partition()->published());
  if (training_->records() != nullptr) add_files(training_->records()->published());
  artifacts_.insert(artifacts_.end(), kept_.artifacts().begin(), kept_.artifacts().end());
  if (!state.best) return;
  artifacts_.push_back(is_best_itself
                           ? trial::Artifact{"best", last.sha256, last.bytes, state.epoch}
                           : trial::Artifact{"best", state.best->sha256, state.best->bytes, state.best->epoch});
}

/// Adds those of epochs within the piece.
void Piece::add_files(const std::vector<trial::Artifact>& published) {
  for (const trial::Artifact& file : published) {
    if (file.step > order_.from_step) artifacts_.push_back(file);
  }
}

void Piece::test() {
  restore_artifact();
  const data::Measured& examples = training_->data().test();
  if (examples.size() == 0) throw Error(ErrorKind::usage, "the test split is empty");
  const SplitSums sums = training_->measure(examples, [this] { beat(); });
  const Defined measured = sums.defined("test");
  for (const std::string& name : measured.undefined)
    host_.log(fmt::format("{} is not defined: the split has too few classes or examples", name));
  if (measured.metrics.empty()) throw Error(ErrorKind::usage, "no example of the test split has a label that counts");
  test_reports_.push_back({training_->state().epoch, measured.metrics});
  host_.report(test_reports_.front());
  host_.log(line_of(test_reports_.front()));
}

bool Piece::ended_early() const {
  if (order_.task != "train") return false;
  const std::int64_t epoch = training_->state().epoch, all = training_->config().epochs;
  return epoch < all ? training_->progress().has_stopped() : all < order_.to_step;
}

std::vector<trial::Report> Piece::reports() const {
  if (order_.task == "test") return test_reports_;
  std::vector<trial::Report> mine;
  const auto& warm = training_->config().warm_start;
  const std::int64_t origin = warm ? warm->origin() : 0;  // epochs of the donor's are its own
  for (const trial::Report& report : training_->state().reports) {
    if (report.step > std::max(order_.from_step, origin)) mine.push_back(report);
  }
  return mine;
}

}  // namespace dlrun::train
