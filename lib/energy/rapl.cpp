// SPDX-License-Identifier: Apache-2.0
#include "energy/rapl.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "energy/claims.hpp"

namespace dlrun::energy {

namespace fs = std::filesystem;

namespace {

/// The first line of one of the kernel's files; nullopt with errno where it cannot be read.
std::optional<std::string> line_in(const fs::path& path) {
  const Descriptor file = opened(path);
  std::array<char, 64> text{};
  const ssize_t got = !file.is_open() ? -1 : ::read(file.fd(), text.data(), text.size());
  if (got < 0) return std::nullopt;
  const std::string line(text.data(), std::size_t(got));
  return line.substr(0, line.find('\n'));
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  const auto line = line_in(path);
  if (!line) return std::nullopt;
  std::uint64_t value = 0;
  const char* const end = line->data() + line->size();
  const auto [stop, fault] = std::from_chars(line->data(), end, value);
  return fault == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

class RaplCounter final : public Counter {
 public:
  RaplCounter(Source source, const fs::path& zone, Descriptor claim)
      : source_(source),
        file_(zone / "energy_uj"),
        range_(number_in(zone / "max_energy_range_uj").value_or(0)),
        claim_(std::move(claim)),
        before_(number_in(file_)) {}

  Source source() const override { return source_; }

  std::optional<double> read_joules(double seconds) override {
    const auto now = number_in(file_);
    const auto before = std::exchange(before_, now);
    if (!now || !before) return std::nullopt;
    still_ = *now == *before ? still_ + seconds : 0;
    if (still_ > kStandsStill) return std::nullopt;
    return spent_between({*before, *now, range_, 1e6, seconds});
  }

 private:
  Source source_;
  fs::path file_;
  std::uint64_t range_;
  Descriptor claim_;
  std::optional<std::uint64_t> before_;  ///< microjoules; none: could not be read
  double still_ = 0;                     ///< seconds for which it has not moved
};

std::optional<Source> source_of(const std::string& zone) {
  if (zone.starts_with("package")) return Source::cpu;
  if (zone == "dram") return Source::dram;
  return std::nullopt;
}

std::vector<fs::path> zones_in(const fs::path& folder) {
  std::vector<fs::path> zones;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    if (entry.path().filename().string().starts_with("intel-rapl:")) zones.push_back(entry.path());
  }
  std::sort(zones.begin(), zones.end());
  return zones;
}

void open_zone(const fs::path& zone, Source source, bool claims, Counters& found) {
  const fs::path file = zone / "energy_uj";
  Descriptor claim = opened(file);
  if (!claim.is_open()) {
    found.miss(errno == EACCES ? fmt::format("{} may be read by root only", file.string())
                               : fmt::format("{}: {}", file.string(), std::generic_category().message(errno)));
  } else if (!number_in(file)) {
    found.miss(fmt::format("{} holds no number", file.string()));
  } else if (claims && !lock(claim)) {
    found.miss(fmt::format("another driver on this machine counts {}", file.string()));
  } else {
    found.counters.push_back(std::make_unique<RaplCounter>(source, zone, std::move(claim)));
  }
}

}  // namespace

fs::path powercap_folder() {
  const char* folder = std::getenv("DLRUN_POWERCAP");
  return folder == nullptr ? "/sys/class/powercap" : folder;
}

Counters open_rapl(const fs::path& folder, bool claims) {
  Counters found;
  for (const fs::path& zone : zones_in(folder)) {
    const auto source = source_of(line_in(zone / "name").value_or(""));
    if (source) open_zone(zone, *source, claims, found);
  }
  if (found.counters.empty()) found.miss(fmt::format("{} shows no CPU package", folder.string()));
  return found;
}

}  // namespace dlrun::energy
