// SPDX-License-Identifier: Apache-2.0
#include "gang/rollcall.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include <fmt/format.h>

#include "util/error.hpp"
#include "util/network.hpp"
#include "util/ports.hpp"

namespace dlrun::gang {

namespace {

using protocol::Side;
using protocol::TlsContext;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kConnect{10}, kAnswer{60};
constexpr std::chrono::minutes kGathering{5};  ///< for all hosts to start their processes
constexpr std::chrono::milliseconds kGlance{100};
constexpr const char* kWelcome = "welcome";

std::shared_ptr<const TlsContext> context_of(Side side, const Meeting& meeting) {
  return std::make_shared<const TlsContext>(side, protocol::read_secret(meeting.key));
}

std::string own_host() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// A process of a gang on its way to the others.
class Caller {
 public:
  Caller(const Meeting& meeting, int self)
      : meeting_(meeting), self_(self), context_(context_of(Side::worker, meeting)), door_(open_door(meeting)) {
    links_.resize(std::size_t(meeting.processes()));
  }

  std::vector<Link> links() && {
    const Json doors = meet_first();
    for (int other = 1; other < self_; ++other) {
      if (is_far(other)) call(other, doors.at(std::size_t(other)));
    }
    await_later();
    return std::move(links_);
  }

 private:
  bool is_far(int other) const { return meeting_.host(other) != meeting_.host(self_); }

  Json meet_first() {
    SecureLines lines = greet({meeting_.address, meeting_.port});
    Json doors = parse_json(lines.await(kGathering), "doors");
    if (is_far(0)) links_[0] = std::move(lines).leave(meeting_.is_encrypted);
    return doors;
  }

  /// Doors of the first process's host are where that process was found.
  void call(int other, const Json& door) {
    const std::string address = meeting_.host(other) == 0 ? meeting_.address : door.at(0).get<std::string>();
    SecureLines lines = greet({address, door.at(1).get<int>()});
    if (lines.await(kAnswer) != kWelcome) throw Error(ErrorKind::internal, "a rank answered with something else");
    links_[std::size_t(other)] = std::move(lines).leave(meeting_.is_encrypted);
  }

  SecureLines greet(const HostPort& place) const {
    try {
      SecureLines lines(connect_within(resolve(place).front(), kConnect), context_);
      lines.say(text_of(Greeting{meeting_.token, self_, door_.port(), own_host()}));
      return lines;
    } catch (const Error& fault) {
      throw Error(ErrorKind::outside, fmt::format("cannot reach a rank at {}: {}", to_text(place), fault.what()));
    }
  }

  void await_later() {
    int missing = 0;
    for (int other = self_ + 1; other < meeting_.processes(); ++other) missing += is_far(other) ? 1 : 0;
    const auto until = Clock::now() + kGathering;
    while (missing > 0) {
      if (Clock::now() >= until) throw Error(ErrorKind::outside, fmt::format("{} ranks did not call", missing));
      auto visitor = door_.next(kGlance);
      if (!visitor || !is_awaited(visitor->process)) continue;
      visitor->lines.say(kWelcome);
      links_[std::size_t(visitor->process)] = std::move(visitor->lines).leave(meeting_.is_encrypted);
      --missing;
    }
  }
  bool is_awaited(int other) const {
    return other > self_ && other < meeting_.processes() && is_far(other) && !links_[std::size_t(other)].is_open();
  }

  const Meeting& meeting_;
  int self_;
  std::shared_ptr<const TlsContext> context_;
  Door door_;
  std::vector<Link> links_;
};

using Visitors = std::vector<std::optional<Visitor>>;

Json doors_of(const Visitors& visitors) {
  Json doors = Json::array({Json::array({"", 0})});
  for (std::size_t i = 1; i < visitors.size(); ++i) doors.push_back({visitors[i]->address, visitors[i]->port});
  return doors;
}

}  // namespace

Door open_door(const Meeting& meeting) { return {context_of(Side::driver, meeting), meeting.token}; }

Gathered call_roll(Door& door, const Meeting& meeting, const std::function<void(int missing)>& watch) {
  Visitors visitors(std::size_t(meeting.processes()));
  const auto until = Clock::now() + kGathering;
  for (int missing = meeting.processes() - 1; missing > 0;) {
    watch(missing);
    if (Clock::now() >= until)
      throw NotGathered(fmt::format("{} of {} processes of a gang did not come within {} minutes", missing,
                                    meeting.processes(), kGathering.count()));
    auto visitor = door.next(kGlance);
    if (!visitor || visitor->process < 1 || visitor->process >= meeting.processes()) continue;
    auto& place = visitors[std::size_t(visitor->process)];
    if (place) continue;
    place.emplace(std::move(*visitor));
    --missing;
  }
  const std::string doors = doors_of(visitors).dump();
  Gathered all{std::vector<Link>(visitors.size()), std::vector<std::string>(visitors.size())};
  for (std::size_t i = 1; i < visitors.size(); ++i) {
    visitors[i]->lines.say(doors);
    all.names[i] = visitors[i]->host;
    if (meeting.host(int(i)) != 0) all.links[i] = std::move(visitors[i]->lines).leave(meeting.is_encrypted);
  }
  return all;
}

std::vector<Link> answer_roll(const Meeting& meeting, int process) { return Caller(meeting, process).links(); }

}  // namespace dlrun::gang
