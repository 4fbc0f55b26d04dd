// SPDX-License-Identifier: Apache-2.0
#include "storage/chain.hpp"

#include <algorithm>

#include "util/error.hpp"
#include "util/files.hpp"
#include "util/json.hpp"

namespace dlrun::storage {

void Chain::set_head(std::int64_t seq, std::string_view digest) {
  if (digest.size() != head_.size()) throw Error(ErrorKind::store, "row " + std::to_string(seq) + " has no hash");
  seq_ = seq;
  std::copy(digest.begin(), digest.end(), head_.begin());
}

const Chain::Digest& Chain::add(const ChainedRow& row) {
  buffer_.assign(head_.begin(), head_.end());
  buffer_ += std::to_string(row.seq);
  buffer_ += '\n';
  buffer_ += std::to_string(row.kind);
  buffer_ += '\n';
  buffer_ += std::to_string(row.time);
  buffer_ += '\n';
  buffer_ += row.body;
  head_ = Sha256::of(buffer_);
  seq_ = row.seq;
  return head_;
}

void write_head(const std::filesystem::path& file, const Head& head, bool durable) {
  write_file(file, to_text(Json{{"seq", head.seq}, {"hash", head.hash}}) + "\n", {.durable = durable});
}

std::optional<Head> read_head(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  const Json json = Json::parse(read_file(file, 4096), nullptr, false);
  if (!json.is_object() || !json.contains("seq") || !json["seq"].is_number_integer()) return std::nullopt;
  return Head{json["seq"].get<std::int64_t>(), json.value("hash", std::string())};
}

}  // namespace dlrun::storage
