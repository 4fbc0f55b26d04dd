// SPDX-License-Identifier: Apache-2.0
#include "storage/log_table.hpp"

#include "storage/clock.hpp"
#include "storage/decode_ahead.hpp"
#include "storage/spec_table.hpp"
#include "storage/stored_batches.hpp"

namespace dlrun::storage {

std::string chain_origin(Database& database) {
  return database.text(
      "SELECT 'dlrun log 1' || char(10) || coalesce(json_extract(v.spec, '$.study'), s.name) || char(10) || v.hash || "
      "char(10) || s.seed || char(10) || "
      "v.slack || char(10) || s.created || char(10) || v.spec || char(10) || v.spec_text FROM dl_study s, dl_spec v "
      "WHERE v.version = 0");
}

LogTable::LogTable(Database& database)
    : database_(database),
      origin_(chain_origin(database)),
      chain_(origin_),
      insert_(database.prepare("INSERT INTO dl_log (seq, kind, time, body, hash) VALUES (?, ?, ?, ?, ?)")) {
  reload();
}

void LogTable::append(const Coded& row) {
  const std::int64_t seq = chain_.seq() + 1;
  const std::int64_t time = now_ms();
  const Chain::Digest& hash = chain_.add({seq, int(row.kind), time, row.body});
  insert_.run(seq, int(row.kind), time, row.body, Blob{bytes_of(hash)});
}

void LogTable::reload() {
  chain_ = Chain(origin_);
  Statement last = database_.prepare("SELECT seq, hash FROM dl_log ORDER BY seq DESC LIMIT 1");
  if (last.step()) chain_.set_head(last.integer(0), last.blob(1));
}

Head LogTable::head() const { return {chain_.seq(), Sha256::to_hex(chain_.head())}; }

std::optional<bool> LogTable::holds(const Head& head) {
  if (head.seq > chain_.seq()) return std::nullopt;
  if (head.seq == 0) return true;
  Statement row = database_.prepare("SELECT lower(hex(hash)) FROM dl_log WHERE seq = ?");
  return row.bind(head.seq).step() && row.text(0) == head.hash;
}

void LogTable::require_its_spec(const study::Event& event, std::int64_t seq) {
  if (const auto* amended = std::get_if<study::Amended>(&event)) require_spec(database_, *amended, seq);
}

void LogTable::replay(const std::function<void(const LogRow&)>& row) {
  require_newest_spec(database_);
  StoredBatches batches(database_, Chain(origin_));
  DecodeAhead ahead(std::ref(batches));
  for (std::int64_t seq = 1; const std::optional<LogRow> decoded = ahead.next(); ++seq) {
    if (const auto* event = std::get_if<study::Event>(&*decoded)) require_its_spec(*event, seq);
    row(*decoded);
  }
}

}  // namespace dlrun::storage
