// SPDX-License-Identifier: Apache-2.0
// Batches that are augmented, sampled and prepared ahead: the same bits whatever makes them.
#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include <ATen/ATen.h>

#include "data/batches.hpp"
#include "support/catch.hpp"

namespace batches_test {

using namespace dlrun;

namespace {

/// 101 images of [3, 8, 8] in bytes, class 0 of 80, class 1 of 20, class 2 of 1; the first 90 train.
dataset::Dataset images() {
  dataset::Dataset d;
  d.schema.inputs = {{"x", {3, 8, 8}}};
  d.schema.classes = 3;
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 101 * 192; ++i) pixels.push_back(std::uint8_t(i * 31 % 256));
  std::vector<std::uint8_t> labels;
  for (int i = 0; i < 101; ++i) labels.push_back(i == 50 ? 2 : i % 5 == 4 ? 1 : 0);
  d.inputs = {dataset::Array::of(std::move(pixels), 192)};
  d.inputs[0].scale = {1.0f / 255};
  d.inputs[0].shift = {0};
  d.targets = dataset::Array::of(std::move(labels));
  for (int i = 0; i < 101; ++i) (i < 90 ? d.train : d.val).push_back(i);
  return d;
}

Json section(const char* text) {
  Json json = parse_json(text, "section");
  for (Json& step : json["augment"]) step["name"] = step["op"];
  return json;
}

const char* const kSteps = R"({"augment":[{"op":"flip","p":0.5,"axis":"horizontal"},{"op":"crop","pad":2},
  {"op":"noise","std":0.1},{"op":"normalise","mean":[0.5],"std":[0.25]},{"op":"cutmix","alpha":1.0,"p":0.5},
  {"op":"mixup","alpha":0.3,"p":1.0}],"prefetch":0})";

/// Every batch of some epochs side by side.
data::Examples all_of(data::Batches& batches, int epochs = 2) {
  std::vector<data::Examples> parts;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    batches.begin_epoch(epoch);
    for (std::int64_t i = 0; i < batches.count(); ++i) {
      const data::Examples batch = batches.batch(i);
      data::Examples copy{{batch.inputs[0].clone()}, batch.targets.clone()};
      if (batch.other.defined()) copy.other = batch.other.clone();
      if (batch.share.defined()) copy.share = batch.share.clone();
      parts.push_back(copy);
    }
  }
  std::vector<at::Tensor> inputs, targets, other, share;
  for (const data::Examples& part : parts) {
    inputs.push_back(part.inputs[0]);
    targets.push_back(part.targets);
    if (part.other.defined()) other.push_back(part.other), share.push_back(part.share);
  }
  data::Examples all{{at::cat(inputs)}, at::cat(targets)};
  if (!other.empty()) all.other = at::cat(other), all.share = at::cat(share);
  return all;
}

bool is_same(const data::Examples& a, const data::Examples& b) {
  return at::equal(a.inputs[0], b.inputs[0]) && at::equal(a.targets, b.targets) &&
         a.other.defined() == b.other.defined() &&
         (!a.other.defined() || (at::equal(a.other, b.other) && at::equal(a.share, b.share)));
}

std::map<std::int64_t, int> classes_in(const at::Tensor& labels) {
  std::map<std::int64_t, int> counts;
  for (std::int64_t i = 0; i < labels.size(0); ++i) ++counts[labels[i].item<std::int64_t>()];
  return counts;
}

data::Batches sampled(const data::Data& d, const char* sampler, std::uint64_t seed = 7) {
  return {d, {10, {{"sampler", parse_json(sampler, "sampler")}}}, seed, 0};
}

}  // namespace

TEST_CASE("neither batch size nor threads change what an example becomes", "[data][batches]") {
  const data::Data d(images());
  Json json = section(kSteps);
  data::Batches plain(d, {9, json}, 7, 0);
  CHECK(plain.prefetching() == 0);
  const data::Examples expected = all_of(plain);
  CHECK(expected.share.min().item<float>() < 1);
  data::Batches larger(d, {45, json}, 7, 0);
  CHECK(is_same(all_of(larger), expected));
  for (const int threads : {1, 2, 5}) {
    json["prefetch"] = threads;
    data::Batches ahead(d, {9, json}, 7, 0);
    CHECK(ahead.prefetching() == threads);
    CHECK(is_same(all_of(ahead), expected));
  }
}

TEST_CASE("an epoch may begin in its middle, be left and come again", "[data][batches]") {
  const data::Data d(images());
  Json json = section(kSteps);
  json["prefetch"] = 2;
  data::Batches a(d, {9, json}, 7, 0), b(d, {9, json}, 7, 0);
  a.begin_epoch(3);
  for (std::int64_t i = 0; i < 6; ++i) a.batch(i);
  const at::Tensor sixth = a.batch(6).inputs[0].clone();
  b.begin_epoch(1);
  b.batch(0);
  b.begin_epoch(3);
  CHECK(at::equal(b.batch(6).inputs[0], sixth));
  CHECK(at::equal(b.batch(2).inputs[0], [&] {
    a.begin_epoch(3);
    return a.batch(2).inputs[0].clone();
  }()));
}

TEST_CASE("a batch stays as it is while the next ones are prepared", "[data][batches]") {
  const data::Data d(images());
  Json json = section(kSteps);
  data::Batches plain(d, {9, json}, 7, 0);
  json["prefetch"] = 3;
  data::Batches ahead(d, {9, json}, 7, 0);
  plain.begin_epoch(1);
  ahead.begin_epoch(1);
  for (std::int64_t i = 0; i < plain.count(); ++i) {
    const at::Tensor held = ahead.batch(i).inputs[0];
    const at::Tensor expected = plain.batch(i).inputs[0];
    for (int look = 0; look < 50; ++look) REQUIRE(at::equal(held, expected));
  }
}

TEST_CASE("mixed classes come with the weight of the own one", "[data][batches]") {
  const data::Data d(images());
  data::Batches batches(d, {30, section(R"({"augment":[{"op":"mixup","alpha":1.0,"p":0.5}]})")}, 7, 0);
  const data::Examples all = all_of(batches, 1);
  int whole = 0;
  for (std::int64_t i = 0; i < all.size(); ++i) {
    const auto share = all.share[i].item<float>();
    REQUIRE((share >= 0 && share <= 1));
    if (share == 1) CHECK(all.other[i].item<std::int64_t>() == all.targets[i].item<std::int64_t>());
    whole += share == 1 ? 1 : 0;
  }
  CHECK(whole > 20);
  CHECK(whole < 70);
}

TEST_CASE("a regression's targets are mixed as its inputs are", "[data][batches]") {
  dataset::Dataset table;
  table.schema.inputs = {{"x", {2}}};
  table.schema.targets = 1;
  std::vector<float> inputs, targets;
  for (int i = 0; i < 40; ++i) inputs.insert(inputs.end(), {float(i), float(2 * i)}), targets.push_back(float(3 * i));
  table.inputs = {dataset::Array::of(std::move(inputs), 2)};
  table.targets = dataset::Array::of(std::move(targets));
  for (int i = 0; i < 40; ++i) table.train.push_back(i);
  const data::Data d(std::move(table));
  data::Batches batches(d, {8, section(R"({"augment":[{"op":"mixup","alpha":0.5,"p":1.0}]})")}, 7, 0);
  const data::Examples all = all_of(batches, 1);
  CHECK_FALSE(all.other.defined());
  CHECK(at::allclose(all.targets.squeeze(1), all.inputs[0].select(1, 0) * 3, 1e-5, 1e-4));
}

TEST_CASE("only normalise concerns what is measured", "[data][batches]") {
  const Json json = section(kSteps);
  const data::Data d(images(), json["augment"]), plain(images());
  REQUIRE(d.val().size() == 11);
  const at::Tensor expected = (plain.val().part(0, 11).inputs[0] - 0.5f) / 0.25f;
  CHECK(at::equal(d.val().part(0, 11).inputs[0], expected));
  CHECK(at::equal(d.val().part(3, 5).inputs[0], expected.narrow(0, 3, 5)));
}

TEST_CASE("a large split is measured without being held", "[data][batches]") {
  dataset::Dataset large = images();
  std::vector<std::uint8_t> pixels(std::size_t(60000) * 192);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = std::uint8_t(i * 7 % 253);
  large.inputs[0].bytes = dataset::Array::of(std::move(pixels), 192).bytes;
  large.inputs[0].examples = 60000;
  large.targets = dataset::Array::of(std::vector<std::uint8_t>(60000, 1));
  large.val.clear();
  for (int i = 0; i < 50000; ++i) large.val.push_back(59999 - i);
  const data::Data d(std::move(large));
  const data::Examples part = d.val().part(20000, 512);
  CHECK(part.size() == 512);
  CHECK(part.inputs[0][3][1][2][4].item<float>() ==
        float(std::size_t(39996) * 192 + 84 < 1 ? 0 : (std::size_t(39996) * 192 + 84) * 7 % 253) * (1.0f / 255));
}

TEST_CASE("sequential keeps the file's order", "[data][sampler]") {
  const data::Data d(images());
  const data::Sampler sampler({{"op", "sequential"}}, d, 7, 0);
  CHECK(sampler.rows(1) == d.train_rows());
  CHECK(sampler.rows(2) == d.train_rows());
}

TEST_CASE("balanced draws every class as often", "[data][sampler]") {
  const data::Data d(images());
  data::Batches batches = sampled(d, R"({"op":"balanced","draws":3000})");
  const std::map<std::int64_t, int> counts = classes_in(all_of(batches, 1).targets);
  for (const std::int64_t k : {0, 1, 2}) CHECK(std::abs(counts.at(k) - 1000) < 120);
}

TEST_CASE("weighted draws by the weight of an example", "[data][sampler]") {
  const data::Data d(images());
  data::Batches batches = sampled(d, R"({"op":"weighted","weights":[0,1,18],"draws":3600})");
  const std::map<std::int64_t, int> counts = classes_in(all_of(batches, 1).targets);
  CHECK(counts.count(0) == 0);
  CHECK(std::abs(counts.at(1) - 1800) < 150);  // 18 examples of weight 1 against one of weight 18
  CHECK_THROWS_WITH(sampled(d, R"({"op":"weighted","weights":[0,0,0]})"), Contains("weight 0"));
}

TEST_CASE("oversample shows small classes in whole rounds", "[data][sampler]") {
  const data::Data d(images());
  const data::Sampler sampler({{"op", "oversample"}}, d, 7, 0);
  std::map<std::int64_t, int> rows;
  for (const std::int64_t row : sampler.rows(1)) ++rows[row];
  std::map<std::int64_t, int> counts;
  for (const auto& [row, count] : rows) counts[d.label(row)] += count;
  CHECK(counts == std::map<std::int64_t, int>{{0, 71}, {1, 71}, {2, 71}});
  CHECK(sampler.count() == 213);
  for (const auto& [row, count] : rows) {
    if (d.label(row) == 0) CHECK(count == 1);
    if (d.label(row) == 1) CHECK((count == 3 || count == 4));
  }
  CHECK(sampler.rows(1) != sampler.rows(2));
  CHECK(sampler.rows(1) == data::Sampler({{"op", "oversample"}}, d, 7, 0).rows(1));
}

TEST_CASE("a row that comes twice is augmented anew each time", "[data][batches]") {
  const data::Data d(images());
  Json json = section(R"({"augment":[{"op":"noise","std":1.0}],"sampler":{"op":"oversample"}})");
  data::Batches batches(d, {213, json}, 7, 0);
  batches.begin_epoch(1);
  const data::Examples all = batches.batch(0);
  std::vector<at::Tensor> lonely;
  for (std::int64_t i = 0; i < all.size(); ++i) {
    if (all.targets[i].item<std::int64_t>() == 2) lonely.push_back(all.inputs[0][i]);
  }
  REQUIRE(lonely.size() == 71);
  CHECK_FALSE(at::equal(lonely[0], lonely[1]));
  CHECK_FALSE(at::equal(lonely[1], lonely[70]));
}

TEST_CASE("drop_last leaves out a smaller batch", "[data][batches]") {
  const data::Data d(images());
  CHECK(data::Batches(d, {40, {{"drop_last", true}}}, 7, 0).count() == 2);
  CHECK(data::Batches(d, {40, {{"drop_last", false}}}, 7, 0).count() == 3);
  CHECK(data::Batches(d, {200, {{"drop_last", true}}}, 7, 0).count() == 1);
}

TEST_CASE("a fault in a preparing thread is thrown where the work is taken", "[data][prefetch]") {
  data::Prefetch prefetch(2, 5, [](std::int64_t index, int) {
    if (index == 3) throw std::runtime_error("no more");
  });
  prefetch.start(0, 10, [] {});
  for (std::int64_t i = 0; i < 3; ++i) CHECK(prefetch.wait_for(i) == int(i % 5));
  CHECK_THROWS_WITH(prefetch.wait_for(3), "no more");
  prefetch.start(4, 10, [] {});
  CHECK(prefetch.wait_for(4) == 4);
}

TEST_CASE("a ring that is given up half-way ends at once", "[data][prefetch]") {
  for (int i = 0; i < 50; ++i) {
    data::Prefetch prefetch(3, 7, [](std::int64_t, int) {});
    prefetch.start(0, 1000, [] {});
    if (i % 2 == 0) prefetch.wait_for(0);
  }
}

}  // namespace batches_test
