// The addresses of a host, as the system's resolver knows them. Any thread.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <expected>
#include <string>
#include <vector>

namespace yard::linkio {

using Endpoints = std::vector<boost::asio::ip::tcp::endpoint>;

/// In the resolver's order. Blocks. The error is its reason alone: "Name or service not known".
std::expected<Endpoints, std::string> lookUp(const std::string& host, const std::string& port);

} // namespace yard::linkio
