// SPDX-License-Identifier: Apache-2.0
// Whether a final training follows a study.
#include "final/after.hpp"

#include "unit/final/searched.hpp"

namespace final_test {

namespace {

spec::StudySpec study_with(const Json& json) {
  spec::StudySpec spec;
  spec.name = "search";
  spec.json = json;
  return spec;
}

}  // namespace

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

TEST_CASE("another best trial has a final training of another name, also when only a race was begun",
          "[final][after]") {
  const support::TempFolder folder;
  const auto name = [&](const std::string& trial) {
    return final::name_for(folder.path(), study_with(Json::object()), trial);
  };
  const auto begin = [&](const std::string& study, const std::string& trial) {
    storage::StudyRow row = search_row(study);
    row.spec["final"] = {{"of", trial}};
    storage::Store::create(folder.path(), row, line())->close();
  };
  CHECK(name("search/3") == "search-final");
  begin("search-final-race", "search/3");
  CHECK(name("search/3") == "search-final");
  CHECK(name("search/5") == "search-final-2");
  begin("search-final-2", "search/5");
  CHECK(name("search/5") == "search-final-2");
  CHECK(name("search/6") == "search-final-3");
}

}  // namespace final_test
