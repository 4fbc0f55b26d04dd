// SPDX-License-Identifier: Apache-2.0
#include "page/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "page/answer_data.hpp"
#include "page/assets.hpp"
#include "page/curve_data.hpp"
#include "page/figures.hpp"
#include "page/markup.hpp"
#include "page/packed.hpp"
#include "page/placement_data.hpp"
#include "page/policy.hpp"
#include "page/rank_data.hpp"
#include "page/sections.hpp"
#include "page/trial_data.hpp"
#include "page/worker_data.hpp"
#include "report/readable.hpp"
#include "util/version.hpp"

namespace dlrun::page {

namespace {

using report::OpenedStudy;

bool can_rank(const Json& data) {
  const Json& values = data.at("trials").at("objectives")[0];
  const auto results = std::count_if(values.begin(), values.end(), [](const Json& value) { return !value.is_null(); });
  return !data.at("parameters").empty() && results > 1;
}

void put(Json& data, const char* key, Json value) {
  if (!value.is_null()) data[key] = std::move(value);
}

const char* word_of(Kind kind) {
  if (kind == Kind::search) return "search";
  return kind == Kind::final ? "final" : "ablation";
}

StudyPage study_page(const OpenedStudy& study, const Request& request, std::size_t index, bool is_only) {
  StudyPage page;
  page.study = &study;
  page.index = index;
  if (!is_only) page.named = study.name;
  page.kind = kind_of(study);
  page.data = {{"name", study.name},
               {"kind", word_of(page.kind)},
               {"objectives", objectives_json(study)},
               {"parameters", parameters_json(study)},
               {"states", states_json()},
               {"trials", trials_json(study)},
               {"best", report::best_trial_of(study).trial}};
  put(page.data, "front", front_json(study));
  put(page.data, "curves", curves_json(study));
  put(page.data, "workers", workers_json(study));
  put(page.data, "ranks", ranks_json(study));
  put(page.data, "placement", placement_json(study));
  if (page.kind == Kind::ablation || page.kind == Kind::race) put(page.data, "ablation", ablation_json(study));
  if (page.kind == Kind::search && can_rank(page.data)) {
    page.importance = report::importance_of(study, "fanova", {});
    put(page.data, "importance", importance_json(page.importance));
  }
  if (!request.is_drawn) return page;
  for (report::NamedPicture& one : report::pictures_of(study)) page.pictures.emplace(one.kind, std::move(one.picture));
  return page;
}

std::string header_of(const StudyPage& page, bool is_only) {
  const char* level = is_only ? "h1" : "h2";
  std::string out = fmt::format("<header><p class=\"kind\">{}</p><{}>{}</{}>\n", words_of(*page.study), level,
                                escaped(page.study->name), level);
  const std::vector<std::string> sentences = headline_of(*page.study);
  for (const std::string& sentence : sentences)
    out += fmt::format("<p class=\"{}\">{}</p>\n", &sentence == &sentences.front() ? "headline" : "finding",
                       prose(sentence));
  out += "<dl class=\"facts\">";
  for (const auto& [name, value] : facts_of(*page.study))
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(value));
  return out + "</dl></header>\n";
}

std::string contents_of(const std::vector<Section>& sections, const std::string& study) {
  std::string out = fmt::format("<nav aria-label=\"Contents of {}\">", escaped(study));
  for (const Section& section : sections) out += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.title);
  return out + "</nav>\n";
}

std::string body_of(const StudyPage& page, bool is_only) {
  const std::vector<Section> sections = sections_of(page);
  const char* level = is_only ? "h2" : "h3";
  std::string out = header_of(page, is_only) + contents_of(sections, page.study->name);
  for (const Section& section : sections)
    out += fmt::format("<section id=\"{}\"><{}>{}</{}>\n{}</section>\n", section.id, level, section.title, level,
                       section.html);
  return out;
}

std::string title_of(const std::vector<std::string>& names) {
  std::string title;
  for (const std::string& name : names) title += (title.empty() ? "" : ", ") + name;
  return title;
}

/// @param version_now  of a page that follows; empty: a file
std::string head_of(const std::string& title, const std::string& policy, const std::string& version_now) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"generator\" content=\"dlrun {}\">\n"
      "<title>{} · dlrun</title>\n<style>\n{}</style></head>\n<body{}>\n",
      policy, version(), escaped(title), page_css(),
      version_now.empty() ? "" : fmt::format(" data-version=\"{}\"", escaped(version_now)));
}

/// All studies on one page begin with the tables that compare them.
std::string comparison_of(const Request& request, const std::vector<StudyPage>& pages) {
  const report::Table table = report::Reader(request.store, request.studies).studies();
  const auto goal = [](const StudyPage& page) { return page.data.at("objectives")[0]; };
  const bool is_one_goal =
      std::all_of(pages.begin(), pages.end(), [&](const StudyPage& page) { return goal(page) == goal(pages[0]); });
  std::string out = "<header><p class=\"kind\">comparison</p><h1>" + std::to_string(pages.size()) +
                    " studies</h1></header>\n" + "<section id=\"compare\"><h2>Side by side</h2>\n" + table_html(table);
  if (is_one_goal) out += figure_html(pages[0], "compare", "Best so far of each study by trial");
  return out + "</section>\n";
}

std::string plotly_of(const Request& request) {
  if (request.live)
    return request.live->plotly_url.empty()
               ? ""
               : fmt::format("<script src=\"{}\"></script>\n", escaped(request.live->plotly_url));
  if (request.plotly.empty()) return {};
  return std::string("<script>").append(request.plotly).append("</script>\n");
}

std::string own_script_html() { return "<script>" + own_script() + "</script>\n"; }

std::string scripts_of(const std::vector<StudyPage>& pages, const Request& request) {
  Json data{{"version", 1}, {"studies", Json::array()}};
  for (const StudyPage& page : pages) data["studies"].push_back(page.data);
  std::string out = "<script type=\"application/gzip\" id=\"data\">" + base64(gzipped(to_text(data))) + "</script>\n";
  return out.append(plotly_of(request)).append(own_script_html()).append("</body></html>\n");
}

}  // namespace

std::string html_page(const Request& request) {
  const std::vector<std::string> names = report::chosen(request.store, request.studies);
  std::vector<OpenedStudy> studies;
  for (const std::string& name : names) studies.push_back(report::open_study(request.store, name));
  std::vector<StudyPage> pages;
  std::string body;
  const bool is_only = studies.size() == 1;
  for (const OpenedStudy& study : studies) {
    const report::Snapshot snapshot(study);
    pages.push_back(study_page(study, request, pages.size(), is_only));
    body += body_of(pages.back(), is_only);
    if (!is_only) body += "<hr>\n";
  }
  const std::string first = is_only ? "" : comparison_of(request, pages);
  const std::string head = request.live ? head_of(title_of(names), live_policy(), request.live->version)
                                        : head_of(title_of(names), file_policy(request.plotly), {});
  return head + "<main>\n" + first + body + "</main>\n" + scripts_of(pages, request);
}

namespace {

report::StudyList list_of(const std::filesystem::path& store, const std::vector<std::string>& studies) {
  report::Readable readable = report::readable_of(store, studies);
  return {report::Reader(store, readable.studies).studies(), std::move(readable.faults)};
}

}  // namespace

std::string html_index(const std::filesystem::path& store, const std::vector<std::string>& studies,
                       const std::string& version) {
  const report::StudyList list = studies.empty() ? report::list_studies(store) : list_of(store, studies);
  std::string links;
  for (const auto& row : list.table.rows) {
    const std::string name = escaped(row[0].get<std::string>());
    links += fmt::format("<li><a href=\"study/{}\">{}</a></li>\n", name, name);
  }
  return head_of("studies", live_policy(), version) +
         "<main>\n<header><p class=\"kind\">dlrun</p><h1>Studies</h1></header>\n" + table_html(list.table) +
         (list.faults.empty() ? "" : table_html(report::faults_table(list.faults))) +
         "<nav aria-label=\"Studies\"><ul>" + links + "</ul></nav></main>" + own_script_html() + "</body></html>\n";
}

}  // namespace dlrun::page
