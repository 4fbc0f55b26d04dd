// SPDX-License-Identifier: Apache-2.0
// Trials of several pieces as they were: pieces that follow each other, are stopped, resume, test, share epochs,
// inherit or begin with weights of others, and the words for files that do not fit. DLRUN_APPROVE=1 writes the file
// anew.
#include <fstream>

#include <ATen/ATen.h>

#include "support/catch.hpp"
#include "unit/train/told.hpp"
#include "warmstart/settings.hpp"

namespace pieces_golden_test {

using namespace dlrun;
using namespace dlrun::train;

namespace {

/// Pieces of trials in one store, each of which is told.
struct Store {
  Store() : fixture(Json()), told(fixture) { fixture.setup.trial = table_trial(fixture.folder.make("data")); }

  trial::PieceOrder order(std::int64_t from, std::int64_t to, const trial::PieceResult* before = nullptr) {
    trial::PieceOrder order = fixture.order(from, to, fmt::format("a{}", ++attempts));
    if (before != nullptr) order.resume = artifact(*before, "last");
    return order;
  }
  trial::PieceResult run(const std::string& name, const trial::PieceOrder& order, std::int64_t stop_after = -1) {
    trial::PieceResult result;
    FakeHost host(stop_after);
    tell(told, name, [&] { told.result(result = fixture.run(order, host)); });
    told.host(host, &result);
    told.files(order.folder);
    return result;
  }
  /// Goes on from a folder of an earlier attempt.
  trial::PieceResult resume(const std::string& name, const std::string& partial, std::int64_t from, std::int64_t to,
                            const std::string& artifact = {}) {
    trial::PieceOrder next = order(from, to);
    next.partial = partial;
    next.resume = artifact;
    return run(name, next);
  }

  Fixture fixture;
  Told told;
  int attempts = 0;
};

void damage(const std::filesystem::path& path) {
  std::string bytes = read_file(path);
  bytes[bytes.size() / 2] = char(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(path, std::ios::binary) << bytes;
}

void damage_newest(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> steps;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with("step-")) steps.insert(entry.path());
  }
  damage(*steps.rbegin());
}

void follow_each_other(Store& store) {
  const trial::PieceResult first = store.run("first piece", store.order(0, 2));
  const trial::PieceResult second = store.run("second piece", store.order(2, 3, &first));
  for (const char* role : {"last", "best"}) {
    trial::PieceOrder test = store.order(3, 3);
    test.task = "test";
    test.resume = artifact(second, role);
    store.run(std::string("test of the ") + role, test);
  }
  store.run("a piece from another epoch", store.order(1, 3, &first));
  trial::PieceOrder none = store.order(1, 3);
  none.resume = std::string(64, 'a');
  store.run("a piece without its artifact", none);
}

void stop_and_resume(Store& store) {
  store.fixture.setup.keep_epochs = {1, 2};
  for (const std::int64_t stop_after : {0, 3, 6, 9, 14, 17}) {
    const trial::PieceOrder first = store.order(0, 3);
    store.run(fmt::format("stopped after {}", stop_after), first, stop_after);
    store.resume(fmt::format("resumed after {}", stop_after), first.folder, 0, 3);
  }
  const trial::PieceOrder first = store.order(0, 3);
  store.run("stopped late", first, 16);
  store.resume("outside of the piece", first.folder, 0, 1);
  damage_newest(first.folder);
  store.resume("the newest is damaged", first.folder, 0, 3);
  std::filesystem::remove(std::filesystem::path(first.folder) / "kept.json");
  store.resume("kept epochs are not known", first.folder, 0, 3);
  write_file(std::filesystem::path(first.folder) / "kept.json", R"([{"step": 1}])");
  store.resume("kept epochs are damaged", first.folder, 0, 3);
  store.resume("nothing there", store.fixture.folder.make("empty"), 0, 2);
}

void refuse_checkpoints(Store& store) {
  const trial::PieceResult first = store.run("a checkpoint", store.order(0, 1));
  const auto other = [&](const std::string& name, std::uint64_t seed, int replicate, const Json& sets) {
    trial::PieceOrder next = store.order(1, 2, &first);
    next.seed = seed;
    next.key.member.replicate = replicate;
    next.sets = sets;
    store.run(name, next);
  };
  other("of another seed", 8, 0, Json::object());
  other("of another replicate", 7, 1, Json::object());
  other("of another optimizer", 7, 0, {{"optimizer", {{"op", "adam"}}}});
  other("of another rate", 7, 0, {{"optimizer.lr", 0.1}});
  other("of another width", 7, 0, {{"model.nodes.fc.out", 5}});
  damage(artifact_path(store.fixture.setup.artifacts, artifact(first, "last")));
  other("damaged", 7, 0, Json::object());
}

/// A trial that may take up what another one left, and where it does not.
trial::PieceOrder branch(Store& store, std::int64_t from, std::int64_t to, std::int64_t epoch, const std::string& stage,
                         const Json& sets = Json::object()) {
  trial::PieceOrder order = store.order(from, to);
  order.key.member.trial = trial::TrialId(1);
  order.shared = {epoch, stage};
  order.sets = sets;
  return order;
}

void share(Store& store) {
  const std::string one = store.fixture.folder.make("stage1"), two = store.fixture.folder.make("stage2");
  trial::PieceOrder trunk = store.order(0, 3);
  const std::string three = store.fixture.folder.make("stage3");
  trunk.leaves = {{1, one}, {2, two}, {3, three}};
  store.run("a trunk", trunk);
  for (const std::string& stage : {one, two, three}) store.told.files(stage);
  store.run("a branch", branch(store, 0, 3, 2, two));
  store.run("a branch of the first epoch", branch(store, 0, 2, 1, one));
  store.run("a branch of all epochs", branch(store, 0, 3, 3, three));
  store.run("of another epoch", branch(store, 0, 3, 1, two));
  store.run("of other settings", branch(store, 0, 2, 2, two, {{"optimizer.lr", 0.01}}));
  store.run("of another seed's trial", branch(store, 0, 2, 2, store.fixture.folder.make("nothing")));
  const trial::PieceResult alone = store.run("alone", store.order(0, 1));
  trial::PieceOrder later = branch(store, 1, 3, 2, two);
  later.resume = artifact(alone, "last");
  store.run("a later piece", later);
  later = branch(store, 1, 3, 3, two);
  later.resume = artifact(alone, "last");
  store.run("a later piece, and a stage of another epoch", later);
  const trial::PieceOrder stopped = branch(store, 0, 3, 2, two);
  store.run("stopped after it began with others' epochs", stopped, 2);
  store.resume("resumed with a note of them", stopped.folder, 0, 3);
  for (const auto& entry : std::filesystem::directory_iterator(two)) {
    if (entry.path().extension() == ".safetensors") damage(entry.path());
  }
  store.run("damaged", branch(store, 0, 2, 2, two));
}

void inherit(Store& store) {
  const trial::PieceResult donor = store.run("a donor", store.order(0, 2));
  for (const Json& sets : {Json::object(), Json{{"optimizer.lr", 0.2}}, Json{{"model.nodes.drop.p", 0.5}},
                           Json{{"model.nodes.fc.out", 5}}}) {
    trial::PieceOrder heir = store.order(2, 3, &donor);
    heir.inherits = true;
    heir.sets = sets;
    store.run("an heir with " + to_text(sets), heir);
  }
}

/// Three donors of other rates, and trials that begin with their weights.
class Starts {
 public:
  explicit Starts(Store& store) : store_(store) {
    for (const double lr : {0.05, 0.2, 0.01}) {
      trial::PieceOrder order = store.order(0, 2);
      order.sets = {{"optimizer.lr", lr}, {"horizon", 3}};
      const trial::PieceResult result = store.run(fmt::format("donor with rate {}", lr), order);
      donors_.push_back({{"sha256", artifact(result, "last")},
                         {"study", "search"},
                         {"trial", donors_.size()},
                         {"epoch", 2},
                         {"horizon", 3}});
    }
  }

  void run(const std::string& policy, std::size_t donors, const Json& more = Json::object(),
           Json sets = Json::object()) {
    Json section = {{"policy", policy}, {"donors", Json::array()}};
    for (std::size_t i = 0; i < donors; ++i) section["donors"].push_back(donors_[i]);
    section.update(more);
    warmstart::fill_in(section);
    sets["warm_start"] = section;
    trial::PieceOrder order = store_.order(0, 3);
    order.sets = sets;
    store_.run(fmt::format("{} {} {}", policy, to_text(more), sets.size() > 1 ? "and more" : ""), order);
  }

 private:
  Store& store_;
  std::vector<Json> donors_;
};

void begin_with_others(Store& store) {
  Starts starts(store);
  for (const std::string& policy : warmstart::kWarmPolicies) {
    if (policy == "none") continue;
    starts.run(policy,
               warmstart::averages(policy)       ? 3
               : warmstart::takes_donors(policy) ? 1
                                                 : 0,
               {{"why", "by the rule of " + policy}});
  }
  starts.run("best", 1, {{"buffers", "reset"}, {"lr_scale", 0.5}});
  starts.run("best", 1, {{"buffers", "recalibrate"}, {"batches", 2}});
  starts.run("best", 1, {{"optimizer", "carry"}, {"schedule", "continue"}});
  starts.run("best", 1, {{"schedule", "remaining"}});
  starts.run("shrink_perturb", 1,
             {{"lambda", 0.1}, {"sigma", 2}, {"guard", {{"max_val_drop", 1}, {"fallback", "best"}}}});
  starts.run("shrink_perturb", 1,
             {{"lambda", 0.1}, {"sigma", 2}, {"guard", {{"max_val_drop", 1}, {"fallback", "none"}}}});
  starts.run("shrink_perturb", 1, {{"lambda", 0.9}, {"guard", {{"max_val_drop", 90}}}});
  const Json wide = {{"model.nodes.fc.out", 8}};
  for (const char* rule : {"error", "skip", "slice"}) starts.run("partial", 1, {{"on_mismatch", rule}}, wide);
  starts.run("partial", 1, {{"on_mismatch", "skip"}, {"min_fraction", 0.1}}, wide);
  starts.run("partial", 1, {{"include", {"fc", "bn"}}, {"min_fraction", 0.1}});
  starts.run("partial", 1, {{"exclude", {"head"}}});
  starts.run("best", 1, {{"map", {{"head\\.(.*)", "tail.$1"}}}});
  starts.run("resume", 1, Json::object(), {{"optimizer.lr", 0.3}});
  starts.run("resume", 1, {{"allow_superset", true}}, {{"optimizer.lr", 0.3}});
  starts.run("resume", 1, Json::object(), {{"optimizer", {{"op", "adam"}}}});
  store.fixture.setup.metric = "val.loss";
  store.fixture.setup.maximize = false;
  starts.run("greedy_soup", 3, Json::object(), {{"ema", {{"decay", 0.5}}}});
  starts.run("per_layer_best", 3);
  starts.run("topk_average", 2, {{"guard", {{"max_val_drop", 0.5}, {"fallback", "best"}}}});
}

void begin_with_a_file(Store& store) {
  const trial::PieceResult donor = store.run("weights", store.order(0, 1));
  const std::string sha256 = artifact(donor, "last");
  const std::string file = artifact_path(store.fixture.setup.artifacts, sha256).string();
  const auto start = [&](const std::string& name, const Json& init, Json sets) {
    trial::PieceOrder order = store.order(0, 2);
    sets["init"] = init;
    order.sets = sets;
    store.run(name, order);
  };
  const Json strict = {{"from", file}, {"strict", true}, {"sha256", sha256}};
  const Json lax = {{"from", file}, {"strict", false}, {"sha256", sha256}};
  start("strict", strict, Json::object());
  start("strict, of another width", strict, {{"model.nodes.fc.out", 8}});
  start("of another width", lax, {{"model.nodes.fc.out", 8}});
  start("another file", {{"from", file}, {"strict", true}, {"sha256", std::string(64, 'b')}}, Json::object());
  start("no file", {{"from", "/nowhere/w.safetensors"}, {"strict", true}, {"sha256", sha256}}, Json::object());
}

void check(const std::string& name, void (*run)(Store&)) {
  Store store;
  run(store);
  check_golden(name, store.told.text());
}

}  // namespace

TEST_CASE("pieces follow each other as they did", "[train][golden]") { check("pieces", follow_each_other); }
TEST_CASE("pieces stop and resume as they did", "[train][golden]") { check("resumed", stop_and_resume); }
TEST_CASE("checkpoints are refused in the words they were", "[train][golden]") {
  check("checkpoints", refuse_checkpoints);
}
TEST_CASE("epochs are shared as they were", "[train][golden]") { check("shared", share); }
TEST_CASE("trials inherit as they did", "[train][golden]") { check("inherited", inherit); }
TEST_CASE("trials begin with weights of others as they did", "[train][golden]") { check("starts", begin_with_others); }
TEST_CASE("trials begin with a file as they did", "[train][golden]") { check("files", begin_with_a_file); }

}  // namespace pieces_golden_test
