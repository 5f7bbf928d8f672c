// Which internet addresses a request to a portal may reach. Names are checked by host_name.h; a name may resolve to
// anything, and to something else the next moment, so the address is checked where the socket is opened.
#pragma once

#include <string_view>

struct sockaddr;

namespace adit::net {

// True for an address of the public internet: none of the special-purpose ranges of the IANA registries (RFC 6890 and
// its successors: loopback, private, shared, link-local, documentation, benchmarking, multicast, reserved, …), and no
// IPv6 form that stands for an IPv4 address which is not public (mapped, compatible, NAT64, 6to4, Teredo).
bool is_public_address(const sockaddr& address);

// The same for a literal ("10.0.0.1", "::1"); false for what is no address.
bool is_public_address(std::string_view literal);

}  // namespace adit::net
