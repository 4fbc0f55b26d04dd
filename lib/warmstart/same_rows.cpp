// SPDX-License-Identifier: Apache-2.0
#include "warmstart/same_rows.hpp"

#include <algorithm>
#include <initializer_list>

namespace dlrun::warmstart {

namespace {

Json at(const Json& section, const char* key) { return section.is_object() ? section.value(key, Json()) : Json(); }

/// A key's value, where what is chosen by itself is the same as nothing.
Json chosen(const Json& section, const char* key) {
  const Json value = at(section, key);
  return value == "auto" || value == true ? Json() : value;
}

std::uint64_t seed_of(const Division& division) {
  const Json own = at(at(at(division.trial, "data"), "split"), "seed");
  return own.is_number() ? own.get<std::uint64_t>() : division.seed;
}

/// Whether rows are cut at shares in an order that does not depend on them: more rows of training are the same and
/// others.
bool is_nested(const Json& split) {
  for (const char* key : {"column", "group", "folds"}) {
    if (!at(split, key).is_null()) return false;
  }
  return true;
}

/// Shares of a normal form have all three; a whole test file leaves `val` alone.
bool trains_less(const Json& before, const Json& now) {
  const Json was = at(before, "train"), is = at(now, "train");
  if (was.is_number() && is.is_number()) return is < was;
  const Json held = at(before, "val"), holds = at(now, "val");
  return held.is_number() && holds.is_number() && holds > held;
}

/// Whether the data are in other files, of whose rows nothing is known.
bool are_others(const Json& was, const Json& is) {
  for (const char* key : {"op", "path", "inputs", "targets"}) {
    if (at(was, key) != at(is, key)) return true;
  }
  return false;
}

/// Whether a file of the donor's training validates or tests now.
std::string reused_file(const Json& was, const Json& is) {
  for (const char* key : {"val", "test"}) {
    if (at(was, "path").is_string() && at(is, key) == at(was, "path")) return std::string("data.") + key;
  }
  return {};
}

Json listed(const Json& values) { return values.is_array() || values.is_null() ? values : Json::array({values}); }

/// Rows that a column divides: a value that meant training may not mean another part.
std::string moved_value(const Json& before, const Json& after) {
  const Json trained = listed(at(before, "train"));
  for (const char* part : {"val", "test"}) {
    for (const Json& value : listed(at(after, part))) {
      if (std::find(trained.begin(), trained.end(), value) != trained.end()) return std::string("data.split.") + part;
    }
  }
  return {};
}

/// Whether a generator of random numbers divides the rows.
bool is_drawn(const Json& data) {
  const Json split = at(data, "split");
  if (!at(split, "time").is_null() || at(data, "op") == "series" || at(data, "op") == "text") return false;
  return at(split, "train").is_number() || at(split, "val").is_number() || at(split, "test").is_number();
}

/// The first key of a section whose value is another.
std::string changed(const Json& before, const Json& after, const std::string& section,
                    std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (chosen(before, key) != chosen(after, key)) return section + key;
  }
  return {};
}

/// Whether both divide without regard to classes, so that the target does not matter.
bool is_plain(const Json& before, const Json& after) {
  return at(before, "stratify") == false && at(after, "stratify") == false;
}

}  // namespace

std::string leak(const Division& donor, const Division& now) {
  const Json was = at(donor.trial, "data"), is = at(now.trial, "data");
  const Json before = at(was, "split"), after = at(is, "split");
  if (are_others(was, is)) return reused_file(was, is);
  const Json column = at(before, "column");
  if (!column.is_null() && column == at(after, "column")) return moved_value(before, after);
  std::string place = changed(was, is, "data.", {"limit", "val", "test", "test_inputs", "test_targets"});
  if (place.empty() && !is_plain(before, after)) place = changed(was, is, "data.", {"target", "task"});
  if (place.empty())
    place =
        changed(before, after, "data.split.", {"column", "group", "time", "stratify", "folds", "fold", "val_folds"});
  if (place.empty()) place = changed(donor.trial, now.trial, "", {"folds"});
  const bool is_folded = !chosen(now.trial, "folds").is_null();
  if (place.empty() && (is_drawn(is) || is_folded) && seed_of(donor) != seed_of(now)) place = "data.split.seed";
  if (!place.empty()) return place;
  const bool is_as_before = is_nested(after) && !is_folded && !trains_less(before, after);
  const bool is_equal = changed(before, after, "", {"train", "val", "test"}).empty();
  return is_equal || is_as_before ? std::string() : "data.split";
}

std::string leak_text(const std::string& donors, const std::string& place) {
  return "E409: " + donors + " learned from rows that would validate or test the final training, because '" + place +
         "' is another";
}

}  // namespace dlrun::warmstart
