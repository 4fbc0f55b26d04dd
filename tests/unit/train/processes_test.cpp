// SPDX-License-Identifier: Apache-2.0
// Ranks as processes, which are threads here: methods in step train as they did (a golden file), the others as a replay
// of their record does, bit by bit, and those that are left go on without one that is lost.
#include <thread>

#include <ATen/Parallel.h>

#include "gang/process_cluster.hpp"
#include "recipe/parallel.hpp"
#include "support/catch.hpp"
#include "train/gang_records.hpp"
#include "train/piece.hpp"
#include "unit/gang/places.hpp"
#include "unit/train/told.hpp"

namespace processes_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// A trial on the table in a store of its own.
struct Store {
  explicit Store(const Json& parallel, const Json& more = Json::object()) : fixture(Json()) {
    Json& trial = fixture.setup.trial = table_trial(fixture.folder.make("data"));
    trial["batch_size"] = 4;
    trial["epochs"] = 2;
    trial["parallel"] = parallel;
    trial["cluster"] = {{"op", "processes"}, {"record", true}};
    trial.merge_patch(more);
    order = fixture.order(0, 2);
  }
  int processes() const { return recipe::processes_of(*recipe::read_parallel(fixture.setup.trial)); }

  Fixture fixture;
  trial::PieceOrder order;
};

/// Follows until the first process hangs up. @param epochs  after which it is lost itself
void follow(Training& training, std::unique_ptr<gang::Place>& place, int epochs) {
  at::init_num_threads();
  try {
    for (int begun = 0;;) {
      const gang::Packet word = gang::next_word(place->mesh);
      if (word.kind == gang::PacketKind::begin && begun++ == epochs) break;
      training.follow(word);
      while (!place->mesh.flush(std::chrono::milliseconds(100))) continue;
    }
  } catch (const gang::PeerLost&) {
  }
  place.reset();
}

/// Results of a gang.
struct Left {
  std::vector<trial::Report> reports;
  std::vector<trial::GangReport> gangs;
  std::vector<std::string> texts;
  std::vector<trial::Artifact> records;
  std::string checkpoint;
};

Left lead(Training& training, const std::filesystem::path& artifacts) {
  Left left;
  while (training.state().epoch < training.config().epochs) {
    while (training.has_batch()) training.step(true);
    left.reports.push_back(training.finish_epoch([] {}));
    left.gangs.push_back(*training.gang_report());
    left.texts.push_back(training.gang_text());
    if (const auto file = training.records()->file(training.state().epoch)) {
      left.records.push_back(publish(artifacts, *file, "record", training.state().epoch));
      training.records()->note_published(left.records.back());
    }
  }
  left.checkpoint = training.encode();
  return left;
}

/// @param lost  process that is lost at the begin of the last epoch; 0: none
Left run(Store& store, int lost = 0) {
  at::set_num_threads(1);
  std::vector<std::unique_ptr<gang::Place>> places;
  for (gang::Place& place : gang_test::places(std::vector<int>(std::size_t(store.processes()), 0)))
    places.push_back(std::make_unique<gang::Place>(std::move(place)));
  std::vector<std::unique_ptr<Training>> trainings;
  for (const auto& place : places)
    trainings.push_back(make_training(store.fixture.setup, store.order, at::kCPU, place.get()));
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < places.size(); ++i)
    threads.emplace_back([&, i] { follow(*trainings[i], places[i], int(i) == lost ? 1 : 100); });
  Left left;
  std::string fault;
  try {
    trainings[0]->load_initial();
    left = lead(*trainings[0], store.fixture.setup.artifacts);
  } catch (const std::exception& end) {
    fault = end.what();
  }
  places[0].reset();
  for (std::thread& thread : threads) thread.join();
  CHECK(fault.empty());
  return left;
}

/// Counts and bytes of the processes, no times.
std::string text_of(const trial::GangReport& gang) {
  std::string text = gang.is_virtual ? "virtual" : "processes";
  for (const trial::GangNode& node : gang.nodes) {
    text += fmt::format("; {} {}: {} gradients, sent {}, received {}, {} updates of {} {}",
                        node.is_server ? "server" : "rank", node.number, node.gradients, node.sent, node.received,
                        node.updates, node.staleness, node.most_stale);
  }
  return text;
}

void write(Told& told, const Left& left) {
  for (const trial::Report& report : left.reports) told.json("report", trial::to_json(report)["metrics"]);
  for (const trial::GangReport& gang : left.gangs) told.line(text_of(gang));
  const SafeTensors file(left.checkpoint, "a checkpoint");
  for (const auto& [name, sizes] : sizes_of(file)) told.line("  " + name + " " + train::text_of(sizes));
  told.line("records " + std::to_string(left.records.size()));
}

/// A record is left by every epoch, and a training by them has the same results.
void check_replay(Store& store) {
  const Left left = run(store);
  REQUIRE(left.records.size() == 2);
  store.order.replays = left.records;
  const auto training = make_training(store.fixture.setup, store.order);
  training->load_initial();
  const Left again = lead(*training, store.fixture.setup.artifacts);
  CHECK(again.reports == left.reports);
  CHECK(again.records == left.records);
  CHECK(again.checkpoint == left.checkpoint);
}

Json bsp(int ranks) { return {{"op", "bsp"}, {"ranks", ranks}}; }

}  // namespace

TEST_CASE("processes in step train as they did", "[train][golden][gang]") {
  const Fixture fixture;
  Told told(fixture);
  const Json layers = {{"op", "bsp"}, {"ranks", 2}, {"sharding", "layer"}, {"servers", 2}};
  const Json codec = {{"op", "bsp"}, {"ranks", 2}, {"codec", {{"op", "dgc"}, {"ratio", 0.2}}}};
  for (const Json& parallel :
       {bsp(2), bsp(3), layers, codec, Json{{"op", "ar_sgd"}, {"ranks", 3}}, Json{{"op", "local_sgd"}, {"ranks", 2}},
        Json{{"op", "diloco"}, {"ranks", 2}, {"period", 3}}, Json{{"op", "sgp"}, {"ranks", 2}}}) {
    told.title(to_text(parallel));
    Store store(parallel);
    write(told, run(store));
  }
  for (const Json& more :
       {Json{{"lr_scaling", {{"op", "adascale"}}}},
        Json{{"data",
              {{"partition",
                {{"policy", "stripes"}, {"warmup_epochs", 1}, {"importance", {{"ignore_epochs", 0}}}}}}}}}) {
    told.title("bsp with " + to_text(more));
    Store store(bsp(2), more);
    write(told, run(store));
  }
  check_golden("processes", told.text());
}

TEST_CASE("a replay of processes ends in their bits", "[train][gang]") {
  for (const Json& parallel : {Json{{"op", "asp"}, {"ranks", 2}}, Json{{"op", "easgd"}, {"ranks", 2}, {"period", 2}},
                               Json{{"op", "ssp"}, {"ranks", 3}}, Json{{"op", "gosgd"}, {"ranks", 2}}}) {
    INFO(parallel);
    Store store(parallel);
    check_replay(store);
  }
}

TEST_CASE("processes that drop the slowest gradients go through lists of their own", "[train][gang][partition]") {
  const char* policy = GENERATE("random", "dirichlet");
  INFO(policy);
  const Json head = {{"name", "head"}, {"op", "linear"}, {"out", "outputs"}, {"role", "head"}};
  Store store({{"op", "bsp"}, {"ranks", 3}, {"drop_slowest", 1}},
              {{"data", {{"partition", {{"policy", policy}}}}}, {"model", {{"nodes", Json::array({head})}}}});
  check_replay(store);
}

TEST_CASE("processes that are left go on as they did", "[train][golden][gang]") {
  const Fixture fixture;
  Told told(fixture);
  for (const char* op : {"bsp", "ar_sgd", "local_sgd"}) {
    const Json parallel = {{"op", op}, {"ranks", 3}, {"on_loss", "elastic"}};
    told.title(to_text(parallel));
    Store store(parallel);
    const Left left = run(store, 1);
    write(told, left);
    CHECK_THAT(left.texts.back(), Contains("; rank 1 was lost, 2 went on, next update after "));
  }
  check_golden("processes_left", told.text());
}

}  // namespace processes_test
