// SPDX-License-Identifier: Apache-2.0
#include "driver/rerun.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "driver/asking.hpp"
#include "driver/orders.hpp"
#include "driver/signals.hpp"
#include "driver/workers.hpp"
#include "executor/local_executor.hpp"
#include "executor/runtime_folder.hpp"
#include "storage/artifact_files.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::driver {

namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

/// One worker, asked one thing after the other.
class OneWorker {
 public:
  OneWorker(const spec::StudySpec& spec, const RerunOptions& options)
      : sockets_(socket_identity(spec, options.folder)),
        executor_(local_options(spec, options.folder, worker_program(options.worker_binary), signals_.fd())) {
    executor_.start(1);
  }
  ~OneWorker() {
    executor_.shut_down(milliseconds(1000));
    while (executor_.alive() > 0) executor_.wait(milliseconds(100));
  }
  OneWorker(const OneWorker&) = delete;
  OneWorker& operator=(const OneWorker&) = delete;

  trial::PieceResult run(const trial::PieceOrder& order) {
    result_.reset();
    while (worker_ < 0) look();
    order_ = {order.key, order.attempt};
    executor_.send(worker_, protocol::Assign{order});
    executor_.flush();
    while (!result_) look();
    return *result_;
  }
  const trial::Runtime& runtime() const { return runtime_; }

 private:
  void look() {
    for (executor::Happening& happening : executor_.wait(milliseconds(1000))) {
      std::visit([this](auto& what) { handle(what); }, happening);
    }
    if (signals_.count() > 0) throw Error(ErrorKind::interrupted, "interrupted");
  }
  void handle(const executor::WorkerReady& ready) { worker_ = ready.worker; }
  void handle(const executor::WorkerPrepared& prepared) { runtime_ = prepared.runtime; }
  void handle(executor::ResultCame& came) {
    executor_.send(came.worker, protocol::Ack{came.result.key, came.result.attempt});
    result_ = std::move(came.result);
  }
  /// Makes the worker's piece a failed one; the next piece gets another worker.
  void handle(const executor::WorkerEnded& ended) {
    worker_ = -1;
    trial::PieceResult result{.key = order_.piece, .attempt = order_.attempt};
    result.outcome = trial::Outcome::failed;
    result.cause = ended.cause;
    result.message = ended.message;
    result_ = std::move(result);
  }
  template <class Other>
  void handle(const Other&) {}

  SignalCounter signals_;
  executor::RuntimeFolderEnd sockets_;  ///< gone when the executor is
  executor::LocalExecutor executor_;
  std::int64_t worker_ = -1;
  executor::AttemptKey order_;
  std::optional<trial::PieceResult> result_;
  trial::Runtime runtime_;
};

/// An artifact of the store, where the worker looks for it.
void lend(const std::string& sha256, const RerunOptions& options) {
  const fs::path folder = options.folder / "artifacts" / sha256.substr(0, 2);
  make_folders(folder);
  for (const fs::path& file : storage::files_of(fs::absolute(options.store) / "artifacts", sha256)) {
    std::error_code is_there;
    fs::create_symlink(file, folder / file.filename(), is_there);
  }
}

class Rerunning {
 public:
  Rerunning(const spec::StudySpec& spec, const storage::RecordedTrial& trial, const RerunOptions& options)
      : spec_(spec), trial_(trial), options_(options), worker_(spec, options) {}

  void run_piece(const storage::RecordedPiece& piece) {
    if (broken_ == piece.key.member) return;
    if (member_ != piece.key.member) newest_.clear();
    member_ = piece.key.member;
    trial::PieceOrder order = order_of(piece);
    go_on(piece, order);
    if (piece.from_step == 0 && takes_weights(spec_)) {
      for (const storage::WeightDonor& donor : donors_of(spec_, order.sets)) lend(donor.artifact, options_);
    }
    order.replays = records_of(piece);
    for (const trial::Artifact& record : order.replays) lend(record.sha256, options_);
    keep(worker_.run(order));
  }

  /// Where the study measured the test split of this member.
  void run_test(const storage::RecordedPiece& piece) {
    const auto value = std::find_if(trial_.metrics.begin(), trial_.metrics.end(), [&](const auto& one) {
      return one.member == piece.key.member && is_test_value(spec_, one);
    });
    if (value == trial_.metrics.end() || broken_ == piece.key.member) return;
    trial::PieceOrder order = order_of(piece);
    order.key.piece = kTestPiece;
    order.attempt = 1;
    order.task = "test";
    order.from_step = order.to_step = value->step;
    order.resume = newest_[spec_.rules.objective.at_best ? "best" : "last"].sha256;
    make_folder(order);
    keep(worker_.run(order));
  }

  Rerun finish() {
    out_.runtime = worker_.runtime();
    return std::move(out_);
  }

 private:
  trial::PieceOrder order_of(const storage::RecordedPiece& piece) const {
    trial::PieceOrder order;
    order.key = piece.key;
    order.attempt = piece.attempt;
    order.from_step = piece.from_step;
    order.to_step = piece.to_step;
    order.seed = spec_.seed;
    order.params = spec_.space.params(trial_.values);
    order.sets = spec_.space.sets(trial_.values);
    set_fold(order.sets, spec_, piece.key.member.fold);
    if (!piece.inherited.empty()) lend(piece.inherited, options_);
    if (!piece.inherited.empty() && !trial_.is_heir) order.sets["init"] = fitting(piece.inherited);
    make_folder(order);
    return order;
  }

  /// With the member's own checkpoint, or as an heir with the donor's weights and state.
  void go_on(const storage::RecordedPiece& piece, trial::PieceOrder& order) const {
    const auto own = newest_.find("last");
    order.inherits = trial_.is_heir && !piece.inherited.empty();
    order.resume = own != newest_.end() ? own->second.sha256 : order.inherits ? piece.inherited : "";
    if (!order.resume.empty()) order.resume_step = own != newest_.end() ? own->second.step : piece.from_step;
  }

  void make_folder(trial::PieceOrder& order) const {
    const fs::path folder = storage::attempt_path(options_.folder, spec_.name, order.key, order.attempt);
    make_folders(folder);
    order.folder = folder.string();
  }

  /// `init:` of a variant, which takes the baseline's weights as far as they fit.
  Json fitting(const std::string& sha256) const {
    const fs::path file = options_.folder / "artifacts" / sha256.substr(0, 2) / (sha256 + ".safetensors");
    return {{"from", file.string()}, {"sha256", sha256}, {"strict", false}};
  }

  void keep(trial::PieceResult result) {
    if (result.outcome == trial::Outcome::failed) broken_ = result.key.member;
    for (const trial::Artifact& artifact : result.artifacts) newest_[artifact.role] = artifact;
    out_.results.push_back(std::move(result));
  }

  const spec::StudySpec& spec_;
  const storage::RecordedTrial& trial_;
  const RerunOptions& options_;
  OneWorker worker_;
  std::optional<trial::Member> member_;            ///< the one whose pieces run
  std::map<std::string, trial::Artifact> newest_;  ///< checkpoints of that member, by role
  std::optional<trial::Member> broken_;            ///< a member with a failed piece
  Rerun out_;
};

}  // namespace

std::vector<trial::Artifact> records_of(const storage::RecordedPiece& piece) {
  std::vector<trial::Artifact> all = piece.artifacts;
  std::erase_if(all, [](const trial::Artifact& artifact) { return artifact.role != trial::kRecord; });
  return all;
}

bool is_test_value(const spec::StudySpec& spec, const storage::RecordedValue& value) {
  return spec.kind == "train" && value.metric.starts_with("test.");
}

Rerun run_again(const spec::StudySpec& spec, const storage::RecordedTrial& trial,
                const std::vector<storage::RecordedPiece>& pieces, const RerunOptions& options) {
  make_folders(options.folder / "artifacts");
  Rerunning rerunning(spec, trial, options);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    rerunning.run_piece(pieces[i]);
    const bool is_last = i + 1 == pieces.size() || pieces[i + 1].key.member != pieces[i].key.member;
    if (is_last) rerunning.run_test(pieces[i]);
  }
  return rerunning.finish();
}

}  // namespace dlrun::driver
