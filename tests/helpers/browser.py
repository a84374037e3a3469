"""A headless Chromium driven over its debugging pipe: no package, no port, no network.

DevTools protocol, https://chromedevtools.github.io/devtools-protocol: JSON messages that end with
a null byte, commands on file descriptor 3 of the browser and answers on 4.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PATIENCE = 300.0


def find():
    """The path of a Chromium or Chrome on this machine."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One page of a headless browser.

    Attributes:
        errors: What the page wrote to its console as an error, and exceptions nobody caught.
    """

    def __init__(self, executable):
        self.errors = []
        self._profile = tempfile.mkdtemp(prefix="browser-")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        command = [
            executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-dev-shm-usage", "--disable-background-networking", "--remote-debugging-pipe",
            f"--user-data-dir={self._profile}", "about:blank",
        ]  # fmt: skip
        # The shell moves the pipe to the numbers that the browser expects.
        script = f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self._process = subprocess.Popen(
            ["bash", "-c", script, "browser", *command],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._buffer, self._count, self._session = b"", 0, ""
        pages = self._send("Target.getTargets")["targetInfos"]
        target = next(page["targetId"] for page in pages if page["type"] == "page")
        attachment = self._send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attachment["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self._send(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._process.terminate()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, page, *, fragment="", width=1280, dark=False):
        """Shows a file, or an address, and waits until all its charts are drawn."""
        self._send(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=900, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._send("Emulation.setEmulatedMedia", features=[scheme])
        self._send("Page.navigate", url="about:blank")
        address = page if isinstance(page, str) else page.resolve().as_uri()
        self._send("Page.navigate", url=address + fragment)
        self.wait("document.documentElement?.dataset.ready === 'yes'")

    def emulate(self, media):
        """Lays the page out for a medium, "print" or "screen"; for its own one if empty."""
        self._send("Emulation.setEmulatedMedia", media=media)

    def wait(self, condition):
        """Waits until a JavaScript expression is true."""
        begin = time.monotonic()
        while not self.value(condition):
            assert time.monotonic() - begin < _PATIENCE, f"never true: {condition}"
            time.sleep(0.05)

    def value(self, expression):
        """Value of a JavaScript expression; promises are waited for."""
        evaluation = self._send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in evaluation, evaluation["exceptionDetails"]
        return evaluation["result"].get("value")

    def move(self, x, y, *, click=False):
        """Moves the mouse to a place on the screen, and perhaps clicks there."""
        self._send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased") if click else ():
            self._send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key, *, code=0):
        """Presses and releases a key; `code` is its virtual key code where it writes nothing."""
        about = {"key": key, "code": key, "windowsVirtualKeyCode": code}
        for kind in ("keyDown", "keyUp"):
            self._send("Input.dispatchKeyEvent", type=kind, **about)

    def pdf(self):
        """The page as it prints."""
        return base64.b64decode(self._send("Page.printToPDF", printBackground=True)["data"])

    def _send(self, method, **parameters):
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer["error"]
                return dict(answer["result"])
            self._note(answer)

    def _note(self, event):
        about = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            self.errors.append(str(about["exceptionDetails"]))
        if event.get("method") == "Runtime.consoleAPICalled" and about["type"] == "error":
            self.errors.append(str(about["args"]))
        if event.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(str(about["entry"]))

    def _receive(self):
        while b"\0" not in self._buffer:
            readable, _, _ = select.select([self._in], [], [], _PATIENCE)
            assert readable, "the browser does not answer"
            chunk = os.read(self._in, 1 << 20)
            assert chunk, "the browser has gone"
            self._buffer += chunk
        text, _, self._buffer = self._buffer.partition(b"\0")
        return dict(json.loads(text))
