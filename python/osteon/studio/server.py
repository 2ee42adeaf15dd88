"""Requests of the page, and answers to these requests. Work on arrays and files is in plain functions, which Starlette
calls in threads.

    GET   /, /page/NAME, /viewer.js     the page; the viewer is the viewer of the report
    * /api/...                      data; all requests need the token (guard.py)
    GET   /results/TICKET/NAME          a file of results, for frames and links, which cannot send a header
"""

import asyncio
import json
import mimetypes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from ..errors import DataError, Error
from ..new_job import load_protocol, protocols
from . import results
from .answers import Crew, answered, as_json, of_bytes, of_json
from .foreign_file import json_of, opened
from .guard import Guard
from .job_file import Changed
from .program import run
from .session import Session

PAGE = Path(__file__).with_name("page")
VIEWER = PAGE.parents[1] / "report" / "viewer"
SHARED = ("volumes.js", "slices.js", "surface.glsl.js", "surface.js")
EXPORTS = "unpack, formatValue, roundLength, slicesOf, surfaceOf, PLANES, AXES"
SECONDS_BETWEEN_LOOKS = 0.2
# A report has a script of its own. This policy permits the script. The script cannot access the page and the data of
# the page.
REPORT_POLICY = "sandbox allow-scripts allow-downloads allow-popups"
# Other documents such as SVG and XML may contain scripts. This policy prevents such scripts from running.
FILE_POLICY = "sandbox allow-downloads; default-src 'none'; img-src data:; style-src 'unsafe-inline'"
PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp", "image/tiff")


def application(session: Session, token: str, allowed_host: str = "") -> Guard:
    return Guard(Starlette(routes=Server(session).routes()), token, allowed_host)


def viewer_script() -> str:
    """Return the modules of the report's viewer as one module of the page."""
    parts = "\n".join((VIEWER / name).read_text(encoding="utf-8") for name in SHARED)
    return f"{parts}\nexport {{{EXPORTS}}};\n"


class Server:
    def __init__(self, session: Session) -> None:
        self.session = session
        self.schema: dict[str, Any] | None = None
        # Slow requests have threads of their own, and therefore do not delay other requests.
        self.quick, self.reading, self.drawing, self.checking = Crew(32), Crew(8), Crew(2), Crew(1)

    def routes(self) -> list[Route]:
        get, post = ["GET"], ["POST"]
        slow = {
            "/api/check": self.checking,
            "/api/estimate": self.checking,
            "/api/protocol": self.reading,
            "/api/scan": self.reading,
            "/api/histogram": self.reading,
            "/api/slice/{axis:int}/{at:int}": self.reading,
            "/api/level": self.reading,
            "/api/meet": self.reading,
            "/api/sets/level": self.reading,
            "/api/sets/slice/{axis:int}/{at:int}": self.reading,
            "/api/open": self.reading,
            "/api/results/picture": self.drawing,
            "/api/results/film": self.drawing,
            "/api/results/export": self.drawing,
            "/api/results/compare": self.drawing,
        }
        table: list[tuple[str, list[str], Callable[[Request, Any], Any]]] = [
            ("/api/session", get, self.get_session),
            ("/api/open", post, self.open),
            ("/api/schema", get, self.get_schema),
            ("/api/job", get, self.get_job),
            ("/api/job", ["PATCH"], self.patch_job),
            ("/api/job", ["PUT"], self.put_job),
            ("/api/undo", post, self.undo),
            ("/api/redo", post, self.redo),
            ("/api/protocol", post, self.protocol),
            ("/api/scan", get, self.get_scan),
            ("/api/histogram", get, self.get_histogram),
            ("/api/slice/{axis:int}/{at:int}", get, self.get_slice),
            ("/api/level", get, self.get_level),
            ("/api/meet", post, self.meet),
            ("/api/check", post, self.check),
            ("/api/estimate", post, self.estimate),
            ("/api/sets/level", get, self.get_sets_level),
            ("/api/sets/slice/{axis:int}/{at:int}", get, self.get_sets_slice),
            ("/api/runs", get, self.get_runs),
            ("/api/runs", post, self.add_run),
            ("/api/runs/{number:int}/stop", post, self.stop_run),
            ("/api/runs/{number:int}/resume", post, self.resume_run),
            ("/api/runs/{number:int}/log", get, self.get_log),
            ("/api/runs/{number:int}/job", get, self.get_job_of_run),
            ("/api/runs/{number:int}/frame", get, self.get_frame),
            ("/api/results", get, self.get_results),
            ("/api/results/picture", post, self.draw),
            ("/api/results/film", post, self.film),
            ("/api/results/export", post, self.export),
            ("/api/results/compare", post, self.compare),
        ]
        routes = [
            Route(path, answered(act, slow.get(path, self.quick)), methods=methods) for path, methods, act in table
        ]
        routes += [
            Route("/api/events", self.events),
            Route("/", self.page),
            Route("/page/{name}", self.page),
            Route("/viewer.js", self.viewer),
            Route("/results/{ticket}/{name:path}", self.result_file),
        ]
        return routes

    # The page

    def page(self, request: Request) -> Response:
        path = file_in(PAGE, request.path_params.get("name", "index.html"))
        if path is None:
            return PlainTextResponse("file not found", 404)
        return FileResponse(path)

    def viewer(self, request: Request) -> Response:
        return Response(viewer_script(), media_type="text/javascript")

    # Opened files

    def get_session(self, request: Request, body: Any) -> dict[str, Any]:
        s = self.session
        return {
            "folder": str(s.folder),
            "files": s.folders.listed(),
            "job": s.job.path.name if s.job else None,
            "results": s.results.name if s.results else None,
            "note": s.note,
            "protocols": [{"name": n, "title": load_protocol(n)["title"]} for n in protocols()],
        }

    def open(self, request: Request, body: Any) -> dict[str, Any]:
        self.session.open(str(body["path"]))
        return self.get_session(request, body)

    def get_schema(self, request: Request, body: Any) -> dict[str, Any]:
        if self.schema is None:
            done = run("schema", folder=self.session.folder)
            self.schema = json.loads(done.stdout)
        return self.schema

    # The job file

    def get_job(self, request: Request, body: Any) -> dict[str, Any]:
        return self.session.require_job().state()

    def patch_job(self, request: Request, body: Any) -> Any:
        return self._change(lambda job: job.edit(str(body["base"]), body["operations"]))

    def put_job(self, request: Request, body: Any) -> Any:
        return self._change(lambda job: job.put(str(body["base"]), str(body["text"])))

    def undo(self, request: Request, body: Any) -> Any:
        return self._change(lambda job: job.undo(str(body["base"])))

    def redo(self, request: Request, body: Any) -> Any:
        return self._change(lambda job: job.redo(str(body["base"])))

    def protocol(self, request: Request, body: Any) -> Any:
        return self._change(lambda job: self.session.use_protocol(str(body["base"]), str(body["name"])))

    def _change(self, act: Callable[[Any], None]) -> Any:
        job = self.session.require_job()
        try:
            act(job)
        except Changed:
            return of_json(job.state(), 409)
        return job.state()

    # The scan

    def get_scan(self, request: Request, body: Any) -> dict[str, Any]:
        return self.session.scan().described()

    def get_histogram(self, request: Request, body: Any) -> dict[str, Any]:
        return vars(self.session.scan().histogram())

    def get_slice(self, request: Request, body: Any) -> Response:
        return of_bytes(self.session.scan().slice(request.path_params["axis"], request.path_params["at"]))

    def get_level(self, request: Request, body: Any) -> Response:
        level = self.session.scan().level(self.session.void_labels())
        shape = ",".join(str(n) for n in level.codes.shape)
        progress_file = {
            "X-Shape": shape,
            "X-Factor": str(level.factor),
            "X-Low": repr(level.low),
            "X-Step": repr(level.step),
        }
        return of_bytes(level.codes.tobytes(), progress_file)

    def meet(self, request: Request, body: Any) -> dict[str, Any]:
        found = self.session.scan().meet(body["begin"], body["end"], float(body["threshold"]), body.get("upper"))
        if found and self.session.checker:
            found["set"] = self.session.checker.at(found["voxel"])
        return {"hit": found}

    # Calls of the program

    def check(self, request: Request, body: Any) -> dict[str, Any]:
        return self.session.check()

    def estimate(self, request: Request, body: Any) -> dict[str, Any]:
        return self.session.estimate()

    def get_sets_level(self, request: Request, body: Any) -> Response:
        scan, checker = self.session.scan(), self.session.checker
        assert checker is not None
        return of_bytes(checker.level(scan.shape, scan.level(self.session.void_labels()).factor).tobytes())

    def get_sets_slice(self, request: Request, body: Any) -> Response:
        checker = self.session.checker
        assert checker is not None
        return of_bytes(
            checker.slice(request.path_params["axis"], request.path_params["at"], self.session.scan().shape).tobytes()
        )

    # Runs

    def get_runs(self, request: Request, body: Any) -> dict[str, Any]:
        runs = self.session.runs
        if runs is None:
            return {"runs": [], "is_mine": False, "note": ""}
        is_mine = runs.acquire()
        runs.tend()
        return {"runs": runs.listed(), "is_mine": is_mine, "note": runs.note}

    def add_run(self, request: Request, body: Any) -> Any:
        job, runs = self.session.require_job(), self.session.runs
        assert runs is not None
        state = job.state()
        if state["digest"] != body["base"]:
            return of_json(state, 409)
        self.session.require_images_inside()
        runs.add(state["text"], body.get("ranks") or None)
        return self.get_runs(request, body)

    def stop_run(self, request: Request, body: Any) -> dict[str, Any]:
        self.session.require_job()
        self.session.runs.stop(request.path_params["number"])
        return self.get_runs(request, body)

    def resume_run(self, request: Request, body: Any) -> dict[str, Any]:
        self.session.require_job()
        self.session.runs.resume(request.path_params["number"])
        return self.get_runs(request, body)

    def get_log(self, request: Request, body: Any) -> dict[str, Any]:
        self.session.require_job()
        return {"text": self.session.runs.log_of(request.path_params["number"])}

    def get_job_of_run(self, request: Request, body: Any) -> dict[str, Any]:
        self.session.require_job()
        return {"text": self.session.runs.job_of(request.path_params["number"])}

    def get_frame(self, request: Request, body: Any) -> Response:
        """Return the latest picture of a running solver. If the page already has this picture, the answer is empty."""
        self.session.require_job()
        folder = self.session.folders.below(self.session.runs.results_of(request.path_params["number"]))
        latest = results.latest_frame(folder)
        if latest is None or latest.name == request.query_params.get("has"):
            return of_bytes(b"")
        with opened(latest) as file:
            return of_bytes(file.read(), {"X-Name": latest.name})

    def get_results(self, request: Request, body: Any) -> dict[str, Any]:
        """Return the files of the results and their addresses. The results are those of a run with a given number, or
        those of the open folder."""
        number = request.query_params.get("run")
        folder = self.session.results_of(int(number) if number else None)
        if folder is None or not folder.is_dir():
            return {"folder": None}
        folder = self.session.folders.below(folder)
        summary = summary_in(folder)
        files = [
            {"name": p.name, "bytes": p.stat().st_size}
            for p in sorted(folder.iterdir())
            if p.is_file() and not p.is_symlink() and not p.name.startswith(".")
        ]
        return {
            "folder": folder.name,
            "ticket": self.session.ticket(folder),
            "files": files,
            "summary": summary,
            "fields": results.fields_in(folder),
            "exports": [{"ending": e, "takes_field": one} for e, one in results.EXPORTS.items()],
            "states": results.STATES,
            "jobs": results.JOBS if folder.with_suffix(".toml").is_file() else [],
        }

    def draw(self, request: Request, body: Any) -> Response:
        data, command = results.picture(self.session.require_results(body.get("run")), body["view"])
        return of_bytes(data, {"X-Command": command})

    def film(self, request: Request, body: Any) -> dict[str, Any]:
        return self._written(body.get("run"), lambda folder: results.film(folder, body["view"]))

    def export(self, request: Request, body: Any) -> dict[str, Any]:
        return self._written(
            body.get("run"), lambda folder: results.export(folder, str(body["ending"]), str(body.get("field") or ""))
        )

    def _written(self, run: int | None, write: Callable[[Path], tuple[str, str]]) -> dict[str, Any]:
        folder = self.session.require_results(run)
        name, command = write(folder)
        self.session.log({"command": command, "folder": folder.name})
        return {"name": name, "command": command, "is_file": (folder / name).is_file()}

    def compare(self, request: Request, body: Any) -> dict[str, Any]:
        job = self.session.require_job()
        numbers = [int(n) for n in body["runs"]][:6]
        folders = [self.session.require_results(n) for n in numbers]
        page = job.folder / f"compare_{'_'.join(map(str, numbers))}.html"
        command = results.compare(folders, page)
        self.session.log({"command": command})
        return {"ticket": self.session.ticket(job.folder), "name": page.name, "command": command}

    def result_file(self, request: Request) -> Response:
        folder = self.session.tickets.get(request.path_params["ticket"])
        if folder is None:
            return PlainTextResponse("this link is from an earlier studio; open the results again", 404)
        path = file_in(folder, request.path_params["name"])
        if path is None:
            return PlainTextResponse("file not found", 404)
        kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = {"cache-control": "no-store"}
        if kind not in PICTURES:
            headers["content-security-policy"] = REPORT_POLICY if kind == "text/html" else FILE_POLICY
        return FileResponse(
            path, media_type=kind, headers=headers, content_disposition_type="inline", filename=path.name
        )

    # Events

    async def events(self, request: Request) -> Response:
        """Stream lines of JSON. The lines contain changes of the job, runs, and the progress of runs. The page does not
        use an EventSource, because an EventSource cannot send a token."""
        return StreamingResponse(self._events(request), media_type="application/x-ndjson")

    async def _events(self, request: Request) -> AsyncIterator[str]:
        digest, sent_runs, at = None, None, {}
        while not await request.is_disconnected():
            now = await self.quick.call(self._changes, dict(at))
            if now["job"] and now["job"].get("digest") != digest:
                digest = now["job"].get("digest")
                yield as_json({"job": now["job"]}) + "\n"
            text = as_json(now["runs"])
            if text != sent_runs:
                sent_runs = text
                yield as_json({"runs": now["runs"]}) + "\n"
            for number, (lines, begin, end) in now["told"].items():
                if lines:
                    yield as_json({"told": {"run": number, "anew": begin == 0, "lines": lines}}) + "\n"
                at[number] = end
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)

    def _changes(self, at: dict[int, int]) -> dict[str, Any]:
        job, runs = self.session.job, self.session.runs
        if job is None or runs is None:
            return {"job": None, "runs": None, "told": {}}
        try:
            state = job.state()
        except Error as e:
            state = {"digest": None, "fault": str(e)}
        note = ""
        try:
            runs.tend()
        except OSError as e:  # for example, the disk is full; the queue retries at the next poll
            note = f"the list of runs cannot be written: {e.strerror}"
        progress_file, entries = {}, runs.listed()
        for entry in entries:
            number = entry["number"]
            begin = at.get(number, 0)
            lines, end = runs.lines(number, begin)
            progress_file[number] = (lines, begin if end >= begin else 0, end)
        listed = {"runs": entries, "is_mine": runs.is_mine, "note": note or runs.note}
        return {"job": state, "runs": listed, "told": progress_file}


def file_in(folder: Path, name: str) -> Path | None:
    """Return a file that is directly in a folder after resolving links. If the file does not exist, the result is
    None."""
    try:
        path = (folder / name).resolve()
        return path if path.parent == folder.resolve() and path.is_file() else None
    except (OSError, RuntimeError, ValueError):
        return None


def summary_in(folder: Path) -> dict[str, Any]:
    """Return the summary of results. Without a summary, the result is empty. @throws DataError, OSError"""
    try:
        found = json_of(folder / "summary.json")
    except FileNotFoundError:
        return {}
    except ValueError as e:
        raise DataError(f"'{folder.name}/summary.json' is damaged: {e}; run the job again") from None
    return found if isinstance(found, dict) else {}
