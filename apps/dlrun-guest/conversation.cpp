// SPDX-License-Identifier: Apache-2.0
#include "conversation.hpp"

#include <unistd.h>

#include <exception>
#include <new>
#include <utility>

#include "guest/channel.hpp"
#include "plugin/note.hpp"
#include "service.hpp"
#include "util/json.hpp"
#include "util/memory.hpp"

namespace dlrun {

namespace {

using guest::Channel;
using guest::Outcome;

/// The plugin of the first frame, and the conversation about it.
class Conversation {
 public:
  explicit Conversation(Channel channel) : channel_(std::move(channel)) {}

  /// Returns when the driver has ended the conversation.
  void hold() {
    Json message;
    while (channel_.receive(message, std::nullopt) == Outcome::done) {
      if (message.contains("call")) {
        answer(message);
      } else if (fault_.is_null()) {
        guarded(message.begin().key(), [&] { service_->handle_news(message); });
      }
    }
  }

 private:
  /// Runs code of the plugin. Its exception is the answer to the next call.
  template <class Code>
  void guarded(const std::string& where, const Code& code) {
    try {
      code();
    } catch (const std::bad_alloc&) {
      fault_ = {{"fault", "its memory ran out (DLRUN_PLUGIN_MEMORY_MB)"}, {"in", where}};
    } catch (const std::exception& fault) {
      fault_ = {{"fault", fault.what()}, {"in", where}};
    } catch (...) {
      fault_ = {{"fault", "an exception that is no std::exception"}, {"in", where}};
    }
  }

  void answer(const Json& request) {
    const std::string name = request.at("call");
    Json result;
    if (fault_.is_null() && name == "open") {
      guarded("its constructor", [&] { open(request); });
    } else if (fault_.is_null()) {
      guarded(name, [&] { result = service_->call(name, request); });
    }
    std::string bytes;
    if (fault_.is_null()) guarded(name, [&] { guest::append_frame(bytes, Json{{"result", std::move(result)}}); });
    if (!fault_.is_null()) {
      bytes.clear();
      guest::append_frame(bytes, fault_);
    }
    if (channel_.send(bytes, std::nullopt) != Outcome::done) ::_exit(0);
  }

  void open(const Json& request) {
    if (request.at("memory") > 0) limit_own_memory(request.at("memory"));
    const std::string file = request.at("file");
    const plugin::Manifest manifest = plugin::manifest_from_json(plugin::read_note(file).manifest);
    const Object object(file);
    service_ = make_service({object, manifest, request.at("options"), request.at("setting")});
  }

  Channel channel_;
  std::unique_ptr<Service> service_;
  Json fault_;  ///< null: none so far
};

}  // namespace

void hold_conversation(Descriptor socket) { Conversation(Channel(std::move(socket))).hold(); }

}  // namespace dlrun
