// SPDX-License-Identifier: Apache-2.0
// A store as a driver leaves it that was stopped late: bench_fill_store STUDY.yaml FOLDER LEFT runs a `function` study
// in this process, without workers and without waiting for the disk, until LEFT of its trials are to be decided.
#include <fmt/format.h>

#include <cstdlib>
#include <deque>

#include "driver/opening.hpp"
#include "util/error.hpp"
#include "worker/function_runner.hpp"

using namespace dlrun;

namespace {

constexpr int kGroup = 32;  ///< results that share a commit

/// Nobody listens, nobody asks it to stop.
struct NoHost final : trial::Host {
  void report(const trial::Report&) override {}
  void step() override {}
  bool is_stopping() const override { return false; }
  void log(const std::string&) override {}
};

/// What a driver does with a study and its store, in this order.
class Filler {
 public:
  Filler(const spec::StudySpec& spec, const std::filesystem::path& folder)
      : spec_(spec),
        opened_(driver::open_study(spec, folder, {}, driver::MachineClock())),
        runner_(worker::make_function_runner(spec::work_setup(spec, opened_.store->artifacts().folder()))) {}

  void fill(std::int64_t most) {
    store().begin();
    store().study_state("running", "");
    record(study().decide());
    store().commit(storage::Durability::normal);
    while (study().trial_count() < most && !queue_.empty()) group();
    store().begin();
    store().study_state("interrupted", "");
    store().commit(storage::Durability::full);
    store().close();
  }

 private:
  storage::Store& store() { return *opened_.store; }
  study::Study& study() { return *opened_.study; }

  void group() {
    store().begin();
    for (int i = 0; i < kGroup && !queue_.empty(); ++i) {
      const study::StartPiece piece = std::move(queue_.front());
      queue_.pop_front();
      store().attempts().start({piece.key, piece.attempt, 0, piece.resume});
      const study::Event ended = study::PieceEnded{run(piece)};
      store().add(ended);
      record(study().absorb(ended));
    }
    record(study().decide());
    store().commit(storage::Durability::normal);
  }

  trial::PieceResult run(const study::StartPiece& piece) {
    const space::Values values = study().trial(piece.key.member.trial).values;
    trial::PieceOrder order{.key = piece.key, .attempt = piece.attempt};
    order.from_step = piece.from_step;
    order.to_step = piece.to_step;
    order.seed = spec_.seed;
    order.params = study().space().params(values);
    order.sets = study().space().sets(values);
    NoHost host;
    return runner_->run(order, host);
  }

  void record(const study::Output& out) {
    for (const study::Decision& decision : out.decisions) store().add(decision);
    for (const study::Effect& effect : out.effects) {
      if (const auto* start = std::get_if<study::StartPiece>(&effect)) queue_.push_back(*start);
      if (const auto* change = std::get_if<study::TrialChanged>(&effect)) store().change(*change);
      if (const auto* change = std::get_if<study::MemberMeasured>(&effect)) store().change(*change);
    }
  }

  const spec::StudySpec& spec_;
  driver::Opened opened_;
  std::unique_ptr<trial::Runner> runner_;
  std::deque<study::StartPiece> queue_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: bench_fill_store STUDY.yaml FOLDER LEFT\n");
    return 2;
  }
  try {
    const spec::StudySpec spec = spec::read({.file = argv[1]});
    Filler(spec, argv[2]).fill(spec.rules.limits.trials.value() - std::strtoll(argv[3], nullptr, 10));
    return 0;
  } catch (const Error& fault) {
    fmt::print(stderr, "bench_fill_store: {}\n", fault.what());
    return 1;
  }
}
