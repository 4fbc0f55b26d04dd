// SPDX-License-Identifier: Apache-2.0
#include "going_on.hpp"

#include "final/warm_race.hpp"
#include "racing.hpp"
#include "running.hpp"
#include "training_after.hpp"

namespace dlrun::cli {

namespace {

int run_what_follows(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  if (final::wish_of(spec.json)) return train_after_race(spec, arguments, console);
  if (!spec.winner || !spec.winner->of) {
    const int status = race_after_search(spec, arguments, console);
    return status == 0 ? go_on_after_search(spec, arguments, console) : status;
  }
  const auto search = end_of_race(spec, arguments, console);
  return search ? go_on_after_search(*search, arguments, console) : 0;
}

}  // namespace

int go_on_with(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  const int status = run_study(spec, arguments, console);
  return status != 0 || arguments.has("dry-run") ? status : run_what_follows(spec, arguments, console);
}

}  // namespace dlrun::cli
