// SPDX-License-Identifier: Apache-2.0
#include "cluster_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "document/reader.hpp"
#include "options/field.hpp"
#include "place_question.hpp"

namespace dlrun::cli {

using namespace placement;
using options::field;

namespace {

constexpr const char* kChanged = ", changed";
constexpr double kMicrosecond = 1e-6, kGigabyte = 1e9, kMegabyte = 1e6;

struct DeviceRow {
  std::string name;
  double speed = 1;
  std::optional<std::int64_t> memory_mb;
};

struct LinkRow {
  std::vector<std::string> between;
  std::optional<std::string> link;
  std::optional<double> latency_us, bandwidth_gb;
};

struct ClusterFile {
  std::vector<DeviceRow> devices;
  LinkRow usual;
  std::vector<LinkRow> links;
};

options::Fields<DeviceRow> device_fields() {
  return {field(options::text("name", "of the device").must(), &DeviceRow::name),
          field(options::real("speed", "a layer takes its measured seconds divided by this").from(1e-6).to(1e6),
                &DeviceRow::speed),
          field(options::integer("memory_mb", "10^6 bytes of memory").from(1).to(1e9).or_else("no limit"),
                &DeviceRow::memory_mb)};
}

/// @param usual  the link where none is named
options::Fields<LinkRow> link_fields(const std::string& usual) {
  return {field(options::choice("link", "a known link", link_names()).or_else(usual), &LinkRow::link),
          field(options::real("latency_us", "microseconds from a tensor's start to its first byte")
                    .from(0)
                    .to(1e9)
                    .or_else("that of the link"),
                &LinkRow::latency_us),
          field(options::real("bandwidth_gb", "10^9 bytes a second").from(1e-9).to(1e9).or_else("that of the link"),
                &LinkRow::bandwidth_gb)};
}

options::Fields<LinkRow> pair_fields() {
  return options::joined<options::Field<LinkRow>>(
      {{field(options::list("between", "names of two devices", options::text("", "a device")).must(),
              &LinkRow::between)},
       link_fields("that of the file")});
}

options::Fields<ClusterFile> cluster_fields() {
  const auto table_of = [](auto fields) { return options::table("", "", options::keys_of(fields)); };
  return options::joined<options::Field<ClusterFile>>(
      {{options::rows(options::list("devices", "that compute", table_of(device_fields())).must(), &ClusterFile::devices,
                      device_fields())},
       options::all_within<ClusterFile>(
           link_fields(kUsualLink), [](auto& file) -> auto& { return file.usual; }),
       {options::rows(options::list("links", "of pairs that have another", table_of(pair_fields())),
                      &ClusterFile::links, pair_fields())}});
}

/// @param usual  the link where none is named
Link link_of(const LinkRow& row, const Link& usual) {
  Link link = row.link ? link_named(*row.link) : usual;
  if (row.latency_us) link.latency = *row.latency_us * kMicrosecond;
  if (row.bandwidth_gb) link.bandwidth = *row.bandwidth_gb * kGigabyte;
  if ((row.latency_us || row.bandwidth_gb) && !link.name.ends_with(kChanged)) link.name += kChanged;
  return link;
}

/// Checks what one key does not show, and makes the cluster.
class ClusterMaker {
 public:
  ClusterMaker(const ClusterFile& file, document::Faults& faults) : file_(file), faults_(faults) {}

  Cluster make() {
    cluster_.set_link(link_of(file_.usual, link_named(kUsualLink)));
    add_devices();
    for (std::size_t i = 0; i < file_.links.size(); ++i) add_link(file_.links[i], fmt::format("links.{}", i));
    return std::move(cluster_);
  }

 private:
  void add_devices() {
    for (std::size_t i = 0; i < file_.devices.size(); ++i) {
      const DeviceRow& row = file_.devices[i];
      if (number_of(row.name) >= 0)
        faults_.at(fmt::format("devices.{}.name", i), fmt::format("there are two devices '{}'", row.name));
      cluster_.devices.push_back({row.name, row.speed, std::int64_t(double(row.memory_mb.value_or(0)) * kMegabyte)});
    }
    if (file_.devices.empty() || file_.devices.size() > kMostDevices)
      faults_.at("devices", fmt::format("a cluster has 1 to {} devices, not {}", kMostDevices, file_.devices.size()));
  }

  void add_link(const LinkRow& row, const std::string& place) {
    const std::string usual = file_.usual.link.value_or(kUsualLink);
    const Link link = link_of(row, cluster_.link);
    if (!row.link && !row.latency_us && !row.bandwidth_gb)
      return faults_.at(place, "it changes nothing: these two have the usual link",
                        "it needs link, latency_us or bandwidth_gb");
    if (cluster_.link.broadcasts || link.broadcasts)
      return faults_.at(place, "a link that serves all devices at once cannot stand beside others",
                        fmt::format("'{}' is such a link", link.broadcasts ? row.link.value_or(usual) : usual));
    add_pair(row.between, link, place + ".between");
  }

  void add_pair(const std::vector<std::string>& names, const Link& link, const std::string& at) {
    if (names.size() != 2) return faults_.at(at, "a link is between two devices");
    const int a = known(names[0], at), b = known(names[1], at);
    if (a < 0 || b < 0) return;
    if (a == b) return faults_.at(at, fmt::format("'{}' stands twice", names[0]));
    if (!cluster_.pairs.emplace(std::minmax(a, b), link).second)
      faults_.at(at, fmt::format("'{}' and '{}' have a link already", names[0], names[1]));
  }

  int number_of(const std::string& name) const {
    const auto found = std::find_if(cluster_.devices.begin(), cluster_.devices.end(),
                                    [&](const Device& device) { return device.name == name; });
    return found == cluster_.devices.end() ? -1 : int(found - cluster_.devices.begin());
  }

  int known(const std::string& name, const std::string& at) {
    const int number = number_of(name);
    std::vector<std::string> names;
    for (const Device& device : cluster_.devices) names.push_back(device.name);
    if (number < 0) faults_.at(at, fmt::format("there is no device '{}'", name), document::suggest(name, names));
    return number;
  }

  const ClusterFile& file_;
  document::Faults& faults_;
  Cluster cluster_;
};

}  // namespace

Cluster read_cluster(const std::string& file) {
  document::Faults faults;
  const document::Node root = document::load_file(file, faults);
  const Json json = document::read_table(root, options::keys_of(cluster_fields()), "", "the cluster", faults);
  document::require_sound(faults.list);
  ClusterFile rows;
  options::read_fields(json, cluster_fields(), "", rows);
  Cluster cluster = ClusterMaker(rows, faults).make();
  document::require_sound(faults.list);
  return cluster;
}

}  // namespace dlrun::cli
