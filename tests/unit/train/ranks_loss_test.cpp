// SPDX-License-Identifier: Apache-2.0
// Ranks that go on without one that is lost, at moments that a test chooses. Processes are threads.
#include <memory>
#include <regex>
#include <thread>

#include "support/catch.hpp"
#include "train/piece.hpp"
#include "train/safetensors.hpp"
#include "train/training.hpp"
#include "unit/gang/places.hpp"
#include "unit/train/support.hpp"

namespace ranks_loss_test {

using namespace dlrun;
using namespace dlrun::train;
using gang::PacketKind;

namespace {

Json trial_of(Json method) {
  Json trial = digits_trial();
  trial["model"]["nodes"] = {{{"name", "head"}, {"op", "linear"}, {"out", "classes"}, {"role", "head"}}};
  trial["epochs"] = 1;
  trial["batch_size"] = 16;  // 79 batches
  method.update({{"ranks", 3}, {"on_loss", "elastic"}});
  trial["parallel"] = std::move(method);
  trial["cluster"] = {{"op", "processes"}};
  return trial;
}

/// Three ranks, of which the last one is played by the test, and lost.
class Three {
 public:
  explicit Three(Json method) : fixture_(trial_of(std::move(method))) {
    for (gang::Place& place : gang_test::places({0, 0, 0}))
      places_.push_back(std::make_unique<gang::Place>(std::move(place)));
    for (int i = 0; i < 2; ++i) trainings_.push_back(make_training(fixture_.setup, order_, at::kCPU, &*places_[i]));
  }

  /// One epoch. @param last_rank  all that it does
  template <class LastRank>
  Training& train(const LastRank& last_rank) {
    std::thread other([this] { follow(); }), last([&] {
      last_rank(*places_[2]);
      places_[2].reset();
    });
    while (trainings_[0]->has_batch()) trainings_[0]->step();
    last.join();
    places_[0]->mesh = gang::Mesh(0, {}, gang::SharedMemory(gang::SharedMemory::make(1), 1));  // hangs up
    other.join();
    return *trainings_[0];
  }

 private:
  void follow() try {
    for (;;) {
      trainings_[1]->follow(gang::next_word(places_[1]->mesh));
      places_[1]->mesh.flush(std::chrono::seconds(10));
    }
  } catch (const gang::PeerLost& end) {
    if (end.peer != 0) throw;
  }

  Fixture fixture_;
  trial::PieceOrder order_ = fixture_.order(0, 1);
  std::vector<std::unique_ptr<gang::Place>> places_;
  std::vector<std::unique_ptr<Training>> trainings_;
};

/// Gradients that the ranks had, as the log has them.
int gradients_in(const std::string& text) {
  int sum = 0;
  const std::regex one("([0-9]+) gradients");
  for (std::sregex_iterator at(text.begin(), text.end(), one); at != std::sregex_iterator(); ++at)
    sum += std::stoi((*at)[1]);
  return sum;
}

}  // namespace

TEST_CASE("ranks of ar_sgd that are left step by the same rates", "[train][ranks]") {
  Three gang(Json{{"op", "ar_sgd"}});
  Training& training = gang.train([](gang::Place& place) { gang::next_word(place.mesh); });
  CHECK(gradients_in(training.gang_text()) == 79);
  const SafeTensors file(training.encode(), "checkpoint");
  CHECK(file.find("gang.rank.0.weights") != nullptr);
  CHECK(file.find("gang.rank.1.weights") == nullptr);  // a twin of the first one
  // Nobody knows what the lost one cost; the others took turns.
  const trial::GangReport report = training.gang_report().value();
  REQUIRE(report.nodes.size() == 2);
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(report.nodes[std::size_t(rank)].number == rank);
    CHECK(report.nodes[std::size_t(rank)].gradients == 40 - rank);
    CHECK(report.nodes[std::size_t(rank)].updates == 40 - rank);
  }
}

TEST_CASE("ranks that are left have the same bits between processes as in virtual time", "[train][ranks]") {
  const char* op = GENERATE("ar_sgd", "local_sgd", "sgp");
  INFO(op);
  const auto weights_of = [](Training& training) {
    const SafeTensors file(training.encode(), "checkpoint");
    return std::string(file.find("model.head.weight")->bytes);
  };
  Three gang(Json{{"op", op}});
  const std::string apart = weights_of(gang.train([](gang::Place& place) { gang::next_word(place.mesh); }));
  Json trial = trial_of({{"op", op}});
  trial["cluster"] = {{"op", "virtual"}, {"failures", {{{"rank", 2}, {"at", 0.001}}}}};
  const Fixture fixture(trial);
  const auto played = make_training(fixture.setup, fixture.order(0, 1), at::kCPU, nullptr);
  while (played->has_batch()) played->step();
  CHECK(weights_of(*played) == apart);
}

TEST_CASE("no batch is trained on again if a rank is lost at the end of an epoch", "[train][ranks]") {
  Three gang(Json{{"op", "gosgd"}, {"probability", 1e-9}});
  const Training& training = gang.train([](gang::Place& place) {
    place.generation = gang::next_word(place.mesh).generation;
    place.send(0, {PacketKind::ready});
    for (gang::Packet word = gang::next_word(place.mesh); word.kind != PacketKind::rest;
         word = gang::next_word(place.mesh)) {
      if (word.kind != PacketKind::probe) continue;
      gang::Packet reply{PacketKind::tally};
      reply.message.from = 1;  // idle
      place.send(0, std::move(reply));
    }
  });
  CHECK(gradients_in(training.gang_text()) == 79);
  CHECK(training.gang_text().find("rank 2 was lost, 2 went on") != std::string::npos);
  CHECK(training.gang_report().value().nodes.size() == 2);
}

}  // namespace ranks_loss_test
