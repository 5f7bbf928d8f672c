#include "curl_multi.h"

#include <chrono>
#include <mutex>
#include <utility>

namespace adit::net {
namespace asio = boost::asio;

// One socket of curl's. The descriptor only borrows the number: curl opens and closes it.
struct CurlMulti::Socket {
  explicit Socket(asio::io_context& context, curl_socket_t fd) : descriptor(context, fd) {}
  ~Socket() { release(); }

  void release() {
    if (descriptor.is_open()) descriptor.release();  // cancels what waits
  }

  asio::posix::stream_descriptor descriptor;
  int wanted = 0;  // CURL_POLL_IN, _OUT or both
  bool reading = false, writing = false;
};

std::shared_ptr<CurlMulti> CurlMulti::make(io::EventLoop& loop, long connections_of_host) {
  static std::once_flag once;
  std::call_once(once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  CURLM* multi = curl_multi_init();
  std::shared_ptr<CurlMulti> made(new CurlMulti(loop, multi));
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, made.get());
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, made.get());
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_MULTIPLEX));
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connections_of_host);
  return made;
}

CurlMulti::CurlMulti(io::EventLoop& loop, CURLM* multi) : loop_(loop), multi_(multi), timer_(loop) {}

CurlMulti::~CurlMulti() {
  for (const auto& [easy, done] : running_) curl_multi_remove_handle(multi_, easy);
  curl_multi_cleanup(multi_);  // closes the kept connections and says so through on_socket
}

void CurlMulti::add(CURL* easy, std::function<void(CURLcode)> done) {
  running_[easy] = std::move(done);
  curl_multi_add_handle(multi_, easy);  // on_timer follows
}

void CurlMulti::remove(CURL* easy) {
  if (running_.erase(easy) != 0) curl_multi_remove_handle(multi_, easy);
}

int CurlMulti::on_socket(CURL* /*easy*/, curl_socket_t fd, int what, void* self, void* /*unused*/) {
  static_cast<CurlMulti*>(self)->watch(fd, what);
  return 0;
}

int CurlMulti::on_timer(CURLM* /*multi*/, long timeout_ms, void* self) {
  auto* multi = static_cast<CurlMulti*>(self);
  if (timeout_ms < 0) {
    multi->timer_.stop();
  } else {
    // Never at once: curl must not be entered from within one of its callbacks.
    multi->timer_.start(io::EventLoop::Clock::now() + std::chrono::milliseconds(timeout_ms),
                        [multi] { multi->act(CURL_SOCKET_TIMEOUT, 0); });
  }
  return 0;
}

void CurlMulti::watch(curl_socket_t fd, int what) {
  if (what == CURL_POLL_REMOVE) {
    if (const auto at = sockets_.find(fd); at != sockets_.end()) {
      at->second->release();
      sockets_.erase(at);
    }
    return;
  }
  auto& socket = sockets_[fd];
  if (!socket) socket = std::make_shared<Socket>(loop_.context(), fd);
  socket->wanted = what;
  wait_for(fd, *socket);
}

void CurlMulti::wait_for(curl_socket_t fd, Socket& socket) {
  const auto start = [&](int event, int action, bool Socket::* waiting, asio::posix::descriptor_base::wait_type type) {
    if ((socket.wanted & event) == 0 || socket.*waiting) return;
    socket.*waiting = true;
    const std::weak_ptr<CurlMulti> weak = weak_from_this();
    const std::weak_ptr<Socket> waited = sockets_[fd];
    socket.descriptor.async_wait(type, [weak, waited, fd, action, event, waiting](boost::system::error_code error) {
      const auto self = weak.lock();
      const auto held = waited.lock();
      // A wait that ended just before curl closed its socket says nothing of the next one with that number.
      if (!self || !held || error || !held->descriptor.is_open()) return;
      (*held).*waiting = false;
      if ((held->wanted & event) != 0) self->act(fd, action);
      // Unless curl has given the number to another socket meanwhile.
      if (const auto now = self->sockets_.find(fd); now != self->sockets_.end() && now->second == held) {
        self->wait_for(fd, *held);
      }
    });
  };
  start(CURL_POLL_IN, CURL_CSELECT_IN, &Socket::reading, asio::posix::descriptor_base::wait_read);
  start(CURL_POLL_OUT, CURL_CSELECT_OUT, &Socket::writing, asio::posix::descriptor_base::wait_write);
}

void CurlMulti::act(curl_socket_t fd, int events) {
  const auto self = shared_from_this();  // `done` may be what lets us go
  int running = 0;
  curl_multi_socket_action(multi_, fd, events, &running);
  tell_finished();
}

void CurlMulti::tell_finished() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    CURL* easy = message->easy_handle;
    const CURLcode code = message->data.result;
    const auto at = running_.find(easy);
    if (at == running_.end()) continue;
    auto done = std::move(at->second);
    running_.erase(at);
    curl_multi_remove_handle(multi_, easy);
    done(code);
  }
}

}  // namespace adit::net
