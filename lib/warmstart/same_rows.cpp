// SPDX-License-Identifier: Apache-2.0
#include "warmstart/same_rows.hpp"

#include <initializer_list>

namespace dlrun::warmstart {

namespace {

Json at(const Json& section, const char* key) { return section.is_object() ? section.value(key, Json()) : Json(); }

/// A key's value, where `auto` and nothing are the same.
Json chosen(const Json& section, const char* key) {
  const Json value = at(section, key);
  return value == "auto" ? Json() : value;
}

std::uint64_t seed_of(const Division& division) {
  const Json own = at(at(division.trial["data"], "split"), "seed");
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

bool have_same_shares(const Json& before, const Json& now) {
  for (const char* key : {"train", "val", "test"}) {
    if (at(before, key) != at(now, key)) return false;
  }
  return true;
}

}  // namespace

std::string leak(const Division& donor, const Division& now) {
  const Json was = at(donor.trial, "data"), is = at(now.trial, "data");
  for (const char* key : {"op", "path"}) {
    if (at(was, key) != at(is, key)) return {};
  }
  const Json before = at(was, "split"), after = at(is, "split");
  if (!at(before, "column").is_null() && at(before, "column") == at(after, "column")) return {};
  for (const char* key : {"limit", "limit_test"}) {
    if (at(was, key) != at(is, key)) return std::string("data.") + key;
  }
  for (const char* key : {"column", "group", "time", "stratify", "folds", "fold", "val_folds"}) {
    if (chosen(before, key) != chosen(after, key)) return std::string("data.split.") + key;
  }
  if (chosen(donor.trial, "folds") != chosen(now.trial, "folds")) return "folds";
  if (at(before, "time").is_null() && seed_of(donor) != seed_of(now)) return "data.split.seed";
  const bool is_as_before = is_nested(after) && chosen(now.trial, "folds").is_null() && !trains_less(before, after);
  return have_same_shares(before, after) || is_as_before ? std::string() : "data.split";
}

}  // namespace dlrun::warmstart
