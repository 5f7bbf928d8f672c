// The answer to one POSTed request (rules H7, H8, H9): one JSON document, or a stream of events once something else
// than the response is to be said. The status is fixed by the first of both.
#pragma once

#include "adit/mcp/outgoing.h"
#include "adit/net/http_server.h"
#include "http_event_stream.h"
#include "http_headers.h"

#include <functional>
#include <memory>
#include <vector>

namespace adit::mcp {

enum class Era { modern, legacy };

// H9 for the modern era; legacy clients look into the message.
int status_of(const Outgoing& response, Era era);

net::HttpResponse json_response(int status, std::string line, std::vector<net::HttpHeader> headers = {});

class HttpReply : public std::enable_shared_from_this<HttpReply> {
 public:
  struct Form {
    Era era;
    Accepted accepted;
    std::vector<net::HttpHeader> headers;  // on whatever is answered
    EventStream::Priming priming = EventStream::Priming::no;
    std::function<std::shared_ptr<EventStream>()> make_stream;
  };

  HttpReply(net::HttpExchange exchange, Form form) : exchange_(std::move(exchange)), form_(std::move(form)) {}
  HttpReply(const HttpReply&) = delete;
  HttpReply& operator=(const HttpReply&) = delete;
  ~HttpReply();  // a request that was cancelled has no response; its exchange ends all the same

  Send sender();
  bool answered() const { return answered_; }  // the response has been sent
  void open_stream();                          // once; before the first message or with it

 private:
  void take(Outgoing message);

  net::HttpExchange exchange_;
  Form form_;
  std::shared_ptr<EventStream> stream_;
  bool answered_ = false;
};

}  // namespace adit::mcp
