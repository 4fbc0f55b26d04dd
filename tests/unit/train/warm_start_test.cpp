// SPDX-License-Identifier: Apache-2.0
// Trainings that begin with weights of earlier trials: what each policy takes, refuses and leaves alone.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

#include "support/catch.hpp"
#include "tensors/weights.hpp"
#include "train/safetensors.hpp"
#include "unit/train/support.hpp"
#include "util/error.hpp"

namespace warm_start_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Three trials of one study: other rates, the same seed and so the same beginning.
class Search {
 public:
  explicit Search(Json trial = digits_trial()) : fixture(std::move(trial)) {
    int number = 0;
    for (const double lr : {0.05, 0.04, 0.03}) {
      trial::PieceOrder order = fixture.order(0, 2, "search" + std::to_string(number++));
      order.sets = {{"optimizer.lr", lr}};
      results.push_back(fixture.run(order));
    }
  }

  Json donor(std::size_t number) const {
    return {{"sha256", artifact(results[number], "last")},
            {"study", "search"},
            {"trial", number},
            {"epoch", 2},
            {"horizon", 4}};
  }
  Json section(const std::string& policy, std::size_t donors = 1, const Json& more = Json::object()) const {
    Json out = {{"policy", policy}, {"donors", Json::array()}};
    for (std::size_t i = 0; i < donors; ++i) out["donors"].push_back(donor(i));
    out.update(more);
    return out;
  }
  /// Not a step is taken where `to` is 0.
  trial::PieceOrder order(const Json& section, std::int64_t to = 0, const Json& sets = Json::object()) const {
    trial::PieceOrder order = fixture.order(0, to, "final");
    order.sets = sets;
    order.sets["warm_start"] = section;
    return order;
  }
  trial::PieceResult run(const Json& section, std::int64_t to = 0, const Json& sets = Json::object()) {
    return fixture.run(order(section, to, sets));
  }
  std::map<std::string, std::vector<float>> weights(const trial::PieceResult& result) const {
    const SafeTensors file(fetch(fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
    std::map<std::string, std::vector<float>> out;
    for (const TensorView& view : tensors::weights_of(file)) {
      if (view.dtype != "F32") continue;
      std::vector<float>& values = out[view.name];
      values.resize(view.bytes.size() / sizeof(float));
      std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
    }
    return out;
  }

  Fixture fixture;
  std::vector<trial::PieceResult> results;
};

std::string rule_of(const trial::PieceResult& result, const std::string& tensor) {
  for (const trial::TensorStart& one : result.start.value().tensors) {
    if (one.name == tensor) return one.rule;
  }
  return "none";
}

bool is_statistic(const std::string& name) { return name.find("running") != std::string::npos; }

}  // namespace

TEST_CASE("best begins with the donor's weights and statistics, and a fresh optimiser", "[train][warm_start]") {
  Search search;
  const trial::PieceResult start = search.run(search.section("best"));
  CHECK(search.weights(start) == search.weights(search.results[0]));
  REQUIRE(start.start);
  CHECK(start.start->tensors.size() == 8);
  CHECK(rule_of(start, "fc1.weight") == "copied");
  CHECK(rule_of(start, "bn1.running_mean") == "copied");
  CHECK(start.start->tensors[0].donor == artifact(search.results[0], "last"));
  const trial::PieceResult final = search.run(search.section("best"), 4);
  REQUIRE(final.reports.size() == 4);
  CHECK(metric(final.reports[0], "val.loss") < metric(search.results[0].reports[0], "val.loss"));
}

TEST_CASE("what is left out begins fresh", "[train][warm_start]") {
  Search search;
  const trial::PieceResult fresh = search.fixture.run(search.fixture.order(0, 0, "fresh"));
  const trial::PieceResult start = search.run(search.section("best", 1, {{"exclude", {"head"}}}));
  auto expected = search.weights(search.results[0]);
  for (const char* name : {"head.weight", "head.bias"}) expected[name] = search.weights(fresh)[name];
  CHECK(search.weights(start) == expected);
  CHECK(rule_of(start, "head.weight") == "fresh");
}

TEST_CASE("resume equals never having stopped, to the bit", "[train][warm_start]") {
  Json trial = digits_trial();
  trial["optimizer"] = GENERATE(Json{{"op", "sgd"}, {"lr", 0.05}, {"momentum", 0.9}},
                                Json{{"op", "adamw"}, {"lr", 0.01}}, Json{{"op", "radam"}, {"lr", 0.01}});
  trial["horizon"] = 4;
  trial["epochs"] = 2;
  Search search(trial);
  Json whole_trial = trial;
  whole_trial["epochs"] = 4;
  whole_trial.erase("horizon");
  Fixture whole(whole_trial);
  trial::PieceOrder order = whole.order(0, 4);
  order.sets = {{"optimizer.lr", 0.05}};
  const trial::PieceResult expected = whole.run(order);
  const Json sets = {{"epochs", 4}, {"horizon", nullptr}, {"optimizer.lr", 0.05}};
  const Json section = search.section("resume", 1, {{"schedule", "remaining"}, {"optimizer", "carry"}});
  const trial::PieceResult resumed = search.run(section, 4, sets);
  CHECK(resumed.reports == std::vector<trial::Report>(expected.reports.begin() + 2, expected.reports.end()));
  CHECK(search.weights(resumed) == [&] {
    const SafeTensors file(fetch(whole.setup.artifacts, artifact(expected, "last")), "checkpoint");
    std::map<std::string, std::vector<float>> out;
    for (const TensorView& view : tensors::weights_of(file)) {
      if (view.dtype != "F32") continue;
      out[view.name].resize(view.bytes.size() / sizeof(float));
      std::memcpy(out[view.name].data(), view.bytes.data(), view.bytes.size());
    }
    return out;
  }());
  SECTION("and is refused under other settings, unless that is allowed") {
    Json other = sets;
    other["optimizer.lr"] = 0.01;
    CHECK_THROWS_WITH(search.run(section, 4, other), Contains("E406"));
    Json allowed = section;
    allowed["allow_superset"] = true;
    const trial::PieceResult went_on = search.run(allowed, 4, other);
    REQUIRE(went_on.reports.size() == 2);
    CHECK(went_on.reports[0].step == 3);
  }
}

TEST_CASE("an average is the mean of the donors' weights", "[train][warm_start]") {
  Search search;
  const trial::PieceResult start = search.run(search.section("topk_average", 3));
  const auto a = search.weights(search.results[0]), b = search.weights(search.results[1]),
             c = search.weights(search.results[2]);
  for (const auto& [name, values] : search.weights(start)) {
    if (is_statistic(name)) continue;
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(std::abs(values[i] - (double(a.at(name)[i]) + b.at(name)[i] + c.at(name)[i]) / 3) < 1e-7);
    }
  }
  CHECK(rule_of(start, "fc1.weight") == "averaged");
  CHECK(start.start->tensors.size() == 5 * 3 + 3);
}

TEST_CASE("a soup is no worse on the validation split than the best donor", "[train][warm_start]") {
  Json trial = digits_trial();
  trial["model"]["nodes"].erase(3);
  trial["model"]["nodes"].erase(1);
  Search search(trial);
  const Json still = {{"optimizer.lr", 1e-300}};  // 0 in float: what an epoch measures is what it began with
  const auto value = [&](const char* policy, std::size_t donors) {
    return metric(search.run(search.section(policy, donors), 1, still).reports.at(0), "val.accuracy");
  };
  const double best = value("best", 1), soup = value("greedy_soup", 3), layers = value("per_layer_best", 3);
  CHECK(best == metric(search.results[0].reports.back(), "val.accuracy"));
  CHECK(soup >= best);
  CHECK(layers >= best);
  const trial::PieceResult start = search.run(search.section("greedy_soup", 3));
  REQUIRE(start.start->notes.size() == 3);
  CHECK(start.start->notes[0].find("search/0, epoch 2: val.accuracy") == 0);
  for (std::size_t i = 1; i < 3; ++i) {
    const std::string& note = start.start->notes[i];
    CHECK((note.ends_with(", taken") || note.ends_with(", left out")));
  }
}

TEST_CASE("shrink and perturb mixes old with fresh weights", "[train][warm_start]") {
  Search search;
  const trial::PieceResult fresh = search.fixture.run(search.fixture.order(0, 0, "fresh"));
  const trial::PieceResult start =
      search.run(search.section("shrink_perturb", 1, {{"lambda", 0.4}, {"sigma", 0.1}, {"buffers", "reset"}}));
  const auto old = search.weights(search.results[0]), drawn = search.weights(fresh), now = search.weights(start);
  for (const char* name : {"fc1.weight", "head.weight", "bn1.weight"}) {
    for (std::size_t i = 0; i < now.at(name).size(); ++i) {
      CHECK(std::abs(now.at(name)[i] - (0.4 * old.at(name)[i] + 0.1 * drawn.at(name)[i])) < 1e-7);
    }
  }
  CHECK(now.at("bn1.running_mean") == drawn.at("bn1.running_mean"));
  CHECK(rule_of(start, "fc1.weight") == "shrunk");
  CHECK(rule_of(start, "bn1.running_mean") == "fresh");
}

TEST_CASE("fresh weights that are shrunk are two draws, of no donor", "[train][warm_start]") {
  Search search;
  const trial::PieceResult fresh = search.fixture.run(search.fixture.order(0, 0, "fresh"));
  const auto begun = [&](double lambda, double sigma) {
    return search.run({{"policy", "fresh_shrunk"}, {"lambda", lambda}, {"sigma", sigma}, {"buffers", "reset"}});
  };
  const trial::PieceResult start = begun(0.4, 0.1);
  const auto drawn = search.weights(fresh), other = search.weights(begun(0, 1)), now = search.weights(start);
  CHECK(search.weights(begun(1, 0)) == drawn);
  CHECK(other.at("fc1.weight") != drawn.at("fc1.weight"));
  for (const char* name : {"fc1.weight", "head.weight", "bn1.weight"}) {
    for (std::size_t i = 0; i < now.at(name).size(); ++i)
      CHECK(std::abs(now.at(name)[i] - (0.4 * drawn.at(name)[i] + 0.1 * other.at(name)[i])) < 1e-7);
  }
  CHECK(rule_of(start, "fc1.weight") == "shrunk");
  CHECK(rule_of(start, "bn1.running_mean") == "fresh");
  CHECK(start.start->tensors[0].donor.empty());
}

TEST_CASE("the reason for a start is noted with it", "[train][warm_start]") {
  Search search;
  const trial::PieceResult start = search.run(search.section("best", 1, {{"why", "chosen by the race r"}}));
  CHECK(start.start->notes == std::vector<std::string>{"chosen by the race r"});
}

TEST_CASE("partial slices what became wider, and refuses too little", "[train][warm_start]") {
  Search search;
  const Json wide = {{"model.nodes.fc1.out", 40}};
  CHECK_THROWS_WITH(search.run(search.section("best"), 0, wide), Contains("E404: 'fc1.weight'"));
  const Json slice = {{"on_mismatch", "slice"}};
  const trial::PieceResult start = search.run(search.section("partial", 1, slice), 0, wide);
  const auto old = search.weights(search.results[0]), now = search.weights(start);
  CHECK(rule_of(start, "fc1.weight") == "sliced");
  CHECK(std::equal(old.at("fc1.weight").begin(), old.at("fc1.weight").end(), now.at("fc1.weight").begin()));
  CHECK(now.at("head.weight")[40] == old.at("head.weight")[32]);  // row by row
  CHECK_THROWS_WITH(search.run(search.section("partial", 1, {{"on_mismatch", "skip"}}), 0, wide), Contains("E402"));
}

TEST_CASE("names are changed before they are compared", "[train][warm_start]") {
  Search search;
  Json renamed = digits_trial()["model"];
  renamed["nodes"][0]["name"] = "body";
  const Json sets = {{"model", renamed}};
  CHECK_THROWS_WITH(search.run(search.section("best"), 0, sets),
                    Contains("E405: the file has no tensor 'body.weight'"));
  const trial::PieceResult start =
      search.run(search.section("best", 1, {{"map", {{"fc1\\.(.*)", "body.$1"}}}}), 0, sets);
  CHECK(search.weights(start).at("body.weight") == search.weights(search.results[0]).at("fc1.weight"));
}

TEST_CASE("the guard falls back where the start is too bad", "[train][warm_start]") {
  Search search;
  const Json guard = {{"guard", {{"max_val_drop", 2.0}, {"fallback", "best"}}}, {"lambda", 0.0}, {"sigma", 1.0}};
  const trial::PieceResult start = search.run(search.section("shrink_perturb", 1, guard));
  CHECK(search.weights(start) == search.weights(search.results[0]));
  CHECK(rule_of(start, "fc1.weight") == "copied");
  REQUIRE(start.start->notes.size() == 1);
  CHECK(start.start->notes[0].find("begins with search/0") != std::string::npos);
}

TEST_CASE("a guard beside swa measures the start, not the average that the donor's state has", "[train][warm_start]") {
  Json trial = digits_trial();
  trial["swa"] = {{"start", 0.0}};
  Search search(trial);
  const Json guard = {{"guard", {{"max_val_drop", 2.0}, {"fallback", "best"}}},
                      {"lambda", 0.0},
                      {"sigma", 1.0},
                      {"optimizer", "carry"}};
  const trial::PieceResult start = search.run(search.section("shrink_perturb", 1, guard));
  CHECK(start.start->notes.at(0).find("begins with search/0") != std::string::npos);
}

// The average began with the weights that were drawn, as if they had been averaged in the donor's epochs.
TEST_CASE("swa averages no epoch of the donor's", "[train][warm_start]") {
  Search search;
  const Json carried = {{"schedule", "remaining"}, {"optimizer", GENERATE("reset", "carry")}};
  const auto after = [&](std::int64_t epochs) {
    const trial::PieceResult result =
        search.run(search.section("best", 1, carried), epochs, {{"swa", {{"start", 0.0}}}});
    return SafeTensors(fetch(search.fixture.setup.artifacts, artifact(result, "last")), "checkpoint");
  };
  const SafeTensors start = after(2), first = after(3), second = after(4);
  CHECK(start.find("average.fc1.weight") == nullptr);
  for (const std::string name : {"fc1.weight", "bn1.bias", "head.weight"})
    CHECK(first.find("average." + name)->bytes == first.find("model." + name)->bytes);
  CHECK(second.find("average.fc1.weight")->bytes != second.find("model.fc1.weight")->bytes);
}

/// The numbers in a note, in their order.
std::vector<double> numbers_of(const std::string& note) {
  std::vector<double> numbers;
  std::istringstream words(note.substr(note.find(": ")));
  for (std::string word; words >> word;) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (end != word.c_str()) numbers.push_back(number);
  }
  return numbers;
}

TEST_CASE("the guard of a loss refuses a greater one, by its share of the donor's", "[train][warm_start]") {
  Search search;
  search.fixture.setup.metric = "val.loss";
  search.fixture.setup.maximize = false;
  const auto start = [&](double lambda, double sigma, double drop) {
    const Json guard = {
        {"guard", {{"max_val_drop", drop}, {"fallback", "best"}}}, {"lambda", lambda}, {"sigma", sigma}};
    return search.run(search.section("shrink_perturb", 1, guard));
  };
  const trial::PieceResult fresh = start(0, 1, 50);
  CHECK(search.weights(fresh) == search.weights(search.results[0]));
  const std::vector<double> numbers = numbers_of(fresh.start->notes.at(0));  // value, share, the donor's
  REQUIRE(numbers.size() >= 3);
  CHECK(numbers[0] > 2 * numbers[2]);
  CHECK(numbers[1] == Approx(100 * (numbers[0] - numbers[2]) / numbers[2]).epsilon(0.01));
  CHECK(start(0, 1, numbers[1] * 1.01).start->notes.at(0).find("begins with") == std::string::npos);
  CHECK(start(0, 1, numbers[1] * 0.99).start->notes.at(0).find("begins with") != std::string::npos);
  CHECK(rule_of(start(1.01, 0, 1), "fc1.weight") == "shrunk");  // hardly another model
}

TEST_CASE("the guard of an accuracy counts hundredths of the accuracy", "[train][warm_start]") {
  Search search;
  const Json guard = {{"guard", {{"max_val_drop", 2.0}, {"fallback", "fresh"}}}, {"lambda", 0.0}, {"sigma", 1.0}};
  const trial::PieceResult start = search.run(search.section("shrink_perturb", 1, guard));
  const std::vector<double> numbers = numbers_of(start.start->notes.at(0));
  REQUIRE(numbers.size() >= 3);
  CHECK(numbers[1] == Approx(100 * (numbers[2] - numbers[0])).epsilon(0.01));
  CHECK(search.weights(start) == search.weights(search.fixture.run(search.fixture.order(0, 0, "fresh"))));
}

TEST_CASE("a soup takes a donor where the measure gets no worse with it", "[train][warm_start]") {
  const bool maximize = GENERATE(false, true);
  Search search;
  search.fixture.setup.metric = maximize ? "val.accuracy" : "val.loss";
  search.fixture.setup.maximize = maximize;
  const std::vector<std::string> notes = search.run(search.section("greedy_soup", 3)).start->notes;
  double value = numbers_of(notes.at(0)).at(0);
  for (std::size_t i = 1; i < notes.size(); ++i) {
    const double next = numbers_of(notes[i]).back();
    const bool is_taken = maximize ? next >= value : next <= value;
    CHECK(notes[i].ends_with(is_taken ? ", taken" : ", left out"));
    if (is_taken) value = next;
  }
  const std::vector<std::string> layers = search.run(search.section("per_layer_best", 3)).start->notes;
  value = numbers_of(layers.at(0)).at(0);
  for (std::size_t i = 1; i < layers.size(); ++i) {
    const double next = numbers_of(layers[i]).back();
    CHECK((maximize ? next > value : next < value));
    value = next;
  }
}

TEST_CASE("a carried optimiser goes on with its own count of steps", "[train][warm_start]") {
  Json trial = digits_trial();
  trial["optimizer"] = {{"op", "adam"}, {"lr", 0.01}};
  Search search(trial);
  const Json sets = {{"optimizer.lr", 0.01}};
  const trial::PieceResult carried = search.run(search.section("best", 1, {{"optimizer", "carry"}}), 1, sets);
  const trial::PieceResult fresh = search.run(search.section("best"), 1, sets);
  CHECK(search.weights(carried) != search.weights(fresh));
  const SafeTensors file(fetch(search.fixture.setup.artifacts, artifact(carried, "last")), "checkpoint");
  const Json state = Json::parse(file.metadata().at("state"));
  CHECK(state.at("carried").get<std::int64_t>() == 2 * state.at("step").get<std::int64_t>());
}

TEST_CASE("an average of weights begins with what is taken over, and a donor's own is left", "[train][warm_start]") {
  Json averaged = digits_trial();
  averaged["ema"] = {{"decay", 0.9}};
  Search plain, other(averaged);
  const Json section = plain.section("best", 1, {{"optimizer", "carry"}});
  const trial::PieceResult start = plain.run(section, 0, {{"ema", {{"decay", 0.9}}}});
  const SafeTensors file(fetch(plain.fixture.setup.artifacts, artifact(start, "last")), "checkpoint");
  for (const TensorView& view : file.tensors()) {
    if (!view.name.starts_with("average.")) continue;
    CHECK(view.bytes == file.find("model." + view.name.substr(8))->bytes);
  }
  CHECK(file.find("average.fc1.weight") != nullptr);
  const trial::PieceResult without =
      other.run(other.section("best", 1, {{"optimizer", "carry"}}), 0, {{"ema", nullptr}});
  const SafeTensors bare(fetch(other.fixture.setup.artifacts, artifact(without, "last")), "checkpoint");
  CHECK(bare.find("average.fc1.weight") == nullptr);
}

TEST_CASE("a warm start that is cut leaves the same bits and the same record", "[train][warm_start]") {
  Search search;
  const Json section = search.section("greedy_soup", 3, {{"buffers", "recalibrate"}, {"batches", 5}});
  const trial::PieceResult whole = search.run(section, 4);
  trial::PieceOrder lost = search.order(section, 4);
  lost.folder = search.fixture.folder.make("lost");
  FakeHost host(60);
  CHECK_THROWS_AS(search.fixture.run(lost, host), trial::Stopped);
  trial::PieceOrder again = search.order(section, 4);
  again.partial = lost.folder;
  again.folder = search.fixture.folder.make("again");
  const trial::PieceResult result = search.fixture.run(again);
  CHECK(artifact(result, "last") == artifact(whole, "last"));
  CHECK(result.reports == whole.reports);
  CHECK(result.start == whole.start);
}

TEST_CASE("the rest of a schedule is spread over the whole training", "[train][warm_start]") {
  Search search;
  trial::PieceOrder order = search.order(search.section("best", 1, {{"schedule", "continue"}}), 1);
  order.sets["log"] = {{"every", 1}};
  FakeHost host;
  search.fixture.run(order, host);
  REQUIRE_FALSE(host.curve.empty());
  CHECK(std::abs(metric(host.curve.front(), "lr") - 0.025) < 1e-3);  // the middle of the cosine
}

TEST_CASE("a damaged donor is refused", "[train][warm_start]") {
  Search search;
  const std::filesystem::path path = artifact_path(search.fixture.setup.artifacts, artifact(search.results[0], "last"));
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] ^= 1;
  write_file(path, bytes);
  CHECK_THROWS_WITH(search.run(search.section("best")), Contains("is damaged"));
}

}  // namespace warm_start_test
