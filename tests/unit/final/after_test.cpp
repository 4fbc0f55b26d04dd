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
  CHECK(final::name_after(study_with({})) == "search-final");
  const Json none = GENERATE(Json::object(), Json{{"final", nullptr}}, Json{{"final", {{"of", "first/3"}}}});
  CHECK(final::section_after(study_with(none)).is_null());
  spec::StudySpec ablation = study_with({{"final", {{"epochs", 9}}}});
  ablation.ablation.emplace();
  CHECK(final::section_after(ablation).is_null());
}

TEST_CASE("a study of that name is the training that follows only if it says so", "[final][after]") {
  const support::TempFolder folder;
  const auto begun = [&] { return final::begun_after(folder.path(), study_with(Json::object())); };
  CHECK_FALSE(begun());
  storage::StudyRow row = search_row("search-final");
  row.spec["final"] = {{"of", "another/3"}};
  storage::Store::create(folder.path(), row, line())->close();
  CHECK_FALSE(begun());
}

}  // namespace final_test
