"""A backend of joblib over Executor. Imported only where joblib is."""

from __future__ import annotations

import concurrent.futures
import functools
from typing import Any, Callable, Optional

from joblib import register_parallel_backend
from joblib.parallel import AutoBatchingMixin, FallbackToBackend, ParallelBackendBase, SequentialBackend

from .engine import Engine
from .executor import Executor


class _Job:
    """What joblib asks for a result."""

    def __init__(self, future: "concurrent.futures.Future[Any]") -> None:
        self._future = future

    def get(self, timeout: Optional[float] = None) -> Any:
        return self._future.result(timeout)


class YardmasterBackend(AutoBatchingMixin, ParallelBackendBase):  # type: ignore[misc]
    """`options` are those of Executor: joblib.parallel_backend("yardmaster", memory="2G")."""

    default_n_jobs = -1
    supports_timeout = True
    uses_threads = False
    supports_sharedmem = False

    def __init__(self, nesting_level: Optional[int] = None, inner_max_num_threads: Optional[int] = None,
                 **options: Any) -> None:
        super().__init__(nesting_level=nesting_level)
        if inner_max_num_threads is not None:
            options["env"] = dict(options.get("env") or {}, **{
                name: str(inner_max_num_threads)
                for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")})
        self._options = options
        self._executor: Optional[Executor] = None
        self.parallel: Any = None

    supports_inner_max_num_threads = True

    def effective_n_jobs(self, n_jobs: Optional[int]) -> int:
        if n_jobs == 0:
            raise ValueError("n_jobs == 0 in Parallel has no meaning")
        if n_jobs is not None and n_jobs > 0:
            return n_jobs
        engine = self._options.get("engine")
        if engine is None:
            with Engine() as own:
                capacity = int(own.session().get("capacity", 1))
        else:
            capacity = int(engine.session().get("capacity", 1))
        fitting = max(1, int(capacity / float(self._options.get("cores", 1))))
        return max(1, fitting + 1 + (-1 if n_jobs is None else n_jobs))

    def configure(self, n_jobs: int = 1, parallel: Any = None, prefer: Any = None, require: Any = None,
                  **unused: Any) -> int:
        n_jobs = self.effective_n_jobs(n_jobs)
        if n_jobs == 1:
            raise FallbackToBackend(SequentialBackend(nesting_level=self.nesting_level))
        self.parallel = parallel
        self._executor = Executor(n_jobs, **dict({"label": "joblib"}, **self._options))
        return n_jobs

    def submit(self, func: Callable[[], Any], callback: Optional[Callable[[Any], Any]] = None) -> _Job:
        assert self._executor is not None
        # The call goes as an argument: what is pickled as the function would be kept by the process.
        future = self._executor.submit(type(func).__call__, func)
        if callback is not None:
            future.add_done_callback(functools.partial(_tell, callback))
        return _Job(future)

    apply_async = submit

    def terminate(self) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_futures=True)
        self.reset_batch_stats()

    def abort_everything(self, ensure_ready: bool = True) -> None:
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=True, cancel_running=True)
        if ensure_ready:
            self.configure(n_jobs=self.parallel.n_jobs, parallel=self.parallel)


def _tell(callback: Callable[[Any], Any], future: "concurrent.futures.Future[Any]") -> None:
    if not future.cancelled() and future.exception() is None:
        callback(future.result())


def register(name: str) -> None:
    register_parallel_backend(name, YardmasterBackend)
