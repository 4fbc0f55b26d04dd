// SPDX-License-Identifier: Apache-2.0
#include "dataset/date.hpp"

#include <algorithm>
#include <chrono>

namespace dlrun::dataset {

namespace {

/// Takes a text apart from its beginning; once something does not fit, nothing does.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// Exactly so many digits.
  int digits(std::size_t count, int low, int high) {
    int value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const char c = i < text_.size() ? text_[i] : ' ';
      if (c < '0' || c > '9') return fail();
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(count);
    return value < low || value > high ? fail() : value;
  }

  /// One of these signs, else '\0' and nothing is read.
  char read_one_of(std::string_view signs) {
    if (text_.empty() || signs.find(text_[0]) == std::string_view::npos) return '\0';
    const char sign = text_[0];
    text_.remove_prefix(1);
    return sign;
  }

  void require(std::string_view signs) {
    if (read_one_of(signs) == '\0') fail();
  }

  /// Digits behind a decimal point.
  double fraction() {
    double value = 0, unit = 0.1;
    const bool has_digit = !text_.empty() && text_[0] >= '0' && text_[0] <= '9';
    if (!has_digit) return fail();
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; unit /= 10, text_.remove_prefix(1))
      value += (text_[0] - '0') * unit;
    return value;
  }

  bool is_at_end() const { return text_.empty(); }
  bool is_good() const { return is_good_; }

 private:
  int fail() {
    is_good_ = false;
    text_ = {};
    return 0;
  }

  std::string_view text_;
  bool is_good_ = true;
};

double read_day(Scanner& scanner) {
  const int year = scanner.digits(4, 1, 9999);
  scanner.require("-");
  const int month = scanner.digits(2, 1, 12);
  scanner.require("-");
  const int day = scanner.digits(2, 1, 31);
  if (!scanner.is_good()) return 0;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                         std::chrono::day(unsigned(day))};
  if (!date.ok()) scanner.require("");  // 30 February
  return double(std::chrono::sys_days(date).time_since_epoch().count());
}

/// Seconds from midnight, UTC where an offset stands behind.
double read_time(Scanner& scanner) {
  double seconds = scanner.digits(2, 0, 23) * 3600;
  scanner.require(":");
  seconds += scanner.digits(2, 0, 59) * 60;
  if (scanner.read_one_of(":") != '\0') {
    seconds += scanner.digits(2, 0, 59);
    if (scanner.read_one_of(".,") != '\0') seconds += scanner.fraction();
  }
  if (const char sign = scanner.read_one_of("Z+-"); sign == '+' || sign == '-') {
    const int hours = scanner.digits(2, 0, 23);
    scanner.require(":");
    const int offset = hours * 3600 + scanner.digits(2, 0, 59) * 60;
    seconds -= sign == '+' ? offset : -offset;
  }
  return seconds;
}

}  // namespace

std::optional<double> parse_date(std::string_view text) {
  Scanner scanner(text);
  double days = read_day(scanner);
  if (scanner.read_one_of("T ") != '\0') days += read_time(scanner) / 86400;
  if (!scanner.is_good() || !scanner.is_at_end()) return std::nullopt;
  return days;
}

}  // namespace dlrun::dataset
