// SPDX-License-Identifier: Apache-2.0
#include "cpsat/wire.hpp"

#include "cpsat/model.hpp"
#include "support/catch.hpp"

namespace dlrun::cpsat {

namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += {kDigits[std::uint8_t(byte) / 16], kDigits[std::uint8_t(byte) % 16]};
  }
  return text;
}

}  // namespace

// The first two are the examples of protobuf's page "Encoding" (150 as field 1; 3, 270, 86942 as packed field 6). The
// others are what protobuf 6.33 for Python writes.
TEST_CASE("messages are written as protobuf writes them", "[cpsat]") {
  Message number, list, real;
  number.add_field(1, std::int64_t(150));
  CHECK(hex(number.bytes()) == "089601");
  list.add_list(6, {3, 270, 86942});
  CHECK(hex(list.bytes()) == "3206038e029ea705");
  real.add_field(67, 2.5);
  CHECK(hex(real.bytes()) ==
        "9904"
        "0000000000000440");
  Message negative;
  negative.add_field(3, std::int64_t(-2));
  CHECK(hex(negative.bytes()) == "18feffffffffffffffff01");
}

// CpModelProto of OR-Tools 9.15, written by its Python classes: x in 0..9, y a literal, 2 x - y >= 3 where y, an
// interval at x of 4 where not y, alone; x is least, and begins with 5.
TEST_CASE("a model is written as OR-Tools writes it", "[cpsat]") {
  Model model;
  const Variable x = model.variable({0, 9});
  const Literal y = model.literal();
  model.require_sum({{2, x}, {-1, y}}, {3, 100}, {y});
  model.require_no_overlap({model.interval(x, 4, no(y))});
  model.require_any({y, no(y)});
  model.minimize(x);
  model.suggest(x, 5);
  CHECK(hex(model.bytes()) ==
        "1204120200091204120200011a1a12010162150a020001120b02ffffffffffffffffff011a0203641a25120afeffffffffff"
        "ffffff019a011622060a01001201012a080a01001201011804320218041a06a201030a01011a0f1a0d0a0b01feffffffffff"
        "ffffff0122060a010022010132060a0100120105");
}

TEST_CASE("messages are read, and what is none is refused", "[cpsat]") {
  Message message;
  message.add_field(1, std::int64_t(4));
  message.add_list(2, {1, -1, 300});
  message.add_field(4, 0.25);
  std::int64_t status = 0;
  double bound = 0;
  std::vector<std::int64_t> values;
  read_message(message.bytes(), [&](const Field& field) {
    if (field.number == 1) status = field.value;
    if (field.number == 2) values = read_numbers(field.bytes);
    if (field.number == 4) bound = field.real;
  });
  CHECK(status == 4);
  CHECK(values == std::vector<std::int64_t>{1, -1, 300});
  CHECK(bound == 0.25);
  const auto ignore = [](const Field&) {};
  CHECK_THROWS_WITH(read_message("\x12\x05"
                                 "ab",
                                 ignore),
                    "the solver's answer ends within a field");
  CHECK_THROWS_WITH(read_message("\x08\xff", ignore), "the solver's answer ends within a field");
  CHECK_THROWS_WITH(read_message("\x0f", ignore), "the solver's answer is no message of protobuf");
}

}  // namespace dlrun::cpsat
