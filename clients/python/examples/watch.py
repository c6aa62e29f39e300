"""What ends on the engine, as it ends, until Ctrl+C: python3 watch.py"""

import yardmaster

engine = yardmaster.Engine()
with engine.events(finished=True) as events:
    try:
        for frame in events:
            for action in frame.get("actions", ()):
                print(action["lsn"], action["state"], action.get("reason", ""), flush=True)
    except KeyboardInterrupt:
        pass
