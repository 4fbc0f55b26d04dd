// SPDX-License-Identifier: Apache-2.0
#include "driver/stages.hpp"

#include <algorithm>
#include <utility>

namespace dlrun::driver {

namespace {

constexpr std::size_t kMostValues = 16;  ///< values of a domain that a trial is compared with

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    if (std::filesystem::exists(entry.path() / "stage.json")) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The values of a domain, or some of it that stand for the rest.
std::vector<space::Value> others_of(const space::Space& space, std::size_t parameter) {
  if (const auto all = space.enumerate(parameter, kMostValues)) return *all;
  return {space.from_unit(parameter, 0), space.from_unit(parameter, 0.5), space.from_unit(parameter, 0.999)};
}

/// A trial, and those that differ from it in one value.
std::vector<space::Values> around(const space::Space& space, const space::Values& values, std::size_t parameter) {
  std::vector<space::Values> out{values};
  for (const space::Value& value : others_of(space, parameter)) {
    space::Values other = values;
    other[parameter] = value;
    if (other != values && space.contains(other)) out.push_back(std::move(other));
  }
  return out;
}

}  // namespace

Stages::Stages(const spec::StudySpec& spec, std::filesystem::path folder, ValuesOf values_of)
    : spec_(spec), folder_(std::move(folder)), values_of_(std::move(values_of)), is_on_(spec::shares_stages(spec)) {
  if (!is_on_) return;
  trials_ = spec::planned_trials(spec);
  left_ = names_in(folder_);
}

const spec::Prefix& Stages::prefix(const trial::Member& member) {
  const auto known = prefixes_.find(member);
  if (known != prefixes_.end()) return known->second;
  const auto values = values_of_(member.trial);
  return prefixes_[member] = values ? spec::prefix_of(spec_, *values, member) : spec::Prefix{};
}

const std::vector<spec::Prefix>& Stages::planned(const trial::Member& member) {
  const auto [place, is_new] = planned_.try_emplace({member.replicate, member.fold});
  if (!is_new) return place->second;
  return place->second = spec::prefixes_of(spec_, trials_, member);
}

/// Epochs after which others do something else than this member, ascending.
std::vector<std::int64_t> Stages::branches(const trial::Member& member) {
  std::vector<std::int64_t> epochs = trials_.empty() ? possible_branches(member) : planned_branches(member);
  std::sort(epochs.begin(), epochs.end());
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  return epochs;
}

/// Epochs after which planned trials branch off from the member. Its own plan is among the planned ones and shares
/// every epoch; that counts only if there is another one like it.
std::vector<std::int64_t> Stages::planned_branches(const trial::Member& member) {
  const spec::Prefix& own = prefix(member);
  std::vector<std::int64_t> epochs;
  std::int64_t alike = 0;
  for (const spec::Prefix& other : planned(member)) {
    const std::int64_t shared = spec::shared_epochs(own, other);
    if (other == own && ++alike < 2) continue;
    if (shared > 0) epochs.push_back(shared);
  }
  return epochs;
}

/// Epochs after which a trial with one other value branches off. None if a value that matters from the first epoch on
/// is one of infinitely many, because that value never comes again.
std::vector<std::int64_t> Stages::possible_branches(const trial::Member& member) {
  const spec::Prefix& own = prefix(member);
  const auto values = values_of_(member.trial);
  if (own.empty() || !values) return {};
  std::vector<std::int64_t> epochs;
  for (std::size_t i = 0; i < spec_.space.size(); ++i) {
    if (!spec_.space.is_active(i, *values)) continue;
    std::int64_t least = std::int64_t(own.size());
    for (const spec::Prefix& other : spec::prefixes_of(spec_, around(spec_.space, *values, i), member)) {
      if (other == own) continue;
      const std::int64_t shared = spec::shared_epochs(own, other);
      least = std::min(least, shared);
      if (shared > 0) epochs.push_back(shared);
    }
    if (least == 0 && !spec_.space.count(i)) return {};
  }
  return epochs;
}

/// The furthest stage inside the piece that is there; if there is none, where the piece begins by itself.
std::int64_t Stages::begin_of(const study::StartPiece& piece) {
  const spec::Prefix& own = prefix(piece.key.member);
  for (std::int64_t epoch = std::min(piece.to_step, std::int64_t(own.size())); epoch > piece.from_step; --epoch) {
    if (std::find(left_.begin(), left_.end(), own[std::size_t(epoch - 1)]) != left_.end()) return epoch;
  }
  return piece.from_step;
}

std::vector<std::int64_t> Stages::leaves_of(const study::StartPiece& piece, std::int64_t begin) {
  std::vector<std::int64_t> leaves;
  for (const std::int64_t branch : branches(piece.key.member)) {
    const std::int64_t epoch = std::min(branch, piece.to_step);
    if (epoch > begin && (leaves.empty() || leaves.back() != epoch)) leaves.push_back(epoch);
  }
  return leaves;
}

bool Stages::waits(const study::StartPiece& piece) {
  if (!is_on_ || running_.empty()) return false;
  const spec::Prefix& own = prefix(piece.key.member);
  if (own.empty()) return false;
  const std::int64_t begin = begin_of(piece);
  return std::any_of(running_.begin(), running_.end(), [&](const auto& item) {
    const Running& running = item.second;
    if (running.at < begin) return false;
    const std::int64_t least = std::max(running.at, begin) + 1;
    const std::int64_t most = std::min(piece.to_step, spec::shared_epochs(own, prefix(item.first)));
    return std::any_of(running.leaves.begin(), running.leaves.end(),
                       [&](std::int64_t epoch) { return epoch >= least && epoch <= most; });
  });
}

void Stages::start(const study::StartPiece& piece) {
  if (!is_on_ || prefix(piece.key.member).empty()) return;
  const std::int64_t begin = begin_of(piece);
  Running running{piece.key.piece, piece.attempt, begin, piece.to_step};
  if (begin > piece.from_step) running.begin = place(piece.key.member, begin);
  running.leaves = leaves_of(piece, begin);
  running_[piece.key.member] = std::move(running);
}

void Stages::equip(trial::PieceOrder& order) const {
  const auto found = running_.find(order.key.member);
  const bool is_known = found != running_.end() && found->second.piece == order.key.piece && order.task == "train";
  if (!is_known || found->second.attempt != order.attempt) return;
  order.shared = found->second.begin;
  for (const std::int64_t epoch : found->second.leaves) order.leaves.push_back(place(order.key.member, epoch));
}

trial::StagePlace Stages::place(const trial::Member& member, std::int64_t epoch) const {
  return {epoch, (folder_ / prefixes_.at(member)[std::size_t(epoch - 1)]).string()};
}

void Stages::reach(const trial::PieceKey& key, int attempt, std::int64_t epoch) {
  const auto found = running_.find(key.member);
  if (found == running_.end() || found->second.piece != key.piece || found->second.attempt != attempt) return;
  Running& running = found->second;
  for (const std::int64_t leaf : running.leaves) {
    if (leaf > running.at && leaf <= epoch) note_left(prefix(key.member)[std::size_t(leaf - 1)]);
  }
  running.at = std::max(running.at, epoch);
}

void Stages::end(const trial::PieceKey& key, int attempt, bool is_done) {
  const auto found = running_.find(key.member);
  if (found == running_.end() || found->second.piece != key.piece || found->second.attempt != attempt) return;
  reach(key, attempt, found->second.to);  // not every epoch may have been reported
  const std::int64_t to = found->second.to;
  running_.erase(found);
  if (is_done) pass(key.member, to);
}

void Stages::note_left(const std::string& hash) {
  const bool is_there = std::filesystem::exists(folder_ / hash / "stage.json");
  if (!is_there || std::find(left_.begin(), left_.end(), hash) != left_.end()) return;
  left_.push_back(hash);
  if (trials_.empty() && left_.size() > kMostKept) remove(std::string(left_.front()));
}

/// Deletes stages that all planned trials have passed. If trials are not planned, note_left() keeps the newest instead.
void Stages::pass(const trial::Member& member, std::int64_t epochs) {
  if (!is_on_ || trials_.empty() || left_.empty()) return;
  const spec::Prefix& own = prefix(member);
  for (const std::string& hash : std::vector<std::string>(left_)) {
    const auto place = std::find(own.begin(), own.end(), hash);
    if (place == own.end() || place - own.begin() >= epochs) continue;
    passed_[hash].insert(member);
    const auto others = std::count_if(planned(member).begin(), planned(member).end(), [&](const spec::Prefix& other) {
      return std::find(other.begin(), other.end(), hash) != other.end();
    });
    if (std::ssize(passed_[hash]) >= others) remove(hash);
  }
}

void Stages::pass(trial::TrialId trial, const trial::Members& members) {
  for (int m = 0; is_on_ && m < members.count(); ++m) pass(members.at(trial, m), spec_.rules.epochs);
}

void Stages::remove(const std::string& hash) {
  std::error_code none;  // a folder that stays costs only disk, and goes with the study
  std::filesystem::remove_all(folder_ / hash, none);
  std::erase(left_, hash);
}

void Stages::remove_all() {
  std::error_code none;
  std::filesystem::remove_all(folder_, none);
  left_.clear();
}

}  // namespace dlrun::driver
