// SPDX-License-Identifier: Apache-2.0
#include "report/sql_functions.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "util/error.hpp"

namespace dlrun::report {

namespace {

struct Values {
  std::vector<double> all;
  double p = 0.5;
};

/// State of an aggregate: SQLite keeps the pointer between the rows, nullptr before the first. nullptr: no memory.
Values** state_of(sqlite3_context* context, bool is_needed) {
  constexpr int kPointer = sizeof(void*);
  return static_cast<Values**>(sqlite3_aggregate_context(context, is_needed ? kPointer : 0));
}

bool is_number(sqlite3_value* value) {
  const int type = sqlite3_value_numeric_type(value);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

void fail(sqlite3_context* context, const char* message) { sqlite3_result_error(context, message, -1); }

/// Adds the value of one row. SQLite is C: no exception may leave.
void add_value(sqlite3_context* context, int count, sqlite3_value** arguments) try {
  Values** state = state_of(context, true);
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  if (*state == nullptr) *state = std::make_unique<Values>().release();
  if (count > 1) (*state)->p = is_number(arguments[1]) ? sqlite3_value_double(arguments[1]) : -1;
  if (!((*state)->p >= 0 && (*state)->p <= 1)) return fail(context, "quantile(x, p) needs p from 0 to 1");
  if (is_number(arguments[0])) (*state)->all.push_back(sqlite3_value_double(arguments[0]));
} catch (const std::bad_alloc&) {
  sqlite3_result_error_nomem(context);
}

/// The values of all rows; empty: there are none. SQLite calls it once, also for a query that was ended.
Values taken(sqlite3_context* context) {
  Values** state = state_of(context, false);
  if (state == nullptr || *state == nullptr) return {};
  const std::unique_ptr<Values> owned(*state);
  *state = nullptr;
  return std::move(*owned);
}

void give_quantile(sqlite3_context* context) {
  Values values = taken(context);
  if (values.all.empty()) return sqlite3_result_null(context);
  const double place = values.p * double(values.all.size() - 1);
  const auto below = values.all.begin() + std::ptrdiff_t(place);
  std::nth_element(values.all.begin(), below, values.all.end());
  const double low = *below, part = place - std::floor(place);
  if (part == 0) return sqlite3_result_double(context, low);
  const double high = *std::min_element(below + 1, values.all.end());
  sqlite3_result_double(context, low + part * (high - low));
}

void give_deviation(sqlite3_context* context) {
  const Values values = taken(context);
  const auto count = double(values.all.size());
  if (count < 2) return sqlite3_result_null(context);
  double mean = 0, squares = 0;
  for (const double value : values.all) mean += value / count;
  for (const double value : values.all) squares += (value - mean) * (value - mean);
  sqlite3_result_double(context, std::sqrt(squares / (count - 1)));
}

void add_function(sqlite3* handle, const char* name, int arguments, void (*give)(sqlite3_context*)) {
  constexpr int kKind = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  const int code =
      sqlite3_create_function_v2(handle, name, arguments, kKind, nullptr, nullptr, add_value, give, nullptr);
  if (code != SQLITE_OK) throw Error(ErrorKind::outside, std::string("cannot add ") + name + " to SQLite");
}

}  // namespace

void add_functions(sqlite3* handle) {
  add_function(handle, "median", 1, give_quantile);
  add_function(handle, "quantile", 2, give_quantile);
  add_function(handle, "stdev", 1, give_deviation);
}

}  // namespace dlrun::report
