// SPDX-License-Identifier: Apache-2.0
#include "worker/profile.hpp"

#include <istream>
#include <iterator>
#include <ostream>

#include "trial/json.hpp"
#include "trial/profile.hpp"
#include "util/error.hpp"
#include "worker/trainer.hpp"

namespace dlrun::worker {

void answer_profile(std::istream& question, std::ostream& answer, const std::filesystem::path& library) {
  const std::string text(std::istreambuf_iterator<char>(question), {});
  try {
    const Json json = Json::parse(text);
    const trial::ProfileOptions options{json.at("steps").get<std::int64_t>(), json.at("warmup").get<std::int64_t>()};
    const trial::ModelProfile profile =
        profile_trial(library.empty() ? program_folder() : library, trial::work_setup(json.at("setup")),
                      trial::piece_order(json.at("order")), options);
    answer << to_text(trial::to_json(profile)) << '\n';
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed question: ") + fault.what());
  }
}

}  // namespace dlrun::worker
