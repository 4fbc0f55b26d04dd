// SPDX-License-Identifier: Apache-2.0
#include "storage/space_tables.hpp"

#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::storage {

namespace {

bool has_choices(const space::Parameter& parameter) {
  return parameter.type != space::Type::real && parameter.type != space::Type::integer;
}

/// A choice as SQL sees it: numbers as numbers, text as text, the rest as JSON.
void insert_choice(Statement& insert, std::int64_t parameter, std::int64_t index, const Json& choice) {
  if (choice.is_number_integer()) {
    insert.run(parameter, index, choice.get<std::int64_t>());
  } else if (choice.is_number()) {
    insert.run(parameter, index, choice.get<double>());
  } else if (choice.is_string()) {
    insert.run(parameter, index, choice.get_ref<const std::string&>());
  } else if (choice.is_null()) {
    insert.run(parameter, index, nullptr);
  } else {
    insert.run(parameter, index, to_text(choice));
  }
}

}  // namespace

std::string_view to_string(space::Type type) {
  switch (type) {
    case space::Type::real: return "float";
    case space::Type::integer: return "int";
    case space::Type::categorical: return "categorical";
    case space::Type::ordinal: return "ordinal";
    default: return "constant";
  }
}

void insert_space(Database& database, const space::Space& space) {
  Statement insert = database.prepare("INSERT OR REPLACE INTO dl_parameter VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  Statement choice = database.prepare("INSERT OR REPLACE INTO dl_choice VALUES (?, ?, ?)");
  std::int64_t index = 0;
  for (const space::Parameter& p : space.parameters()) {
    const std::string choices = to_text(Json(p.choices));
    insert.bind(index, p.name, p.at, to_string(p.type), p.low, p.high, p.step, p.log, choices);
    if (has_choices(p)) {
      insert.set(5, nullptr);
      insert.set(6, nullptr);
    } else {
      insert.set(9, nullptr);
    }
    insert.step();
    for (std::size_t i = 0; i < p.choices.size(); ++i) insert_choice(choice, index, std::int64_t(i), p.choices[i]);
    ++index;
  }
}

namespace {

/// "'lr' (float)", or that there is none.
std::string parameter_at(const space::Space& space, std::size_t place) {
  if (place >= space.size()) return "none";
  const space::Parameter& parameter = space.parameters()[place];
  return "'" + parameter.name + "' (" + std::string(to_string(parameter.type)) + ")";
}

}  // namespace

void require_same_space(Database& database, const space::Space& space) {
  if (space.size() == 0) return;
  Statement rows = database.prepare("SELECT name, type FROM dl_parameter ORDER BY parameter");
  std::size_t count = 0;
  while (rows.step()) {
    const bool is_same = count < space.size() && space.parameters()[count].name == rows.text(0) &&
                         to_string(space.parameters()[count].type) == rows.text(1);
    if (!is_same) {
      throw Error(ErrorKind::store,
                  "the study was begun with parameter '" + std::string(rows.text(0)) + "' (" +
                      std::string(rows.text(1)) + ") in place " + std::to_string(count) + ", but the spec has " +
                      parameter_at(space, count) + " there",
                  "choose another name for the changed study", database.path().string());
    }
    ++count;
  }
  if (count == space.size()) return;
  throw Error(ErrorKind::store,
              "the study was begun with " + std::to_string(count) + " parameters, but the spec has " +
                  std::to_string(space.size()),
              "choose another name for the changed study");
}

}  // namespace dlrun::storage
