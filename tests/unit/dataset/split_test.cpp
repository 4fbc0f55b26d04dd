// SPDX-License-Identifier: Apache-2.0
// Splits: exact sizes, every class in its share, nothing but the seed decides.
#include <algorithm>
#include <cmath>
#include <set>

#include "dataset/split.hpp"
#include "support/catch.hpp"

namespace split_test {

using namespace dlrun::dataset;

namespace {

using Numbers = std::vector<std::int64_t>;

/// 60 rows of class 0, 30 of 1, 10 of 2, mixed.
Numbers uneven() {
  Numbers strata;
  for (int i = 0; i < 100; ++i) strata.push_back(i % 10 == 0 ? 2 : i % 10 < 4 ? 1 : 0);
  return strata;
}

std::int64_t count(const Numbers& rows, const Numbers& strata, std::int64_t stratum) {
  return std::count_if(rows.begin(), rows.end(), [&](std::int64_t row) { return strata[row] == stratum; });
}

}  // namespace

TEST_CASE("every row is in one split, in ascending order", "[dataset][split]") {
  const Rows rows = split_rows(uneven(), {0.7, 0.15, 0.15}, 7);
  std::set<std::int64_t> all;
  for (const Numbers* part : {&rows.train, &rows.val, &rows.test}) {
    CHECK(std::is_sorted(part->begin(), part->end()));
    all.insert(part->begin(), part->end());
  }
  CHECK(all.size() == 100);
  CHECK(rows.train.size() == 70);
  CHECK(rows.val.size() == 15);
  CHECK(rows.test.size() == 15);
}

TEST_CASE("every class has its share in every split, to a row", "[dataset][split]") {
  const Numbers strata = uneven();
  const Rows rows = split_rows(strata, {0.7, 0.15, 0.15}, GENERATE(1, 2, 3));
  for (std::int64_t k = 0; k < 3; ++k) {
    const double size =
        static_cast<double>(count(rows.train, strata, k) + count(rows.val, strata, k) + count(rows.test, strata, k));
    CHECK(std::abs(static_cast<double>(count(rows.train, strata, k)) - 0.7 * size) <= 1);
    CHECK(std::abs(static_cast<double>(count(rows.val, strata, k)) - 0.15 * size) <= 1);
    CHECK(std::abs(static_cast<double>(count(rows.test, strata, k)) - 0.15 * size) <= 1);
  }
}

TEST_CASE("each split has its own share", "[dataset][split]") {
  const Rows rows = split_rows(uneven(), {0.5, 0.2, 0.3}, 7);
  CHECK(rows.train.size() == 50);
  CHECK(rows.val.size() == 20);
  CHECK(rows.test.size() == 30);
  Numbers times(100), groups(100);
  for (std::size_t i = 0; i < 100; ++i) times[i] = groups[i] = std::int64_t(i);
  CHECK(split_times(times, {0.5, 0.2, 0.3}).val.size() == 20);
  CHECK(split_times(times, {0.5, 0.2, 0.3}).test.front() == 70);
  CHECK(split_groups(groups, {0.5, 0.2, 0.3}, 7).val.size() == 20);
  CHECK(split_groups(groups, {0.5, 0.2, 0.3}, 7).test.size() == 30);
}

TEST_CASE("folds divide the rows that are not tested, every class in its share", "[dataset][split]") {
  const Numbers strata = uneven();
  std::set<std::int64_t> validated;
  const Numbers test = fold_rows(strata, {4, 0, 0.2}, 7).test;
  for (int fold = 0; fold < 4; ++fold) {
    const Rows rows = fold_rows(strata, {4, fold, 0.2}, 7);
    std::set<std::int64_t> all;
    for (const Numbers* part : {&rows.train, &rows.val, &rows.test}) all.insert(part->begin(), part->end());
    CHECK(all.size() == 100);
    CHECK(rows.train.size() == 60);  // 100 without 20 to test, three of four parts
    CHECK(rows.val.size() == 20);
    CHECK(rows.test == test);
    CHECK(count(rows.val, strata, 0) == 12);
    CHECK(std::abs(count(rows.test, strata, 2) - 2) <= 1);
    validated.insert(rows.val.begin(), rows.val.end());
  }
  CHECK(test.size() == 20);
  CHECK(validated.size() == 80);
}

TEST_CASE("the seed decides, and nothing else", "[dataset][split]") {
  const Numbers strata = uneven();
  CHECK(split_rows(strata, {0.7, 0.15, 0.15}, 7).train == split_rows(strata, {0.7, 0.15, 0.15}, 7).train);
  CHECK(split_rows(strata, {0.7, 0.15, 0.15}, 7).train != split_rows(strata, {0.7, 0.15, 0.15}, 8).train);
}

TEST_CASE("the draw is part of the format", "[dataset][split][golden]") {
  CHECK(split_rows(Numbers(12, 0), {0.5, 0.25, 0.25}, 1).train == Numbers{1, 2, 4, 5, 6, 10});
}

TEST_CASE("shares of nothing", "[dataset][split]") {
  CHECK(split_rows(Numbers(5, 0), {1, 0, 0}, 1).train.size() == 5);
  CHECK(split_rows(Numbers(5, 0), {0.8, 0.2, 0}, 1).val.size() == 1);
  CHECK(split_rows(Numbers(1, 0), {0.7, 0.15, 0.15}, 1).train.size() == 1);
  CHECK(split_rows({}, {0.7, 0.15, 0.15}, 1).train.empty());
}

TEST_CASE("a smaller share of the same draw", "[dataset][split]") {
  const Numbers few = choose_rows(uneven(), 20, 7), more = choose_rows(uneven(), 50, 7);
  CHECK(few.size() == 20);
  CHECK(std::includes(more.begin(), more.end(), few.begin(), few.end()));
  CHECK(count(few, uneven(), 2) == 2);
  CHECK(choose_rows(uneven(), 1000, 7).size() == 100);
}

}  // namespace split_test
