// SPDX-License-Identifier: Apache-2.0
// Which decided pieces are kept back, and which of them are cited.
#include "driver/citing.hpp"

#include "support/catch.hpp"
#include "support/sample_study.hpp"

namespace citing_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

study::StartPiece piece(std::int64_t trial, int attempt = 1) { return {support::piece_of(trial), attempt, 0, 1, ""}; }

/// Trials of even numbers were measured before, in the numerics "here".
std::optional<Cited> find(const study::StartPiece& piece, const std::string& numerics) {
  const std::int64_t trial = piece.key.member.trial.value;
  if (trial % 2 != 0 || numerics != "here") return std::nullopt;
  return Cited{support::result_of(trial, 0.5), {"earlier", support::piece_of(trial), {}}};
}

std::vector<std::int64_t> trials(const std::vector<study::StartPiece>& pieces) {
  std::vector<std::int64_t> out;
  for (const study::StartPiece& piece : pieces) out.push_back(piece.key.member.trial.value);
  return out;
}

}  // namespace

TEST_CASE("where the numerics are known, a piece is cited or runs at once", "[driver][citing]") {
  Citing citing(find, "here");
  CHECK(citing.keeps(piece(0)));
  CHECK_FALSE(citing.keeps(piece(1)));
  CHECK(citing.waiting() == 0);
  REQUIRE(citing.has_found());
  const Inbox found = citing.take_found();
  REQUIRE(found.size() == 1);
  CHECK(std::get<study::PieceEnded>(found[0].event).result.key == support::piece_of(0));
  CHECK(found[0].citation->study == "earlier");
  CHECK(found[0].worker == -1);
  CHECK_FALSE(citing.has_found());
}

TEST_CASE("pieces wait until a worker has named the numerics", "[driver][citing]") {
  Citing citing(find, std::nullopt);
  for (const std::int64_t trial : {0, 1, 2, 3, 4}) CHECK(citing.keeps(piece(trial)));
  CHECK(citing.numerics().empty());
  CHECK(citing.waiting() == 5);
  citing.forget({support::piece_of(2), 1});
  citing.forget({support::piece_of(3), 2});  // another attempt than the one that waits
  CHECK(trials(citing.learn("here")) == std::vector<std::int64_t>{1, 3});
  CHECK(citing.take_found().size() == 2);
  CHECK(citing.waiting() == 0);
  SECTION("and what later workers compute in changes nothing") {
    CHECK(citing.learn("there").empty());
    CHECK(citing.numerics() == "here");
    CHECK(citing.keeps(piece(6)));
  }
}

TEST_CASE("a worker that cannot compute is given the piece that failed most often", "[driver][citing]") {
  Citing citing(find, std::nullopt);
  for (const auto& [trial, attempt] : {std::pair(0, 1), {1, 2}, {2, 2}}) CHECK(citing.keeps(piece(trial, attempt)));
  CHECK(citing.give_up_one()->key == support::piece_of(1));
  CHECK(citing.give_up_one()->key == support::piece_of(2));
  CHECK(citing.give_up_one()->key == support::piece_of(0));
  CHECK_FALSE(citing.give_up_one());
  CHECK_FALSE(Citing(find, "here").give_up_one());
}

TEST_CASE("results of other numerics are not cited", "[driver][citing]") {
  Citing citing(find, std::nullopt);
  CHECK(citing.keeps(piece(0)));
  CHECK(trials(citing.learn("there")) == std::vector<std::int64_t>{0});
  CHECK_FALSE(citing.has_found());
}

}  // namespace citing_test
