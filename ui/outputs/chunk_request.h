// How the bytes of a file that an action left are asked for: with the action, as a token that only reads has to name it.
#pragma once

#include "ui/bridge/engine_link.h"
#include "ui/outputs/decoded.h"

namespace yard::ui {

inline Request chunkRequest(const ChunkFile& file) {
    Request request{"GET", "chunks/" + file.hash, {}, {}, {}};
    if (file.lsn > 0) request.query.addQueryItem("lsn", QString::number(file.lsn));
    return request;
}

} // namespace yard::ui
