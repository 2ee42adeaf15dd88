"""State of a studio. The state consists of the opened folders, and of a job (with its scan, check and runs) or a folder
of results."""

import json
import os
import secrets
import threading
import tomllib
from pathlib import Path
from typing import Any

from ..errors import DataError, UsageError
from ..images.read_image import silence
from ..new_job import DEFAULT, protocols, write_job
from .folders import Folders, Outside, kind_of
from .image_files import images_in, require_inside
from .job_file import JobFile
from .program import Checker, answer_of
from .runs import Runs
from .scan import Scan

MOST_TICKETS = 50


class Session:
    """Several threads may use the object concurrently."""

    def __init__(self, folder: Path) -> None:
        self.folders = Folders(folder)
        self.folder = self.folders.opened[0]
        self.job: JobFile | None = None
        self.runs: Runs | None = None
        self.checker: Checker | None = None
        self.results: Path | None = None
        self.lock = threading.Lock()
        self._scan: tuple[Any, Scan] | None = None
        self.tickets: dict[str, Path] = {}
        self.note = ""  # message for the page about the opened path
        self.added: set[tuple[Path, int]] = set()  # runs that this studio has added to a queue

    def open(self, text: str) -> None:
        """@throws DataError, UsageError"""
        path = self.folders.below(text)
        if not path.exists():
            raise DataError(f"'{text}' does not exist")
        kind = kind_of(path)
        if kind == "results":
            self.results, self.note = path, ""
        elif kind == "job":
            self._open(path)
            self.note = ""
        else:
            self._open(self._job_of(path))

    def _open(self, path: Path) -> None:
        # the studio writes to this folder, and the folder may be a link
        self.folders.below(path.with_suffix(".studio"))
        job = JobFile(path)
        job.text()
        if self.runs is not None:
            self.runs.release()
        self.job, self.runs, self.checker = job, Runs(job, added=self.added), Checker(job.folder)
        self.results = None

    def _job_of(self, scan: Path) -> Path:
        """Return the job for a scan. The job is an existing job in the folder of the scan, or a new job."""
        stem = scan.name.split(".")[0] or "job"
        target = self.folder / f"{stem}.toml"
        for candidate in (target, scan.with_name(f"{stem}.toml")):
            if candidate.is_file() and self._is_of(candidate, scan):
                self.note = f"opened {candidate.name}, an existing job of this scan"
                return candidate
        number = 1
        while os.path.lexists(target):
            number += 1
            target = self.folder / f"{stem}_{number}.toml"
        with silence():
            text, points = write_job(os.path.relpath(scan), target, DEFAULT)
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
        self.note = f"wrote {target.name}, as by `osteon new`" + "".join(f"; {p}" for p in points)
        return target

    @staticmethod
    def _is_of(job: Path, scan: Path) -> bool:
        try:
            image = tomllib.loads(job.read_text(encoding="utf-8"))["image"]["path"]
            return (job.parent / image).resolve() == scan
        except (OSError, ValueError, KeyError, TypeError, RecursionError, RuntimeError):
            return False

    def require_job(self) -> JobFile:
        if self.job is None:
            raise UsageError("no job is open")
        return self.job

    def data(self) -> dict[str, Any]:
        """Return the keys of the job. For invalid TOML, the result is empty."""
        data = self.require_job().state()["data"]
        return data if isinstance(data, dict) else {}

    def scan(self) -> Scan:
        """Return the scan of the current job. If the file or its steps have changed, the scan is read again.
        @throws DataError"""
        job = self.require_job()
        image = self.data().get("image")
        if not isinstance(image, dict) or not isinstance(image.get("path"), str):
            raise DataError("the job has no image: [image] path")
        path = Path(os.path.normpath(job.path.parent / image["path"]))
        self.folders.below(path)
        steps = image.get("step", [])
        given = image.get("spacing_mm")
        given = [given] * 3 if isinstance(given, (int, float)) else given
        try:
            stamp = path.stat()
        except (OSError, ValueError):
            raise DataError(f"'{path}' does not exist; [image] path is relative to the job file") from None
        accepts = image.get("accept_fill_value") is True
        key = (str(path), stamp.st_size, stamp.st_mtime_ns, repr(steps), repr(given) if steps else "", accepts)
        with self.lock:
            if self._scan is None or self._scan[0] != key:
                self._scan = None  # this assignment frees the old scan before the new scan is read
                require_inside(path, self.folders.below)
                self._scan = (key, Scan(path, steps, given, accepts))
            return self._scan[1]

    def void_labels(self) -> list[int] | None:
        """Return the labels of empty space in a label image."""
        segment = self.data().get("segment")
        if not isinstance(segment, dict) or segment.get("labels") is not True:
            return None
        return [int(v) for v in segment.get("void_labels", [0])]

    def require_images_inside(self) -> None:
        """Check the images of the job before the program reads them. @throws DataError"""
        folder = self.require_job().path.parent
        for path in images_in(self.data()):
            try:
                require_inside(Path(os.path.normpath(folder / path)), self.folders.below)
            except (OSError, ValueError):
                continue  # the file cannot be read; the program will report the reason

    def check(self) -> dict[str, Any]:
        job = self.require_job()
        self.require_images_inside()
        try:
            scan = self.scan()
        except Outside:
            raise
        except DataError:
            scan = None  # the check will report the fault
        assert self.checker is not None
        return self.checker.check(job.path, job.digest(), scan)

    def estimate(self) -> dict[str, Any]:
        job = self.require_job()
        self.require_images_inside()
        there = f"output.directory={json.dumps(str(job.folder))}"  # the check has stored the model in this folder
        return answer_of("estimate", f"./{job.path.name}", "--quick", "--set", there, folder=job.path.parent)

    def use_protocol(self, base: str, name: str) -> None:
        """Rewrite the job with a protocol. The change is one undo step."""
        if name not in protocols():
            raise UsageError(f"no protocol '{name}'")
        job = self.require_job()
        with silence():
            text, _ = write_job(os.path.relpath(self.scan().source), job.path, name)
        job.put(base, text)

    def results_of(self, run: int | None) -> Path | None:
        """Return the folder of the run with a number. Without a number, return the open folder."""
        return self.results if run is None or self.runs is None else self.runs.results_of(run)

    def require_results(self, run: int | None) -> Path:
        """@throws UsageError"""
        from ..results.cluster_parts import results_exist

        folder = self.results_of(None if run is None else int(run))
        if folder is None or not results_exist(folder / "results.nc"):
            raise UsageError("no results to show")
        return self.folders.below(folder)

    def log(self, entry: dict[str, Any]) -> None:
        """If a job is open, write to the log of the job."""
        if self.job is not None:
            self.job.log(entry)

    def ticket(self, folder: Path) -> str:
        """Return a name with which frames and links can fetch files of results without the token."""
        folder = self.folders.below(folder)
        for known, path in self.tickets.items():
            if path == folder:
                return known
        while len(self.tickets) >= MOST_TICKETS:
            self.tickets.pop(next(iter(self.tickets)))
        name = secrets.token_urlsafe(24)
        self.tickets[name] = folder
        return name
