// SPDX-License-Identifier: Apache-2.0
#include "page/answer_data.hpp"

#include <algorithm>

#include "report/ablation.hpp"
#include "report/race_standings.hpp"

namespace dlrun::page {

namespace {

using report::OpenedStudy;
using report::Table;

struct Share {
  std::string name;
  Json value, low, high;
};

Json& cell_of(std::vector<Json>& row, const Table& table, const char* column) {
  const auto found = std::find(table.columns.begin(), table.columns.end(), column);
  return row.at(std::size_t(found - table.columns.begin()));
}

/// Shares of a table of parameters, or of pairs of them.
void add_shares(Table table, std::vector<Share>& shares) {
  const bool is_pairs = std::find(table.columns.begin(), table.columns.end(), "with") != table.columns.end();
  for (std::vector<Json>& row : table.rows) {
    std::string name = cell_of(row, table, "parameter").get<std::string>();
    if (is_pairs) name += " × " + cell_of(row, table, "with").get<std::string>();
    Json& value = cell_of(row, table, "importance");
    if (!value.is_null()) shares.push_back({name, value, cell_of(row, table, "low"), cell_of(row, table, "high")});
  }
}

std::string remark_of(const Table& basis) {
  std::string text;
  for (const auto& row : basis.rows) {
    if (row[0] == "importance" || row[0] == "warning") text += (text.empty() ? "" : "; ") + row[1].get<std::string>();
  }
  return text;
}

Json row_of(const report::AblationStudy& study, const report::Judged& one) {
  const auto& effect = *one.found.effect;
  return {{"component", study.name_of(one.component)},
          {"mean", effect.mean},
          {"low", effect.low},
          {"high", effect.high},
          {"group", statistics::word(one.found.verdict)},
          {"verdict", report::verdict_of(study, one)}};
}

std::vector<report::JudgedPair> pairs_of(const report::AblationStudy& study) {
  return study.plan.section.design == "fractional" ? report::aliased_interactions(study)
                                                   : report::interactions_of(study);
}

void add_interactions(const report::AblationStudy& study, Json& out) {
  const auto place = [&](const std::string& name) {
    return std::find(study.components.begin(), study.components.end(), name) - study.components.begin();
  };
  for (const report::JudgedPair& pair : pairs_of(study)) {
    if (!pair.found.effect) continue;
    out["interactions"].push_back({{"row", place(pair.second)},
                                   {"column", place(pair.first)},
                                   {"value", pair.found.effect->mean},
                                   {"marked", pair.found.p_corrected < study.analysis.alpha}});
  }
}

/// "worse after 5, p 0.002": the plot's axis names the leader.
std::string standing_of(const report::Standings& standings, std::size_t contender) {
  std::string text = standings.text(contender);
  const std::string leader = " than " + standings.name(*standings.race().leader);
  const std::size_t at = text.find(leader);
  return at == std::string::npos ? text : text.erase(at, leader.size());
}

/// Contenders behind the leader, as the rows of an ablation's plot.
Json race_json(const report::AblationStudy& study) {
  const report::Standings standings(study, report::Audience::people);
  const statistics::Race& race = standings.race();
  if (!race.leader || race.rounds < 2) return nullptr;
  Json out{{"metric", study.metric},
           {"axis", standings.name(*race.leader) + " is better by"},
           {"rows", Json::array()},
           {"names", Json::array()},
           {"interactions", Json::array()}};
  for (const std::size_t i : standings.order()) {
    const statistics::Effect behind = standings.behind(i);
    if (i == race.leader || behind.n == 0) continue;
    out["rows"].push_back({{"component", standings.name(i)},
                           {"mean", behind.mean},
                           {"low", behind.low},
                           {"high", behind.high},
                           {"group", race.out[i] ? "hurts" : "inconclusive"},
                           {"verdict", standing_of(standings, i)}});
  }
  return out["rows"].empty() ? Json() : out;
}

}  // namespace

Json importance_json(const std::vector<Table>& tables) {
  if (tables.empty()) return nullptr;
  std::vector<Share> shares;
  for (std::size_t i = 0; i + 1 < tables.size(); ++i) add_shares(tables[i], shares);
  if (shares.empty()) return nullptr;
  std::stable_sort(shares.begin(), shares.end(), [](const Share& a, const Share& b) { return a.value > b.value; });
  Json out{{"method", "fanova"}, {"remark", remark_of(tables.back())}};
  for (const Share& share : shares) {
    out["names"].push_back(share.name);
    out["shares"].push_back(share.value);
    out["lows"].push_back(share.low);
    out["highs"].push_back(share.high);
  }
  return out;
}

Json front_json(const OpenedStudy& study) {
  if (study.further.empty()) return nullptr;
  Json front = Json::array();
  for (const report::Scored& one : report::front_scores(study)) front.push_back(one.trial);
  return front;
}

Json ablation_json(const OpenedStudy& opened) {
  const report::AblationStudy study = report::study_for(opened, report::Audience::people);
  if (study.plan.section.is_race()) return race_json(study);
  Json out{
      {"metric", study.metric}, {"rows", Json::array()}, {"names", Json::array()}, {"interactions", Json::array()}};
  const std::vector<report::Judged> judged = report::main_family(study);
  for (const report::Judged* one : report::by_effect(judged)) {
    if (one->found.effect && one->found.verdict != statistics::Verdict::invalid)
      out["rows"].push_back(row_of(study, *one));
  }
  if (out["rows"].empty()) return nullptr;
  for (const std::string& component : study.components) out["names"].push_back(study.name_of(component));
  add_interactions(study, out);
  return out;
}

}  // namespace dlrun::page
