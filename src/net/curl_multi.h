// libcurl's multi interface on the event loop: curl says which sockets and which moment it waits for, the loop wakes
// it. The only file besides http_client.cpp that knows curl.
#pragma once

#include "adit/io/event_loop.h"

#include <boost/asio/posix/stream_descriptor.hpp>

#include <curl/curl.h>

#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

namespace adit::net {

struct EasyDeleter {
  void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
using Easy = std::unique_ptr<CURL, EasyDeleter>;

struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using CurlList = std::unique_ptr<curl_slist, ListDeleter>;

// Loop thread only.
class CurlMulti : public std::enable_shared_from_this<CurlMulti> {
 public:
  static std::shared_ptr<CurlMulti> make(io::EventLoop& loop, long connections_of_host);
  CurlMulti(const CurlMulti&) = delete;
  CurlMulti& operator=(const CurlMulti&) = delete;
  ~CurlMulti();

  // `done` is called once, later, unless the handle is removed before. `easy` stays the caller's.
  void add(CURL* easy, std::function<void(CURLcode)> done);
  void remove(CURL* easy);

 private:
  struct Socket;

  CurlMulti(io::EventLoop& loop, CURLM* multi);
  static int on_socket(CURL* easy, curl_socket_t fd, int what, void* self, void* unused);
  static int on_timer(CURLM* multi, long timeout_ms, void* self);
  void watch(curl_socket_t fd, int what);
  void wait_for(curl_socket_t fd, Socket& socket);
  void act(curl_socket_t fd, int events);
  void tell_finished();

  io::EventLoop& loop_;
  CURLM* multi_;
  io::Timer timer_;
  std::unordered_map<curl_socket_t, std::shared_ptr<Socket>> sockets_;
  std::map<CURL*, std::function<void(CURLcode)>> running_;
};

}  // namespace adit::net
