// SPDX-License-Identifier: Apache-2.0
#include "energy/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "energy/claims.hpp"

namespace dlrun::energy {

namespace {

using Device = void*;

constexpr int kSuccess = 0;           // NVML_SUCCESS
constexpr double kLongestGap = 5;     // seconds over which a power may be taken for linear
constexpr unsigned kTextLength = 96;  // NVML_DEVICE_UUID_V2_BUFFER_SIZE, and NVML_DEVICE_NAME_V2_BUFFER_SIZE

/// nvmlMemory_t, in bytes.
struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};

/// The library, initialised, and its functions by their names in nvml.h.
class Nvml {
 public:
  explicit Nvml(const std::string& library) : handle_(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) {
      fault_ = fmt::format("{} cannot be opened", library);
      return;
    }
    find("nvmlDeviceGetCount_v2", count);
    find("nvmlDeviceGetHandleByIndex_v2", by_index);
    find("nvmlDeviceGetUUID", uuid);
    find("nvmlDeviceGetName", name);
    find("nvmlDeviceGetTotalEnergyConsumption", energy);
    find("nvmlDeviceGetPowerUsage", power);
    find("nvmlDeviceGetMemoryInfo", memory);
    int (*begin)() = nullptr;
    find("nvmlInit_v2", begin);
    if (fault_.empty() && begin() != kSuccess) fault_ = fmt::format("{} finds no driver that it fits", library);
    is_begun_ = fault_.empty();
  }
  ~Nvml() {
    int (*end)() = nullptr;
    if (is_begun_) find("nvmlShutdown", end);
    if (end != nullptr) end();
    if (handle_ != nullptr) ::dlclose(handle_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  const std::string& fault() const { return fault_; }  ///< empty: it can be asked

  int (*count)(unsigned*) = nullptr;
  int (*by_index)(unsigned, Device*) = nullptr;
  int (*uuid)(Device, char*, unsigned) = nullptr;
  int (*name)(Device, char*, unsigned) = nullptr;
  int (*energy)(Device, unsigned long long*) = nullptr;  // millijoules
  int (*power)(Device, unsigned*) = nullptr;             // milliwatts
  int (*memory)(Device, Memory*) = nullptr;

 private:
  template <class Function>
  void find(const char* symbol, Function*& function) {
    function = reinterpret_cast<Function*>(::dlsym(handle_, symbol));
    if (function == nullptr && fault_.empty()) fault_ = fmt::format("it has no {}", symbol);
  }

  void* handle_;
  std::string fault_;
  bool is_begun_ = false;
};

struct Card {
  Device device = nullptr;
  std::string uuid, name;
};

class GpuCounter : public Counter {
 public:
  GpuCounter(std::shared_ptr<Nvml> nvml, Device card, std::string gpu, Descriptor claim)
      : nvml_(std::move(nvml)), card_(card), gpu_(std::move(gpu)), claim_(std::move(claim)) {}
  Source source() const override { return Source::gpu; }
  std::string device() const override { return gpu_; }

 protected:
  std::shared_ptr<Nvml> nvml_;
  Device card_;

 private:
  std::string gpu_;
  Descriptor claim_;
};

std::optional<std::uint64_t> energy_of(const Nvml& nvml, Device card) {
  unsigned long long millijoules = 0;
  return nvml.energy(card, &millijoules) == kSuccess ? std::optional<std::uint64_t>(millijoules) : std::nullopt;
}

/// Watts.
std::optional<double> power_of(const Nvml& nvml, Device card) {
  unsigned milliwatts = 0;
  if (nvml.power(card, &milliwatts) != kSuccess || milliwatts > kMostWatts * 1e3) return std::nullopt;
  return milliwatts / 1e3;
}

/// Energy counter of the card itself.
class EnergyCounter final : public GpuCounter {
 public:
  EnergyCounter(std::shared_ptr<Nvml> nvml, Device card, std::string gpu, Descriptor claim)
      : GpuCounter(std::move(nvml), card, std::move(gpu), std::move(claim)), before_(energy_of(*nvml_, card_)) {}

  std::optional<double> read_joules(double seconds) override {
    const auto now = energy_of(*nvml_, card_);
    const auto before = std::exchange(before_, now);
    if (!now || !before) return std::nullopt;
    still_ = *now == *before ? still_ + seconds : 0;
    if (still_ > kStandsStill) return std::nullopt;
    return spent_between({*before, *now, 0, 1e3, seconds});
  }

 private:
  std::optional<std::uint64_t> before_;
  double still_ = 0;  ///< seconds for which it has not moved
};

/// The area below its power.
class PowerCounter final : public GpuCounter {
 public:
  PowerCounter(std::shared_ptr<Nvml> nvml, Device card, std::string gpu, Descriptor claim)
      : GpuCounter(std::move(nvml), card, std::move(gpu), std::move(claim)), before_(power_of(*nvml_, card_)) {}

  std::optional<double> read_joules(double seconds) override {
    const auto now = power_of(*nvml_, card_);
    const auto before = std::exchange(before_, now);
    if (!now || !before || seconds > kLongestGap) return std::nullopt;
    return (*before + *now) / 2 * seconds;
  }

 private:
  std::optional<double> before_;
};

std::vector<Card> cards_of(const Nvml& nvml) {
  unsigned count = 0;
  std::vector<Card> cards;
  if (nvml.count(&count) != kSuccess) return cards;
  for (unsigned i = 0; i < count; ++i) {
    Card card;
    std::array<char, kTextLength> uuid{}, name{};
    const bool is_there = nvml.by_index(i, &card.device) == kSuccess &&
                          nvml.uuid(card.device, uuid.data(), kTextLength) == kSuccess &&
                          nvml.name(card.device, name.data(), kTextLength) == kSuccess;
    if (!is_there) card.device = nullptr;  // an unreadable card keeps its number
    card.uuid = uuid.data();
    card.name = name.data();
    cards.push_back(std::move(card));
  }
  return cards;
}

bool are_in_order(const std::vector<Card>& cards) {
  const char* order = std::getenv("CUDA_DEVICE_ORDER");
  if (order != nullptr && std::string(order) == "PCI_BUS_ID") return true;
  return std::all_of(cards.begin(), cards.end(), [&](const Card& card) { return card.name == cards.front().name; });
}

std::optional<std::size_t> number_of(const std::string& gpu) {
  std::size_t number = 0;
  const auto [stop, fault] = std::from_chars(gpu.data(), gpu.data() + gpu.size(), number);
  return fault == std::errc() && stop == gpu.data() + gpu.size() ? std::optional(number) : std::nullopt;
}

/// The card of a name; nullptr, with the reason told.
const Card* find_card(const std::vector<Card>& cards, const std::string& gpu, Counters& found) {
  const auto begins = [&](const Card& card) { return card.device != nullptr && card.uuid.starts_with(gpu); };
  const Card* card = nullptr;
  if (const auto number = number_of(gpu)) {
    if (*number < cards.size()) card = &cards[*number];
    if (card != nullptr && !are_in_order(cards)) {
      found.miss("cards of several kinds: name them by UUID, or set CUDA_DEVICE_ORDER=PCI_BUS_ID");
      return nullptr;
    }
  } else if (gpu.starts_with("MIG-")) {
    found.miss("a part of a card (MIG) is not counted by itself");
    return nullptr;
  } else if (std::count_if(cards.begin(), cards.end(), begins) == 1) {
    card = &*std::find_if(cards.begin(), cards.end(), begins);
  }
  if (card != nullptr && card->device != nullptr) return card;
  found.miss(fmt::format("NVML knows no GPU '{}'", gpu));
  return nullptr;
}

std::filesystem::path claim_file(const Card& card) {
  const char* folder = std::getenv("TMPDIR");
  return std::filesystem::path(folder == nullptr ? "/tmp" : folder) / ("dlrun-energy-" + card.uuid + ".lock");
}

/// Opens the file that claims a card. Another user's file may be opened, but not made; so all may read it, whatever the
/// umask of the user who makes it.
Descriptor open_claim(const Card& card) {
  Descriptor there = opened(claim_file(card));
  if (there.is_open()) return there;
  Descriptor made = opened(claim_file(card), O_RDONLY | O_CREAT);
  if (made.is_open()) ::fchmod(made.fd(), 0644);
  return made;
}

/// A file that nobody but its owner may open keeps all other users' drivers from counting.
bool is_closed(const std::filesystem::path& claim) {
  std::error_code none;
  return std::filesystem::exists(claim, none) && !opened(claim).is_open();
}

void open_card(const std::shared_ptr<Nvml>& nvml, const Card& card, const std::string& gpu, bool claims,
               Counters& found) {
  Descriptor claim = claims ? open_claim(card) : Descriptor();
  if (is_closed(claim_file(card))) {
    found.miss(fmt::format("the lock {} of GPU '{}' cannot be opened: its owner can remove it, or make it readable",
                           claim_file(card).string(), gpu));
  } else if (claims && !lock(claim)) {
    found.miss(fmt::format("another driver on this machine counts GPU '{}' ({})", gpu, claim_file(card).string()));
  } else if (energy_of(*nvml, card.device)) {
    found.counters.push_back(std::make_unique<EnergyCounter>(nvml, card.device, gpu, std::move(claim)));
  } else if (power_of(*nvml, card.device)) {
    found.counters.push_back(std::make_unique<PowerCounter>(nvml, card.device, gpu, std::move(claim)));
  } else {
    found.miss(fmt::format("GPU '{}' tells neither energy nor power", gpu));
  }
}

std::optional<double> free_part(const Nvml& nvml, Device card) {
  Memory memory;
  if (nvml.memory(card, &memory) != kSuccess || memory.total == 0) return std::nullopt;
  return double(memory.free) / double(memory.total);
}

}  // namespace

std::string nvml_library() {
  const char* library = std::getenv("DLRUN_NVML");
  return library == nullptr ? "libnvidia-ml.so.1" : library;
}

Counters open_nvml(const std::string& library, const std::vector<std::string>& gpus, bool claims) {
  Counters found;
  const auto nvml = std::make_shared<Nvml>(library);
  if (!nvml->fault().empty()) {
    found.miss(nvml->fault());
    return found;
  }
  const std::vector<Card> cards = cards_of(*nvml);
  for (const std::string& gpu : gpus) {
    if (const Card* card = find_card(cards, gpu, found)) open_card(nvml, *card, gpu, claims, found);
  }
  return found;
}

std::optional<double> free_gpu_memory(const std::string& library, const std::vector<std::string>& gpus) {
  const Nvml nvml(library);
  if (!nvml.fault().empty()) return std::nullopt;
  const std::vector<Card> cards = cards_of(nvml);
  std::optional<double> least;
  Counters reasons;
  for (const std::string& gpu : gpus) {
    const Card* card = find_card(cards, gpu, reasons);
    const auto part = card == nullptr ? std::nullopt : free_part(nvml, card->device);
    if (!part) return std::nullopt;
    least = std::min(least.value_or(1), *part);
  }
  return least;
}

}  // namespace dlrun::energy
