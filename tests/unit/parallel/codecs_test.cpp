// SPDX-License-Identifier: Apache-2.0
// Codecs: numbers by hand, equality with dense where the codec says so, and bytes on the wire.
#include "parallel/codecs/dgc.hpp"
#include "parallel/codecs/powersgd.hpp"
#include "parallel/packing.hpp"
#include "support/catch.hpp"
#include "unit/parallel/toy.hpp"

namespace codecs_test {

using namespace parallel_test;

namespace {

Setting packed(Method method, int ranks, Codec codec, double momentum = 0) {
  Setting made;
  made.parallel = {.method = std::move(method), .ranks = ranks, .codec = std::move(codec), .lr_scale = "none"};
  made.momentum = momentum;
  made.cluster.stragglers = {{0, 1.7}};
  return made;
}

double bytes_of(const Run<float>& run) {
  double bytes = 0;
  for (int node = 0; node < run.gang.nodes(); ++node) bytes += run.cluster.cost(node).bytes;
  return bytes;
}

/// One tensor of four numbers on one rank.
struct Four {
  explicit Four(const Dgc& codec) : dgc(codec) {
    gang = gang_of({.codec = dgc}, {{4, 16}});
    rank.residual.assign(4, 0);
    if (dgc.momentum > 0) rank.velocity.assign(4, 0);
  }
  Message<double> pack_next(std::vector<double> gradient) {
    Message<double> message{.samples = 1, .numbers = std::move(gradient), .share = 1};
    pack(dgc, gang, rank, Shard{0, 4}, message);
    return message;
  }

  Dgc dgc;
  Gang gang;
  Rank<double> rank;
};

/// A gradient that is always the same, of one matrix, and steps at rate 1.
class Always : public Learner<double> {
 public:
  explicit Always(std::vector<double> gradient) : gradient_(std::move(gradient)) {}
  Gradient<double> gradient(int, std::int64_t, const std::vector<double>&) override { return {gradient_, 1}; }
  void step(int, const Shard&, std::span<double> weights, std::span<const double> gradient, double) override {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] -= gradient[i];
  }

 private:
  std::vector<double> gradient_;
};

/// Ranks of ar_sgd with one matrix.
struct Thinned {
  Thinned(const PowerSgd& codec, int ranks, std::size_t rows, std::vector<double> gradient)
      : gang(gang_of({.method = ArSgd{}, .ranks = ranks, .codec = codec, .lr_scale = "none"},
                     {{gradient.size(), 4 * double(gradient.size()), 1, rows}})),
        algorithm(make_algorithm<double>(ArSgd{})),
        members(members_of(gang, *algorithm, std::vector<double>(gradient.size()))),
        learner(std::move(gradient)),
        cluster(gang, *algorithm, members, &learner, {ClusterConfig(), 4 * double(gang.size), 7, {}}) {}

  void rounds(std::int64_t count) {
    cluster.begin(count * gang.ranks);
    while (cluster.advance()) continue;
    cluster.end();
  }

  Gang gang;
  std::unique_ptr<Algorithm<double>> algorithm;
  Members<double> members;
  Always learner;
  VirtualCluster<double> cluster;
};

}  // namespace

TEST_CASE("bfloat16 rounds as torch does", "[parallel][codecs]") {
  // torch.tensor([...]).bfloat16().float()
  CHECK(to_bf16(3.14159274F) == 3.140625F);
  CHECK(to_bf16(1.00390625F) == 1.0F);       // a tie, to even
  CHECK(to_bf16(1.01171875F) == 1.015625F);  // a tie, to even
  CHECK(to_bf16(-1e-3F) == -0.00099945068359375F);
  CHECK(std::isinf(to_bf16(3.4e38F)));
}

TEST_CASE("bf16 halves gradients on the wire and leaves a model close by", "[parallel][codecs]") {
  for (const Method& method : {Method(Bsp{}), Method(ArSgd{}), Method(ArSgd{.reduce = "ring"}), Method(Asp{}),
                               Method(Ssp{.read = "on_stale", .momentum = "server"})}) {
    Setting made = packed(method, 3, Bf16{}, 0.9);
    Run<float> run(made);
    run.epoch(300);
    made.parallel.codec = Dense{};
    Run<float> plain(made);
    plain.epoch(300);
    INFO(method.index());
    const double apart = distance(run.cluster.model(), plain.cluster.model());
    CHECK(apart > 0);
    CHECK(apart < 0.02);
    const bool is_reduced = std::holds_alternative<ArSgd>(method);
    if (is_reduced) CHECK(bytes_of(run) == Approx(bytes_of(plain) / 2));
    if (is_reduced) CHECK(run.members.ranks[0].weights == run.members.ranks[2].weights);
    if (std::holds_alternative<Bsp>(method))
      CHECK(bytes_of(run) == Approx(bytes_of(plain) * 0.75));  // weights come whole
  }
}

TEST_CASE("dgc sends what has grown largest, by hand", "[parallel][codecs][dgc]") {
  Four four({.ratio = 0.25, .warmup_epochs = 0, .momentum = 0.5});
  const Message<double> first = four.pack_next({1, -3, 2, 0});
  CHECK(first.places == std::vector<std::uint32_t>{1});
  CHECK(first.numbers == std::vector<double>{-3});
  CHECK(four.rank.residual == std::vector<double>{1, 0, 2, 0});
  CHECK(four.rank.velocity == std::vector<double>{1, 0, 2, 0});  // masked
  CHECK(first.share * first.packed == Approx(0.25 * 2));         // a number and its place
  const Message<double> second = four.pack_next({1, 1, 1, 1});   // u = 1.5, 1, 2, 1
  CHECK(second.places == std::vector<std::uint32_t>{2});
  CHECK(second.numbers == std::vector<double>{4});
  CHECK(four.rank.residual == std::vector<double>{2.5, 1, 0, 1});
  Four unmasked({.ratio = 0.25, .warmup_epochs = 0, .masking = false, .momentum = 0.5});
  unmasked.pack_next({1, -3, 2, 0});
  unmasked.pack_next({1, 1, 1, 1});  // u = 1.5, −0.5, 2, 1
  CHECK(unmasked.rank.residual == std::vector<double>{2.5, -0.5, 0, 1});
}

TEST_CASE("dgc's share falls to the ratio as its authors' does, and clipping is by the root of ranks",
          "[parallel][codecs][dgc]") {
  const Dgc dgc{.ratio = 0.001, .warmup_epochs = 4, .clip_norm = 2.0};
  const double published[] = {0.25, 0.063, 0.015, 0.004, 0.001};
  for (int epoch = 0; epoch < 5; ++epoch) CHECK(ratio_in(dgc, epoch) == Approx(published[epoch]).epsilon(0.06));
  CHECK(ratio_in(dgc, 80) == Approx(0.001));
  CHECK(clip_factor(dgc, 4, std::vector<double>{3, 4}) == Approx(0.2).epsilon(1e-5));  // 1 over a norm of 5
  CHECK(clip_factor(dgc, 4, std::vector<double>{0.3, 0.4}) == 1);
}

TEST_CASE("all that dgc has added up has travelled or is left", "[parallel][codecs][dgc]") {
  Four four({.ratio = 0.25, .warmup_epochs = 0});
  std::vector<double> sent(4), added(4);
  for (int step = 0; step < 500; ++step) {
    std::vector<double> gradient;
    for (int i = 0; i < 4; ++i) gradient.push_back(std::sin(12.9898 * step + 78.233 * i));
    add_to(added, gradient);
    add_packed(sent, four.pack_next(gradient));
  }
  add_to(sent, four.rank.residual);
  CHECK(distance(sent, added) <= 1e-12);
  CHECK(distance(four.rank.residual, std::vector<double>(4)) > 0);
}

TEST_CASE("dgc that sends all is dense, to the bit", "[parallel][codecs][dgc]") {
  for (const Method& method : {Method(Bsp{}), Method(Asp{.momentum = "server"}), Method(Ssp{.momentum = "server"}),
                               Method(Ssp{.read = "on_stale", .momentum = "server"})}) {
    INFO(method.index());
    Setting made = packed(method, 4, Dgc{.ratio = 1});
    const auto all = trained<float>(made, 301, 2);
    made.parallel.codec = Dense{};
    CHECK(distance(trained<float>(made, 301, 2), all) == 0);
  }
}

TEST_CASE("velocities of ranks are the server's momentum, where all of them travel", "[parallel][codecs][dgc]") {
  const auto server = trained<double>(packed(Bsp{}, 4, Dense{}, 0.9), 400);
  Setting made = packed(Bsp{}, 4, Dgc{.ratio = 1, .masking = false, .momentum = 0.9});
  CHECK(distance(trained<double>(made, 400), server) <= 1e-12);
  made.parallel.codec = Dgc{.ratio = 1, .momentum = 0.9};  // masked: no velocity is left
  CHECK(distance(trained<double>(made, 400), trained<double>(packed(Bsp{}, 4, Dense{}), 400)) <= 1e-12);
}

TEST_CASE("a rank that is sent changed numbers has the server's weights", "[parallel][codecs][dgc]") {
  for (const Method& method : {Method(Bsp{}), Method(Asp{.momentum = "server"}), Method(Ssp{.momentum = "server"}),
                               Method(Ssp{.read = "on_stale", .momentum = "server"})}) {
    Setting made = packed(method, 3, Dgc{.ratio = 1.0 / 7, .warmup_epochs = 0});
    Run<float> run(made);
    int equal = 0;
    for (int epoch = 0; epoch < 9; ++epoch) {
      run.epoch(10 + epoch);
      const Server<float>& server = run.members.servers[0];
      for (std::size_t i = 0; i < 3; ++i) {
        const Rank<float>& rank = run.members.ranks[i];
        if (server.answered[i] != server.clock) continue;
        CHECK((rank.anchor.empty() ? rank.weights : rank.anchor) == server.weights);
        ++equal;
      }
    }
    INFO(method.index());
    CHECK(equal >= 1);
    CHECK(distance(run.cluster.model(), initial<float>()) > 0.02);
  }
}

TEST_CASE("dgc's bytes are those of its numbers and their places", "[parallel][codecs][dgc]") {
  Setting made = packed(Asp{.momentum = "server"}, 1, Dgc{.ratio = 1.0 / 7, .warmup_epochs = 0});
  Run<float> run(made);
  run.epoch(50);
  CHECK(bytes_of(run) == Approx(50 * (8 + 8)));  // one number goes, and the same one comes back
  made.parallel = {.method = Bsp{}, .ranks = 4, .aggregate = 2, .codec = Dgc{.ratio = 1.0 / 7, .warmup_epochs = 0}};
  Run<float> sums(made);
  sums.epoch(4);
  for (const int member : {1, 3}) CHECK(sums.cluster.cost(member).bytes == 8);
  for (const int leader : {0, 2}) CHECK(sums.cluster.cost(leader).bytes <= 16 + 28);  // two numbers, and the answer
}

TEST_CASE("ranks of a host sum what dgc sends", "[parallel][codecs][dgc]") {
  Setting made = packed(Bsp{}, 6, Dgc{.ratio = 0.3, .warmup_epochs = 0});
  const auto alone = trained<double>(made, 300);
  made.parallel.aggregate = 3;
  CHECK(distance(trained<double>(made, 300), alone) <= 1e-12);
}

TEST_CASE("powersgd takes one step of a power iteration, by hand", "[parallel][codecs][powersgd]") {
  Thinned one({.rank = 1, .least = 0}, 1, 2, {3, 0, 0, 1});
  one.members.ranks[0].basis = {1, 1};
  one.rounds(1);  // P = (3, 1) / √10, Q = (9, 1) / √10
  CHECK(distance(one.cluster.model(), {-2.7, -0.3, -0.9, -0.1}) <= 1e-12);
  CHECK(distance(one.members.ranks[0].residual, {0.3, -0.3, -0.9, 0.9}) <= 1e-12);
  CHECK(distance(one.members.ranks[0].basis, {9 / std::sqrt(10), 1 / std::sqrt(10)}) <= 1e-12);
  one.rounds(30);
  const std::vector<double> sum = {-93, 0, 0, -31};
  std::vector<double> with_error = one.cluster.model();
  add_to(with_error, one.members.ranks[0].residual, -1);
  CHECK(distance(with_error, sum) <= 1e-10);  // what has not come is in the error
}

TEST_CASE("powersgd of full rank is dense", "[parallel][codecs][powersgd]") {
  std::vector<double> gradient;
  for (int i = 0; i < 15; ++i) gradient.push_back(std::sin(12.9898 * i));
  for (const std::size_t rows : {std::size_t(3), std::size_t(5)}) {
    for (const bool warm_start : {false, true}) {
      Thinned full({.rank = 3, .error_feedback = false, .warm_start = warm_start, .least = 0}, 3, rows, gradient);
      full.rounds(4);
      std::vector<double> dense(15);
      add_to(dense, gradient, -4);
      CHECK(distance(full.cluster.model(), dense) <= 1e-5);
      CHECK(full.members.ranks[0].weights == full.members.ranks[2].weights);
    }
  }
}

TEST_CASE("powersgd's bytes are those of its thin matrices, and small gains are left", "[parallel][codecs][powersgd]") {
  const auto bytes = [](const PowerSgd& codec) {
    Thinned run(codec, 2, 8, std::vector<double>(64, 1.0));
    run.rounds(1);
    return run.cluster.cost(0).bytes + run.cluster.cost(1).bytes;
  };
  const double dense = 2 * 64 * 4;  // 2 (n − 1) times the model
  CHECK(bytes({.rank = 1}) == Approx(dense * 16 / 64));
  CHECK(bytes({.rank = 2, .least = 1.9}) == Approx(dense * 32 / 64));
  CHECK(bytes({.rank = 2}) == Approx(dense));  // half is no gain of two times
}

TEST_CASE("powersgd without error feedback loses what a rank cannot hold", "[parallel][codecs][powersgd]") {
  const auto apart = [](const PowerSgd& codec) {
    Thinned run(codec, 1, 2, {3, 0, 0, 1});
    run.rounds(40);
    return distance(run.cluster.model(), {-120, 0, 0, -40});
  };
  CHECK(apart({.rank = 1, .error_feedback = false, .least = 0}) > 30);
  CHECK(apart({.rank = 1, .least = 0}) < 10);
}

}  // namespace codecs_test
