// SPDX-License-Identifier: Apache-2.0
// A process of a gang that is not the first.
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "train/gang_leader.hpp"
#include "train/piece.hpp"
#include "train/torch_errors.hpp"
#include "train/trainer.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

constexpr std::chrono::milliseconds kPatience{1000}, kLastWords{5000};
constexpr std::chrono::minutes kLeave{1};  ///< for the first process to end all

class Another {
 public:
  explicit Another(gang::Place& place) : place_(place) {}

  /// Until the first process hangs up.
  void serve() {
    for (;;) {
      const gang::Packet word = gang::next_word(place_.mesh);
      if (word.kind == gang::PacketKind::order)
        take_order(Json::parse(word.text));
      else if (word.kind == gang::PacketKind::begin || word.kind == gang::PacketKind::regroup)
        training_->follow(word);
      else
        throw Error(ErrorKind::internal, "a rank was sent what belongs into an epoch");
      while (!place_.mesh.flush(kPatience)) continue;
    }
  }
  std::string named(const std::string& why) const { return fmt::format("rank {}: {}", place_.process, why); }
  void say(trial::Cause cause, const std::string& why) {
    gang::Packet packet{gang::PacketKind::fault};
    packet.text = Json{{"cause", trial::to_string(cause)}, {"message", why}}.dump();
    place_.mesh.send(0, std::move(packet));
    place_.mesh.flush(kLastWords);
  }

 private:
  void take_order(const Json& json) {
    training_.reset();
    setup_ = trial::work_setup(json.at("setup"));
    if (!trainer_) trainer_.emplace(setup_);  // threads
    const trial::PieceOrder order = trial::piece_order(json.at("order"));
    require_data(setup_, order);  // another host may have another version
    training_ = make_training(setup_, order, at::kCPU, &place_);
  }

  gang::Place& place_;
  trial::WorkSetup setup_;
  std::optional<Trainer> trainer_;
  std::unique_ptr<Training> training_;
};

}  // namespace

int follow(std::optional<int> process) {
  gang::Follower place(own_program(), process);
  Another follower(place.place());
  try {
    follower.serve();
  } catch (const gang::PeerLost& end) {
    if (end.peer != 0) std::this_thread::sleep_for(kLeave);  // or the first process would take this one for the culprit
    return end.peer == 0 ? 0 : int(ErrorKind::outside);
  } catch (const Diverged& end) {
    follower.say(trial::Cause::nan, words_of(end));
  } catch (const std::bad_alloc&) {
    follower.say(trial::Cause::oom, follower.named("out of memory"));
  } catch (const c10::Error& fault) {
    const bool is_memory = is_out_of_memory(fault);
    follower.say(is_memory ? trial::Cause::oom : trial::Cause::exception, follower.named(first_line(fault)));
  } catch (const Error& fault) {
    const bool is_outside = fault.kind() == ErrorKind::outside;
    follower.say(is_outside ? trial::Cause::machine : trial::Cause::exception, follower.named(fault.what()));
  } catch (const std::exception& fault) {
    follower.say(trial::Cause::exception, follower.named(fault.what()));
  }
  return int(ErrorKind::outside);
}

}  // namespace dlrun::train
