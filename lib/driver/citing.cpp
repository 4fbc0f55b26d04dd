// SPDX-License-Identifier: Apache-2.0
#include "driver/citing.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace dlrun::driver {

bool Citing::keeps(const study::StartPiece& piece) {
  if (numerics_) return cite(piece);
  unknown_.push_back(piece);
  return true;
}

std::vector<study::StartPiece> Citing::learn(const std::string& numerics) {
  if (numerics_) return {};
  numerics_ = numerics;
  std::vector<study::StartPiece> to_run = std::exchange(unknown_, {});
  std::erase_if(to_run, [this](const study::StartPiece& piece) { return cite(piece); });
  return to_run;
}

std::optional<study::StartPiece> Citing::give_up_one() {
  const auto is_less_tried = [](const study::StartPiece& a, const study::StartPiece& b) {
    return a.attempt < b.attempt;
  };
  const auto most = std::max_element(unknown_.begin(), unknown_.end(), is_less_tried);
  if (most == unknown_.end()) return std::nullopt;
  std::optional<study::StartPiece> piece(std::move(*most));
  unknown_.erase(most);
  return piece;
}

void Citing::forget(const executor::AttemptKey& attempt) {
  std::erase_if(unknown_, [&](const study::StartPiece& piece) {
    return piece.key == attempt.piece && piece.attempt == attempt.attempt;
  });
}

bool Citing::cite(const study::StartPiece& piece) {
  auto cited = find_(piece, *numerics_);
  if (!cited) return false;
  found_.push_back({.event = study::PieceEnded{std::move(cited->result)}, .citation = std::move(cited->citation)});
  return true;
}

Citing citing_from(const std::filesystem::path& store, const spec::StudySpec& spec, const study::Study& study) {
  const auto reuse = std::make_shared<Reuse>(spec, store);
  const bool has_numerics = !reuse->is_empty() && spec.kind == "train";
  return {[reuse, &study](const study::StartPiece& piece, const std::string& numerics) {
            return reuse->find(piece, study.trial(piece.key.member.trial).values, numerics);
          },
          has_numerics ? std::nullopt : std::optional<std::string>("")};
}

}  // namespace dlrun::driver
