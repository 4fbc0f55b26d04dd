// SPDX-License-Identifier: Apache-2.0
#include "storage/gang_table.hpp"

#include <optional>

namespace dlrun::storage {

GangTable::GangTable(Database& database)
    : insert_(
          database.prepare("INSERT OR REPLACE INTO dl_gang_node (trial, replicate, fold, step, attempt, is_server, "
                           "number, piece, is_virtual, gradients, computing, applying, transferring, waiting, sent, "
                           "received, updates, staleness, most_stale) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                           "?, ?, ?, ?, ?, ?, ?)")) {}

void GangTable::add_report(const trial::PieceKey& key, int attempt, const trial::GangReport& report) {
  const trial::Member& m = key.member;
  for (const trial::GangNode& node : report.nodes) {
    const bool is_known = node.updates > 0;
    insert_.run(m.trial.value, m.replicate, m.fold, report.epoch, attempt, node.is_server, node.number, key.piece,
                report.is_virtual, node.gradients, node.computing, node.applying, node.transferring, node.waiting,
                node.sent, node.received, node.updates, is_known ? std::optional(node.staleness) : std::nullopt,
                is_known ? std::optional(node.most_stale) : std::nullopt);
  }
}

}  // namespace dlrun::storage
