// SPDX-License-Identifier: Apache-2.0
#include "options/kind.hpp"
#include "support/catch.hpp"
#include "util/error.hpp"

namespace field_test {

using namespace dlrun;
using namespace dlrun::options;

namespace {

struct Row {
  std::string name;
  std::optional<double> share;
};

struct Oven {
  double heat = 180;
  std::int64_t trays = 2;
  int rungs = 5;
  bool is_fan = true;
  std::string mode = "top";
  std::optional<double> limit;
  std::vector<std::int64_t> times;
  std::array<double, 2> range = {0.5, 0.75};
  std::vector<Row> rows;
};

Fields<Row> row_fields() {
  return {field(text("name", "a name").must(), &Row::name), field(real("share", "a share").from(0), &Row::share)};
}

Fields<Oven> oven_fields() {
  return {field(real("heat", "degrees").above(0).to(300), &Oven::heat),
          field(integer("trays", "a number").from(1).to(9), &Oven::trays),
          field(integer("rungs", "a number").from(0).with(7), &Oven::rungs),
          field(boolean("fan", "or not"), &Oven::is_fan),
          field(choice("mode", "where from", {"top", "bottom"}), &Oven::mode),
          field(real("limit", "degrees").below(400).or_else("none"), &Oven::limit),
          field(list("times", "minutes", integer("", "minutes").from(1)).one(), &Oven::times),
          field(list("range", "two shares", real("", "a share").from(0).below(1)), &Oven::range),
          rows(list("rows", "of it", table("", "one", keys_of(row_fields()))), &Oven::rows, row_fields())};
}

Oven read(const Json& section) {
  Oven oven;
  read_fields(section, oven_fields(), "kitchen.oven", oven);
  return oven;
}

std::string fault_of(const Json& section) {
  try {
    read(section);
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::usage);
    return fault.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("a key without a default takes the member's initial value", "[options][field]") {
  const Table keys = keys_of(oven_fields());
  CHECK(find(keys, "heat")->fallback == Json(180.0));
  CHECK(find(keys, "rungs")->fallback == Json(7));
  CHECK(find(keys, "range")->fallback == Json({0.5, 0.75}));
  CHECK(find(keys, "times")->fallback == Json::array());
  CHECK(find(keys, "rows")->fallback == Json::array());
  CHECK(find(keys, "limit")->fallback.is_null());
  CHECK(to_text(find(keys, "heat")->fallback) == "180.0");
}

TEST_CASE("a section fills the members, and defaults the rest", "[options][field]") {
  const Oven oven = read({{"heat", 200},
                          {"fan", false},
                          {"mode", "bottom"},
                          {"limit", 250.5},
                          {"times", 20},
                          {"range", {0, 0.25}},
                          {"trays", nullptr},
                          {"rows", {{{"name", "a"}, {"share", 1}}, {{"name", "b"}}}}});
  CHECK(oven.heat == 200);
  CHECK(oven.trays == 2);
  CHECK(oven.rungs == 7);
  CHECK_FALSE(oven.is_fan);
  CHECK(oven.mode == "bottom");
  CHECK(oven.limit == 250.5);
  CHECK(oven.times == std::vector<std::int64_t>{20});
  CHECK(oven.range == std::array<double, 2>{0, 0.25});
  REQUIRE(oven.rows.size() == 2);
  CHECK(oven.rows[0].share == 1);
  CHECK(oven.rows[1].name == "b");
  CHECK_FALSE(oven.rows[1].share);
}

TEST_CASE("a written struct is read as it was", "[options][field]") {
  Oven oven = read({{"limit", 3}, {"times", {1, 2}}, {"rows", {{{"name", "a"}}}}});
  const Json section = write_fields(oven, oven_fields());
  CHECK(section.at("limit") == 3.0);
  CHECK(section.at("rows") == Json::array({{{"name", "a"}, {"share", nullptr}}}));
  CHECK(write_fields(read(section), oven_fields()) == section);
}

TEST_CASE("a value outside its key's bounds is rejected with its place", "[options][field]") {
  CHECK(fault_of({{"heat", 0}}) == "kitchen.oven.heat is 0, but must be in (0, 300]");
  CHECK(fault_of({{"heat", 300.5}}) == "kitchen.oven.heat is 300.5, but must be in (0, 300]");
  CHECK(fault_of({{"heat", "hot"}}) == "kitchen.oven.heat is \"hot\", but must be a number");
  CHECK(fault_of({{"trays", 10}}) == "kitchen.oven.trays is 10, but must be in [1, 9]");
  CHECK(fault_of({{"trays", 1.5}}) == "kitchen.oven.trays is 1.5, but must be a whole number");
  CHECK(fault_of({{"rungs", -1}}) == "kitchen.oven.rungs is -1, but must be in [0, inf)");
  CHECK(fault_of({{"fan", 1}}) == "kitchen.oven.fan is 1, but must be true or false");
  CHECK(fault_of({{"limit", 400}}) == "kitchen.oven.limit is 400, but must be in (-inf, 400)");
  CHECK(fault_of({{"mode", "botom"}}) == "kitchen.oven.mode: there is no 'botom'");
  CHECK(fault_of({{"times", {3, 0}}}) == "kitchen.oven.times.1 is 0, but must be in [1, inf)");
  CHECK(fault_of({{"range", 1}}) == "kitchen.oven.range is 1, but must be a list");
  CHECK(fault_of({{"range", {0, 0.5, 0.5}}}) == "kitchen.oven.range is [0,0.5,0.5], but must be a list of 2");
  CHECK(fault_of({{"range", {0, 1}}}) == "kitchen.oven.range.1 is 1, but must be in [0, 1)");
  CHECK(fault_of({{"rows", {{{"share", 1}}}}}) == "kitchen.oven.rows.0 needs 'name'");
}

TEST_CASE("a section chooses its table by op", "[options][kind]") {
  const Kinds<Row> kinds = {{"plain", "nothing more", {}, [](Row& row) { row.name = "plain"; }},
                            {"shared", "a share", {row_fields()[1]}, [](Row& row) { row.name = "shared"; }}};
  CHECK(read_kind(Json(), kinds, "row", "plain").name == "plain");
  CHECK(read_kind("shared", kinds, "row", "plain").name == "shared");
  CHECK(read_kind({{"op", "shared"}, {"share", 0.5}}, kinds, "row", "plain").share == 0.5);
  CHECK_FALSE(read_kind({{"op", "plain"}, {"share", 0.5}}, kinds, "row", "plain").share);
  CHECK_THROWS_WITH(read_kind("sharde", kinds, "row", "plain"), "row.op: there is no 'sharde'");
  CHECK_THROWS_WITH(read_kind(3, kinds, "row", "plain"), "row must be a map or a name");
  REQUIRE(variants_of(kinds).size() == 2);
  CHECK(variants_of(kinds)[1].table[0].name == "share");
}

}  // namespace field_test
