"""A headless Chromium that tests control by the DevTools protocol: pages, keys, pointer, wheel, touch, pictures and
paper."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")
KEYS = {
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "PageUp": 33,
    "PageDown": 34,
    "Home": 36,
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
}
MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}


def why_not() -> str:
    """Reason for the absence of a browser. The reason is empty if there is a browser."""
    if program() is None:
        return "no Chromium is installed (Debian: chromium)"
    try:
        import websocket  # noqa: F401
    except ImportError:
        return "the package websocket-client is not installed (tools/requirements-test.txt)"
    return ""


def program() -> str | None:
    return os.environ.get("OSTEON_BROWSER") or next(filter(None, map(shutil.which, PROGRAMS)), None)


class Page:
    """One page. Errors and warnings of the console of the page are collected."""

    def __init__(self, address: str, time_out: float) -> None:
        import websocket

        self.socket = websocket.create_connection(address, timeout=time_out, suppress_origin=True)
        self.time_out = time_out
        self.number = 0
        self.complaints: list[str] = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while True:
            told = json.loads(self.socket.recv())
            if told.get("id") == self.number:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']}")
                return told["result"]
            self._take(told)

    def _take(self, told: dict[str, Any]) -> None:
        what, values = told.get("method"), told.get("params", {})
        if what == "Runtime.consoleAPICalled" and values["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in values["args"]))
        elif what == "Runtime.exceptionThrown":
            self.complaints.append(str(values["exceptionDetails"].get("exception", {}).get("description")))
        elif what == "Log.entryAdded" and values["entry"]["level"] in ("error", "warning"):
            self.complaints.append(values["entry"]["text"])

    def size(self, width: int, height: int, touch: bool = False) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)

    def dark(self, is_dark: bool = True) -> None:
        value = "dark" if is_dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": value}])

    def open(self, path: Path | str, fragment: str = "") -> None:
        """@param path path of a file, or an address"""
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=path if isinstance(path, str) else path.resolve().as_uri() + fragment)

    def value(self, script: str) -> Any:
        """Value of a JavaScript expression. A promise is awaited."""
        reported = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reported:
            raise RuntimeError(str(reported["exceptionDetails"].get("exception", {}).get("description")))
        return reported["result"].get("value")

    def wait_for(self, script: str) -> None:
        end = time.monotonic() + self.time_out
        while not self.value(script):
            if time.monotonic() > end:
                raise TimeoutError(f"{script} is not true after {self.time_out} s; the console says {self.complaints}")
            time.sleep(0.05)

    def centre(self, selector: str) -> tuple[float, float]:
        """Position of an element, which is scrolled into view."""
        return tuple(
            self.value(
                f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.scrollIntoView({{block: 'center'}}); "
                "const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()"
            )
        )

    def key(self, name: str, *held: str) -> None:
        """Press a key while modifiers ("Control") are pressed."""
        text = {"text": "\r"} if name == "Enter" else {"text": name} if len(name) == 1 and not held else {}
        code = KEYS.get(name, ord(name[0].upper()))
        bits = sum(MODIFIERS[h] for h in held)
        self.call(
            "Input.dispatchKeyEvent", type="keyDown", key=name, windowsVirtualKeyCode=code, modifiers=bits, **text
        )
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code, modifiers=bits)

    def type(self, selector: str, text: str) -> None:
        """Replace the text of a field as a user would type it, and leave the field by Enter."""
        self.value(f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select(); }})()")
        self.call("Input.insertText", text=text)
        self.key("Enter")

    def click(self, selector: str) -> None:
        place = self.centre(selector)
        self.drag(place, place)

    def drag(self, begin: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag with the pointer. If the pointer does not move, the drag is a click."""
        for kind, (x, y) in (("mousePressed", begin), ("mouseMoved", end), ("mouseReleased", end)):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=1, clickCount=1)

    def wheel(self, at: tuple[float, float], by: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=at[0], y=at[1], deltaX=0, deltaY=by)

    def touch(self, *moves: list[tuple[float, float]]) -> None:
        """Touch with fingers at these positions, move the fingers to the next positions, and then lift the fingers."""
        for n, places in enumerate(moves):
            points = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(places)]
            self.call("Input.dispatchTouchEvent", type="touchMove" if n else "touchStart", touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def picture(self, path: Path, whole: bool = False) -> None:
        reported = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(reported["data"]))

    def paper(self, path: Path) -> int:
        """Print the page to PDF. @return the number of pages"""
        reported = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=True)
        data = base64.b64decode(reported["data"])
        path.write_bytes(data)
        return data.count(b"/Type /Page\n") + data.count(b"/Type /Page/") or data.count(b"/Type /Page ")


@contextlib.contextmanager
def browser(time_out: float = 120, has_gl: bool = True) -> Iterator[Page]:
    """A browser with one page. The browser ends with the block."""
    with tempfile.TemporaryDirectory(prefix="osteon-browser-", ignore_cleanup_errors=True) as folder:
        words = [
            str(program()),
            *("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run"),
            *("--disable-extensions", "--disable-background-networking", "--disable-component-update", "--mute-audio"),
            *(("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader") if has_gl else ("--disable-gpu", "--disable-3d-apis")),
            f"--user-data-dir={folder}",
            "--remote-debugging-port=0",
            "about:blank",
        ]  # fmt: skip
        printed = Path(folder) / "said"
        with printed.open("wb") as file:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=file)
        try:
            port_file = Path(folder) / "DevToolsActivePort"
            end = time.monotonic() + time_out
            while not (port_file.exists() and port_file.read_text().count("\n") >= 1):
                if process.poll() is not None or time.monotonic() > end:
                    last = printed.read_text(errors="replace").strip().splitlines()[-3:]
                    raise RuntimeError(f"{words[0]} did not start (exit code {process.returncode}): {' '.join(last)}")
                time.sleep(0.05)
            port = int(port_file.read_text().split("\n")[0])
            page = Page(_address(port), time_out)
            try:
                yield page
            finally:
                page.socket.close()
        finally:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            if process.poll() is None:
                process.kill()
                process.wait()


def _address(port: int) -> str:
    import http.client

    link = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    link.request("GET", "/json")
    pages = json.loads(link.getresponse().read())
    return next(p["webSocketDebuggerUrl"] for p in pages if p["type"] == "page")
