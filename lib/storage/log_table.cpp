// SPDX-License-Identifier: Apache-2.0
#include "storage/log_table.hpp"

#include <algorithm>

#include "storage/clock.hpp"
#include "storage/decode_ahead.hpp"
#include "storage/spec_table.hpp"
#include "util/error.hpp"

namespace dlrun::storage {

namespace {

std::string_view bytes_of(const Chain::Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

[[noreturn]] void refuse(const Database& database, std::int64_t seq, const std::string& why) {
  throw Error(ErrorKind::store,
              "row " + std::to_string(seq) + " of the log in '" + database.path().string() + "' " + why,
              "the file was damaged or edited; restore it from a backup", database.path().string());
}

}  // namespace

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

std::vector<Coded> LogTable::next_rows(std::size_t most, Statement& rows, Chain& chain) {
  std::vector<Coded> batch;
  while (batch.size() < most && rows.step()) {
    const std::int64_t seq = rows.integer(0);
    if (seq != chain.seq() + 1) refuse(database_, chain.seq() + 1, "is missing");
    const int kind = int(rows.integer(1));
    const Chain::Digest& hash = chain.add({seq, kind, rows.integer(2), rows.text(3)});
    if (bytes_of(hash) != rows.blob(4)) refuse(database_, seq, "does not fit its hash");
    batch.push_back({static_cast<LogKind>(kind), std::string(rows.text(3))});
  }
  return batch;
}

void LogTable::replay(const std::function<void(const LogRow&)>& row) {
  require_newest_spec(database_);
  Chain chain(origin_);
  Statement rows = database_.prepare("SELECT seq, kind, time, body, hash FROM dl_log ORDER BY seq");
  DecodeAhead ahead([&](std::size_t most) { return next_rows(most, rows, chain); });
  for (std::int64_t seq = 1; const std::optional<LogRow> decoded = ahead.next(); ++seq) {
    if (const auto* event = std::get_if<study::Event>(&*decoded)) require_its_spec(*event, seq);
    row(*decoded);
  }
}

}  // namespace dlrun::storage
