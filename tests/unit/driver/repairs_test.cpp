// SPDX-License-Identifier: Apache-2.0
#include "driver/repairs.hpp"

#include <set>

#include "support/catch.hpp"
#include "util/error.hpp"

namespace repairs_test {

using namespace dlrun;
using namespace dlrun::driver;
using Names = std::vector<std::string>;

namespace {

/// A member of three pieces, an heir of its second one, and an artifact that nobody of the study made.
struct Lineage {
  std::set<std::string> there;
  int asked = 0;

  static Work work(std::int64_t trial, int piece, bool is_repair) {
    Work out;
    out.piece = {{{trial::TrialId(trial), 0, 0}, piece}, 1, piece, piece + 1, ""};
    out.is_repair = is_repair;
    return out;
  }
  Remake remake(const std::string& name) {
    ++asked;
    if (name == "a0") return {work(0, 0, true), {}};
    if (name == "a1" || name == "b1") return {work(0, 1, true), {"a0"}};
    if (name == "a2") return {work(0, 2, true), {"a1"}};
    if (name == "heir") return {work(7, 0, true), {"a1"}};
    if (name == "tuned") return {work(8, 0, true), {"foreign"}};
    throw Error(ErrorKind::store, name + " is nobody's");
  }
  Repairs repairs() {
    return Repairs({[this](const std::string& name) { return there.contains(name); },
                    [this](const std::string& name) { return remake(name); }});
  }
};

/// "0.1" is piece 1 of trial 0; a repair has a mark.
Names free_of(Repairs& repairs) {
  Names out;
  for (const Work& work : repairs.take_free()) {
    out.push_back(std::to_string(work.piece.key.member.trial.value) + "." + std::to_string(work.piece.key.piece) +
                  (work.is_repair ? "!" : ""));
  }
  return out;
}

executor::AttemptKey key(std::int64_t trial, int piece) { return Lineage::work(trial, piece, true).attempt(); }

}  // namespace

TEST_CASE("work whose artifacts are there leaves at once", "[driver][repairs]") {
  Lineage lineage{{"a0"}};
  Repairs repairs = lineage.repairs();
  repairs.hold(Lineage::work(0, 1, false), {"a0"});
  CHECK(free_of(repairs) == Names{"0.1"});
  CHECK(repairs.is_idle());
  CHECK_FALSE(repairs.has_begun());
}

TEST_CASE("a missing artifact is made again down to what is there, one piece after the other", "[driver][repairs]") {
  Lineage lineage;
  Repairs repairs = lineage.repairs();
  repairs.hold(Lineage::work(0, 3, false), {"a2"});
  for (int piece = 0; piece < 3; ++piece) {
    CHECK(free_of(repairs) == Names{"0." + std::to_string(piece) + "!"});
    CHECK(free_of(repairs).empty());
    lineage.there.insert("a" + std::to_string(piece));
    repairs.done(key(0, piece));
  }
  CHECK(free_of(repairs) == Names{"0.3"});
  CHECK(repairs.is_idle());
}

TEST_CASE("what several wait for is made once", "[driver][repairs]") {
  Lineage lineage{{"a0"}};
  Repairs repairs = lineage.repairs();
  repairs.hold(Lineage::work(0, 2, false), {"a1"});
  repairs.hold(Lineage::work(9, 0, false), {"heir"});
  repairs.want("b1");
  CHECK(lineage.asked == 3);  // each artifact is told once
  CHECK(repairs.wanted_of(key(0, 1)) == Names{"a1", "b1"});
  CHECK(free_of(repairs) == Names{"0.1!"});
  lineage.there.merge(std::set<std::string>{"a1", "b1"});
  repairs.done(key(0, 1));
  CHECK(free_of(repairs) == Names{"7.0!", "0.2"});
}

TEST_CASE("a repair whose own input turns out to be damaged waits for that one", "[driver][repairs]") {
  Lineage lineage{{"a0"}};
  Repairs repairs = lineage.repairs();
  repairs.want("a1");
  CHECK(free_of(repairs) == Names{"0.1!"});
  lineage.there.clear();
  repairs.again(key(0, 1));
  CHECK(free_of(repairs) == Names{"0.0!"});
  lineage.there.insert("a0");
  repairs.done(key(0, 0));
  CHECK(free_of(repairs) == Names{"0.1!"});
  CHECK(repairs.tries_of(key(0, 1)) == 2);
}

TEST_CASE("a file that vanishes while work waits for another is made again too", "[driver][repairs]") {
  Lineage lineage{{"a1"}};
  Repairs repairs = lineage.repairs();
  repairs.hold(Lineage::work(9, 0, false), {"a1", "heir"});
  CHECK(free_of(repairs) == Names{"7.0!"});
  lineage.there = {"a0", "heir"};  // a1 is gone
  repairs.done(key(7, 0));
  CHECK(free_of(repairs) == Names{"0.1!"});
  lineage.there.insert("a1");
  repairs.done(key(0, 1));
  CHECK(free_of(repairs) == Names{"9.0"});
}

TEST_CASE("work that is not wanted any more is forgotten", "[driver][repairs]") {
  Lineage lineage;
  Repairs repairs = lineage.repairs();
  repairs.hold(Lineage::work(0, 1, false), {"a0"});
  repairs.drop(Lineage::work(0, 1, false).attempt());
  CHECK(free_of(repairs) == Names{"0.0!"});
  lineage.there.insert("a0");
  repairs.done(key(0, 0));
  CHECK(free_of(repairs).empty());
}

TEST_CASE("an artifact that nothing of the study made is an error, and leaves nothing waiting", "[driver][repairs]") {
  Lineage lineage;
  Repairs repairs = lineage.repairs();
  CHECK_THROWS_AS(repairs.want("foreign"), Error);
  CHECK_THROWS_AS(repairs.want("tuned"), Error);
  CHECK(free_of(repairs).empty());
  CHECK(repairs.is_idle());
}

}  // namespace repairs_test
