#!/usr/bin/env python3
import pathlib

import yard_worker


@yard_worker.function("1")
def add(args, job):
    return args["a"] + args["b"]


@yard_worker.function("1")
def copy(args, job):
    for file in pathlib.Path(job.inputs).iterdir():
        (pathlib.Path(job.outputs) / file.name).write_bytes(file.read_bytes())


@yard_worker.function("1")
def fail(args, job):
    raise yard_worker.Fail(args["message"], args["exit_code"])


yard_worker.run()
