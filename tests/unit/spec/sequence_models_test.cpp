// SPDX-License-Identifier: Apache-2.0
// The networks of configs/models for tables, texts, series and graphs: their size, by their formulas, and their shapes.
#include "model/graph.hpp"
#include "support/catch.hpp"
#include "support/model_file.hpp"

namespace sequence_models_test {

using namespace dlrun;
using model::Interface;

namespace {

model::Graph graph_of(const std::string& name, const Interface& data, const Json& let = Json::object()) {
  return model::build(model_file(std::string(DLRUN_SOURCE) + "/configs/models", name, let), data);
}

const Interface kTable{{{"x", {12}}}, 3, 1, {}}, kPrices{{{"x", {12}}}, 0, 1, {}};
const Interface kText{{{"x", model::Input({50}, 1000)}}, 4, 1, {}};
const Interface kSeries{{{"x", {96, 7}}}, 0, 24, {}};
const Interface kTokens{{{"x", model::Input({64}, 300)}}, 300, 1, {64}};
const Interface kNodes{{{"adjacency", {30, 30}}, {"x", {30, 16}}}, 7, 1, {30}};
const Interface kMolecule{{{"adjacency", {30, 30}}, {"x", {30, 16}}}, 0, 1, {}};

/// Of torch.nn.TransformerEncoderLayer(d, heads, f).
std::int64_t block(std::int64_t d, std::int64_t f, int gates = 1) {
  return 4 * d * d + 4 * d + gates * (d * f + f) + f * d + d + 4 * d;
}

/// Of one direction of a layer of torch.nn.LSTM.
std::int64_t lstm(std::int64_t in, std::int64_t hidden) { return 4 * hidden * (in + hidden + 2); }

}  // namespace

TEST_CASE("ready models for tables have the size of their formula", "[spec][models]") {
  CHECK(graph_of("tabular_mlp", kTable).parameters() == 12 * 128 + 128 * 128 + 2 * 256 + 128 * 3 + 3);
  CHECK(graph_of("ft_transformer", kTable).parameters() == 25 * 192 + 3 * block(192, 256, 2) + 2 * 192 + 192 * 3 + 3);
  CHECK(graph_of("ft_transformer", kPrices, {{"width", 32}, {"depth", 1}}).parameters() ==
        25 * 32 + block(32, 42, 2) + 2 * 32 + 33);
}

TEST_CASE("ready models for texts have the size of their formula", "[spec][models]") {
  CHECK(graph_of("lstm_text", kText).parameters() == 1000 * 128 + 2 * lstm(128, 128) + 256 * 4 + 4);
  CHECK(graph_of("transformer_text", kText).parameters() == 1050 * 128 + 2 * block(128, 512) + 2 * 128 + 128 * 4 + 4);
  CHECK(graph_of("causal_lm", kTokens).parameters() == 364 * 128 + 4 * block(128, 512) + 2 * 128);
}

TEST_CASE("ready models for series have the size of their formula", "[spec][models]") {
  CHECK(graph_of("lstm_series", kSeries).parameters() == lstm(7, 64) + 65 * 24);
  CHECK(graph_of("lstm_series", kSeries, {{"depth", 2}}).parameters() == lstm(7, 64) + lstm(64, 64) + 65 * 24);
  CHECK(graph_of("transformer_series", kSeries).parameters() == 8 * 64 + 2 * block(64, 128) + 2 * 64 + 65 * 24);
}

TEST_CASE("ready models for graphs have the size of their formula", "[spec][models]") {
  CHECK(graph_of("gat", kNodes).parameters() == 16 * 64 + 3 * 64 + 64 * 7 + 2 * 7 + 7);
  CHECK(graph_of("graph_transformer", kMolecule).parameters() == 17 * 64 + 3 * block(64, 128) + 65);
}

}  // namespace sequence_models_test
