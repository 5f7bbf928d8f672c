// What a request gets by its headers alone, before its body is read: a refusal, /healthz, a preflight's answer, or
// nothing, and then it goes on to the endpoint (rules H1 to H5, H15).
#pragma once

#include "adit/net/http_server.h"
#include "http_access.h"

#include <optional>
#include <string>
#include <string_view>

namespace adit::mcp {

constexpr std::string_view kEndpoint = "/mcp";

std::optional<net::HttpResponse> answer_by_headers(const HttpAccess& access, const net::HttpRequest& head);

// What is wrong with a request, in words.
Error refusal(std::string message, std::string hint = "");

}  // namespace adit::mcp
