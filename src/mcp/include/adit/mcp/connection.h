// One client's messages: which methods exist, what they answer in each era, and which requests are under way.
// Transports feed it one message at a time and carry its answers back.
#pragma once

#include "adit/io/event_loop.h"
#include "adit/mcp/outgoing.h"
#include "adit/mcp/server.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace adit::mcp {

struct Message;  // rpc_message.h

// Both eras may be spoken on it: a stdio pipe, a legacy HTTP session, or a single modern HTTP request. Loop thread
// only.
class Connection {
 private:
  class State;

 public:
  // `send` takes what belongs to no request. `owner` names the caller for what tools keep between calls
  // (RequestContext::owner).
  Connection(io::EventLoop& loop, const Server& server, Send send, std::string owner = "");
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();  // REQUIRES: join() has ended, or the loop has stopped for good

  // Names one request that was received; copies name the same one. May outlive the connection.
  class Request {
   public:
    // As the client's own cancellation: the work stops, and nothing more is sent for the request. Nothing happens
    // when it has ended, or when the message was no request.
    void cancel() const;

   private:
    friend class State;
    std::weak_ptr<State> connection_;
    std::string id_;
    std::uint64_t serial_ = 0;  // an id may be used again after its answer
  };

  enum class ReplyForm {
    stream,       // any number of messages, the response last
    answer_only,  // the response alone: no progress, no logs, no questions to the client
  };

  // One message's text. Never waits: calls go on beside the reading of further messages. All that concerns this
  // message goes to `reply`: its answer, progress and logs, and what the server asks the client while it handles it.
  // `reply` may be called before receive() returns, and for as long as the request runs.
  Request receive(std::string_view message, Send reply, ReplyForm form = ReplyForm::stream);
  Request receive(std::string_view message);                                         // the reply goes to `send`
  Request receive(Message message, Send reply, ReplyForm form = ReplyForm::stream);  // one that was parsed already

  // A message that the transport could not take whole (too long).
  void refuse(const Error& error);

  bool initialized() const;  // a legacy client has sent initialize

  std::size_t running_calls() const;
  void finish();                        // what only waits for changes gets its answer; calls go on
  void cancel_all();                    // as if each request had been cancelled
  boost::asio::awaitable<void> join();  // until no call runs

 private:
  std::shared_ptr<State> state_;
};

}  // namespace adit::mcp
