// SPDX-License-Identifier: Apache-2.0
#include "storage/stored_batches.hpp"

#include <utility>
#include <vector>

#include "util/error.hpp"

namespace dlrun::storage {

namespace {

[[noreturn]] void refuse(const std::string& file, std::int64_t seq, const std::string& why) {
  throw Error(ErrorKind::store, "row " + std::to_string(seq) + " of the log in '" + file + "' " + why,
              "the file was damaged or edited; restore it from a backup", file);
}

/// A row as the file has it.
struct StoredRow {
  std::int64_t seq = 0;
  int kind = 0;
  std::int64_t time = 0;
  std::string body;
  std::string hash;
};

std::vector<StoredRow> next_rows(std::size_t most, Statement& rows) {
  std::vector<StoredRow> next;
  while (next.size() < most && rows.step()) {
    next.push_back(
        {rows.integer(0), int(rows.integer(1)), rows.integer(2), std::string(rows.text(3)), std::string(rows.blob(4))});
  }
  return next;
}

/// The chain as it stands after a row of which the file has that number and hash; 0: before the first.
Chain after(const std::pair<std::int64_t, std::string>& row, Chain origin) {
  if (row.first != 0) origin.set_head(row.first, row.second);
  return origin;
}

/// @throws Error(store) naming the first row that does not fit `chain`, or cannot be read.
std::vector<LogRow> checked(const std::vector<StoredRow>& stored, Chain chain, const std::string& file) {
  std::vector<LogRow> rows;
  rows.reserve(stored.size());
  for (const StoredRow& row : stored) {
    if (row.seq != chain.seq() + 1) refuse(file, chain.seq() + 1, "is missing");
    const Chain::Digest& hash = chain.add({row.seq, row.kind, row.time, row.body});
    if (bytes_of(hash) != row.hash) refuse(file, row.seq, "does not fit its hash");
    rows.push_back(decode(static_cast<LogKind>(row.kind), row.body));
  }
  return rows;
}

}  // namespace

StoredBatches::StoredBatches(Database& database, Chain origin)
    : rows_(database.prepare("SELECT seq, kind, time, body, hash FROM dl_log ORDER BY seq")),
      origin_(std::move(origin)),
      file_(database.path().string()) {}

DecodeAhead::Batch StoredBatches::operator()(std::size_t most) {
  std::vector<StoredRow> rows = next_rows(most, rows_);
  const std::size_t size = rows.size();
  const auto before = size == 0 ? last_ : std::exchange(last_, {rows.back().seq, rows.back().hash});
  return {size, [rows = std::move(rows), before, origin = origin_, file = file_] {
            return checked(rows, after(before, origin), file);
          }};
}

}  // namespace dlrun::storage
