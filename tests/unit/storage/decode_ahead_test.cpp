// SPDX-License-Identifier: Apache-2.0
// Rows of the log come in order, and few batches are held at once.
#include "storage/decode_ahead.hpp"

#include <algorithm>

#include "support/catch.hpp"

namespace decode_ahead_test {

using namespace dlrun;
using storage::DecodeAhead;

namespace {

/// `total` decisions, numbered from 0; counts the batches asked for.
class Numbered {
 public:
  Numbered(std::size_t total, std::size_t& asked) : left_(total), asked_(asked) {}
  DecodeAhead::Batch operator()(std::size_t most) {
    ++asked_;
    const std::size_t count = std::min(most, left_), first = next_;
    left_ -= count;
    next_ += count;
    return {count, [=] {
              DecodeAhead::Rows rows;
              for (std::size_t i = 0; i < count; ++i) {
                study::Decision row;
                row.number = std::int64_t(first + i);
                rows.emplace_back(row);
              }
              return rows;
            }};
  }

 private:
  std::size_t left_, next_ = 0;
  std::size_t& asked_;
};

}  // namespace

TEST_CASE("rows are decoded ahead in their order, at most four batches at once", "[storage][decode_ahead]") {
  const std::size_t total = GENERATE(0, 1, 1024, 20000);
  std::size_t asked = 0;
  DecodeAhead rows(Numbered(total, asked));
  std::int64_t number = 0;
  while (const auto row = rows.next()) {
    if (number == 0) CHECK(asked <= 4);
    REQUIRE(std::get<study::Decision>(*row).number == number);
    ++number;
  }
  CHECK(number == std::int64_t(total));
  CHECK_FALSE(rows.next());
}

}  // namespace decode_ahead_test
