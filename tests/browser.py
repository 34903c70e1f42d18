"""Headless Chromium, driven by the DevTools protocol through two pipes.

One browser has many tabs. A tab records the errors, console messages and requests of its page.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

COMMANDS = ("chromium", "chromium-browser", "google-chrome")
ANSWER_SECONDS = 60.0
"""Seconds to wait for an answer: more than a loaded machine needs."""

# The browser reads requests from descriptor 3 and writes answers to 4, to which a shell connects our pipes.
START = 'exec "$@" 3<&"$READ" 4>&"$WRITE"'


def found() -> str | None:
    """Return the path of a browser, or None."""
    return next((path for name in COMMANDS if (path := shutil.which(name))), None)


class Browser:
    """A Chromium process with a temporary profile. As a context manager, it ends with its block."""

    def __init__(self, command: str) -> None:
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self.requests = os.pipe()
        self.answers, write = os.pipe()
        options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--no-first-run",
            "--hide-scrollbars",
            f"--user-data-dir={self.folder.name}",
            "--remote-debugging-pipe",
        ]
        self.process = subprocess.Popen(
            ["bash", "-c", START, "bash", command, *options, "about:blank"],
            pass_fds=(read, write),
            env={**os.environ, "READ": str(read), "WRITE": str(write)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read)
        os.close(write)
        self.rest = b""
        self.number = 0
        self.tabs: dict[str, Tab] = {}

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.send("Browser.close")
            self.process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.requests)
        os.close(self.answers)
        self.folder.cleanup()

    def send(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command, and return its result."""
        self.number += 1
        number, message = self.number, {"id": self.number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self.requests, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + ANSWER_SECONDS
        while (answer := self._next(end)).get("id") != number:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def listen(self, seconds: float) -> None:
        """Record events for some seconds."""
        end = time.monotonic() + seconds
        try:
            while True:
                self._next(end)
        except TimeoutError:
            pass

    def _next(self, end: float) -> dict[str, Any]:
        """Return the next message; an event of a tab is recorded in the tab."""
        while b"\0" not in self.rest:
            ready = select.select([self.answers], [], [], max(end - time.monotonic(), 0.0))[0]
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                raise TimeoutError("the browser does not answer" if not ready else "the browser has ended")
            self.rest += part
        line, self.rest = self.rest.split(b"\0", 1)
        message: dict[str, Any] = json.loads(line)
        tab = self.tabs.get(message.get("sessionId", ""))
        if "method" in message and tab is not None:
            tab.events.append(message)
        return message

    def tab(self, width: int = 1280, height: int = 900, dark: bool = False, scale: float = 1.0) -> "Tab":
        """Open a tab of this size, in light or dark colours."""
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        return Tab(self, target, session, width, height, dark, scale)


class Tab:
    """One page of the browser."""

    def __init__(
        self, browser: Browser, target: str, session: str, width: int, height: int, dark: bool, scale: float
    ) -> None:
        self.browser, self.target, self.session = browser, target, session
        self.events: list[dict[str, Any]] = []
        browser.tabs[session] = self
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")
        self.resize(width, height, scale)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.send("Emulation.setEmulatedMedia", features=scheme)

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command to this page, and return its result."""
        return self.browser.send(method, self.session, **parameters)

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        """Resize the window; a window narrower than 600 pixels is that of a phone."""
        self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )

    def open(self, path: Path) -> None:
        """Load a file, and wait until the page sets ``data-complete``."""
        self.send("Page.navigate", url=path.resolve().as_uri())
        self.until("document.documentElement?.dataset.complete !== undefined")

    def until(self, condition: str, seconds: float = ANSWER_SECONDS) -> None:
        """Wait until an expression is true."""
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            if time.monotonic() > end:
                raise TimeoutError(f"{condition} did not come true; the page said {self.errors()}")
            time.sleep(0.02)

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression; a promise is awaited."""
        found = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(json.dumps(found["exceptionDetails"]))
        return found["result"].get("value")

    def frame(self) -> None:
        """Wait for two frames, so that pending changes are drawn."""
        self.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")

    def errors(self) -> list[str]:
        """Return exceptions and all messages on the console."""
        self.browser.listen(0.05)
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def requests(self) -> list[str]:
        """Return the addresses that the page requested."""
        self.browser.listen(0.05)
        sent = (event for event in self.events if event["method"] == "Network.requestWillBeSent")
        return [event["params"]["request"]["url"] for event in sent]

    def click(self, x: float, y: float) -> None:
        """Click at a position of the window."""
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def move(self, x: float, y: float, pressed: bool = False) -> None:
        """Move the pointer, with its button pressed or not."""
        button = "left" if pressed else "none"
        self.send(
            "Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button=button, buttons=int(pressed)
        )

    def drag(self, x: float, y: float, to_x: float, to_y: float) -> None:
        """Drag from one position to another."""
        self.move(x, y)
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=x, y=y, button="left", clickCount=1)
        for t in (0.25, 0.5, 0.75, 1.0):
            self.move(x + t * (to_x - x), y + t * (to_y - y), pressed=True)
        self.send(
            "Input.dispatchMouseEvent", type="mouseReleased", x=to_x, y=to_y, button="left", clickCount=1
        )

    def key(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
            codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38}
            code = {"windowsVirtualKeyCode": codes[key]} if key in codes else {}
            self.send("Input.dispatchKeyEvent", type="keyDown", key=key, **text, **code)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=key, **code)

    def type(self, text: str) -> None:
        """Insert text at the focus."""
        self.send("Input.insertText", text=text)

    def screenshot(self, path: Path, selector: str | None = None, margin: int = 16) -> None:
        """Save the window, or one element of the page with a margin, as a PNG."""
        clip: dict[str, Any] = {}
        if selector is not None:
            box = self.evaluate(
                f"(() => {{ const b = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                " return [b.x + scrollX, b.y + scrollY, b.width, b.height] })()"
            )
            x, y, width, height = box
            box = {
                "x": x - margin,
                "y": y - margin,
                "width": width + 2 * margin,
                "height": height + 2 * margin,
            }
            clip = {"clip": {**box, "scale": 1}, "captureBeyondViewport": True}
        found = self.send("Page.captureScreenshot", format="png", **clip)
        path.write_bytes(base64.b64decode(found["data"]))

    def close(self) -> None:
        """Close the page."""
        self.browser.send("Target.closeTarget", targetId=self.target)
        del self.browser.tabs[self.session]
