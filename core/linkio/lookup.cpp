#include "core/linkio/lookup.h"

#include <cstring>
#include <netdb.h>

namespace yard::linkio {

std::expected<Endpoints, std::string> lookUp(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* list = nullptr;
    if (const int rc = ::getaddrinfo(host.c_str(), port.c_str(), &hints, &list); rc != 0)
        return std::unexpected(std::string(::gai_strerror(rc)));
    Endpoints endpoints;
    for (const addrinfo* one = list; one; one = one->ai_next) {
        boost::asio::ip::tcp::endpoint endpoint;
        if (one->ai_addrlen > endpoint.capacity()) continue;
        std::memcpy(endpoint.data(), one->ai_addr, one->ai_addrlen);
        endpoint.resize(one->ai_addrlen);
        endpoints.push_back(endpoint);
    }
    ::freeaddrinfo(list);
    return endpoints;
}

} // namespace yard::linkio
