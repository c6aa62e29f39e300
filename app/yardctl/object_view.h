// Objects, their types and the orchestrator in words. Reading tolerates what another engine leaves out. Pure but for what
// prints; one thread.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <string>

namespace yard::ctl {

void printTypes(const boost::json::array& types);
/// Counts, states and moves of one.
void printType(const boost::json::object& type);
/// The states of a type's descriptor as a graph, in the language of Graphviz.
std::string typeGraph(const boost::json::object& descriptor);
void printObjects(const boost::json::array& objects, std::int64_t now);
void printObject(const boost::json::object& object, std::int64_t now);
void printOrchestrator(const boost::json::object& view, std::int64_t now);
/// "queued 3, sealed 12"; those that are 0 are left out.
std::string countWords(const boost::json::object& counts);

} // namespace yard::ctl
