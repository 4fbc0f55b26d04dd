// SPDX-License-Identifier: Apache-2.0
// Whether a final training follows a study.
#include "final/after.hpp"

#include "unit/final/searched.hpp"

namespace final_test {

namespace {

/// A final training, or a race for its start.
storage::StudyRow following_row(const std::string& name, const Json& final) {
  storage::StudyRow row = search_row(name);
  row.spec["final"] = final;
  return row;
}

spec::StudySpec study_with(const Json& json) {
  spec::StudySpec spec;
  spec.name = "search";
  spec.json = json;
  return spec;
}

}  // namespace

TEST_CASE("a digest is that of a section as a person would write it", "[final][after]") {
  const Json written{{"epochs", 9}}, normal{{"epochs", 9}, {"seeds", 1}, {"trial", nullptr}, {"digest", nullptr}};
  CHECK(final::digest_of(written).size() == 16);
  CHECK(final::digest_of(normal) == final::digest_of(written));
  CHECK(final::digest_of({{"epochs", 10}}) != final::digest_of(written));
}

TEST_CASE("a training follows a search with final, and nothing else", "[final][after]") {
  CHECK(final::section_after(study_with({{"final", {{"epochs", 9}}}})) == Json{{"epochs", 9}});
  const Json none = GENERATE(Json::object(), Json{{"final", nullptr}}, Json{{"final", {{"of", "first/3"}}}});
  CHECK(final::section_after(study_with(none)).is_null());
  spec::StudySpec ablation = study_with({{"final", {{"epochs", 9}}}});
  ablation.ablation.emplace();
  CHECK(final::section_after(ablation).is_null());
}

TEST_CASE("a study of that name is the training that follows only if it says so", "[final][after]") {
  const support::TempFolder folder;
  const auto begun = [&] { return final::begun(folder.path(), "search-final", study_with(Json::object())); };
  CHECK_FALSE(begun());
  storage::StudyRow row = search_row("search-final");
  row.spec["final"] = {{"of", "another/3"}};
  storage::Store::create(folder.path(), row, line())->close();
  CHECK_FALSE(begun());
}

TEST_CASE("studies that happen to have the name are left alone", "[final][after]") {
  const support::TempFolder folder;
  const auto name = [&] { return final::name_for(folder.path(), study_with(Json::object()), {"search/3", ""}); };
  storage::Store::create(folder.path(), search_row("search-final"), line())->close();
  CHECK(name() == "search-final-2");
  storage::Store::create(folder.path(), search_row("search-final-2-race"), line())->close();
  CHECK(name() == "search-final-3");
  storage::Store::create(folder.path(), following_row("search-final-3", {{"of", "search/3"}}), line())->close();
  CHECK(name() == "search-final-3");
}

TEST_CASE("another best trial has a final training of another name, also when only a race was begun",
          "[final][after]") {
  const support::TempFolder folder;
  const auto name = [&](const std::string& trial) {
    return final::name_for(folder.path(), study_with(Json::object()), {trial, ""});
  };
  const auto begin = [&](const std::string& study, const std::string& trial) {
    storage::Store::create(folder.path(), following_row(study, {{"of", trial}}), line())->close();
  };
  CHECK(name("search/3") == "search-final");
  begin("search-final-race", "search/3");
  CHECK(name("search/3") == "search-final");
  CHECK(name("search/5") == "search-final-2");
  begin("search-final-2", "search/5");
  CHECK(name("search/5") == "search-final-2");
  CHECK(name("search/6") == "search-final-3");
}

TEST_CASE("another section has a final training of another name, an older one without a digest fits each",
          "[final][after]") {
  const support::TempFolder folder;
  const auto begin = [&](const std::string& study, const Json& final) {
    storage::Store::create(folder.path(), following_row(study, final), line())->close();
  };
  const auto name = [&](const std::string& digest) {
    return final::name_for(folder.path(), study_with(Json::object()), {"search/3", digest});
  };
  begin("search-final", {{"of", "search/3"}, {"digest", "a"}});
  CHECK(name("a") == "search-final");
  CHECK(name("b") == "search-final-2");
  begin("search-final-2", {{"of", "search/3"}, {"digest", "b"}});
  CHECK(name("a") == "search-final");
  CHECK(name("b") == "search-final-2");
  CHECK(name("") == "search-final-2");  // the newest
  begin("search-final-3", {{"of", "search/3"}});
  CHECK(name("c") == "search-final-3");
}

}  // namespace final_test
