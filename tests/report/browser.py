"""A headless Chromium, driven over a pipe with the DevTools protocol. Standard library only."""

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile


class Browser:
    """One browser with one page. Use it in a with statement."""

    def __init__(self):
        program = shutil.which("chromium") or shutil.which("google-chrome")
        if program is None:
            print("skipped: chromium is missing; tools/deps all installs it", file=sys.stderr)
            raise SystemExit(77)  # what tests/report/CMakeLists.txt takes for "skipped"
        self.profile = tempfile.mkdtemp(prefix="sotto-browser-")
        to_browser, self.requests = os.pipe()
        self.answers, from_browser = os.pipe()
        # The browser reads its descriptor 3 and writes its descriptor 4.
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$@" 3<&{to_browser} 4>&{from_browser}', "sh", program,
             "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile}", "about:blank"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, env={**os.environ, "HOME": self.profile})
        os.close(to_browser)
        os.close(from_browser)
        self.waiting = b""
        self.count = 0
        self.session = None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target,
                                 flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.call("Browser.close")
            self.process.wait(timeout=20)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        """The next message: messages end with a zero byte."""
        while b"\0" not in self.waiting:
            part = os.read(self.answers, 1 << 16)
            if not part:
                raise EOFError("the browser went away")
            self.waiting += part
        text, self.waiting = self.waiting.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session is not None:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.requests, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, path, width, height, scheme, media="screen"):
        """Shows a file. Returns what it asked for beside itself and what
        stands in it, and what the browser said of it."""
        address = "file://" + os.path.abspath(path)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events = []
        self.call("Page.navigate", url=address)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            event = self.message()
            if "method" in event:
                self.events.append(event)
        self.run("document.fonts.ready.then(() => 1)")
        asked = [event["params"]["request"]["url"] for event in self.events
                 if event["method"] == "Network.requestWillBeSent"]
        said = [event["params"]["entry"]["text"] for event in self.events
                if event["method"] == "Log.entryAdded"]
        said += [str(event["params"]) for event in self.events
                 if event["method"] in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled")]
        return [url for url in asked
                if url != address and not url.startswith("data:")], said

    def run(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"].get("description"))
        return answer["result"].get("value")

    def violations(self, axe):
        """What axe-core, the text of axe.min.js, finds on the page, in one sentence each."""
        self.run(axe)
        return self.run("axe.run(document, {resultTypes: ['violations']}).then((result) => result.violations.map((fault) => "
                        "'axe: ' + fault.id + ' at ' + fault.nodes.slice(0, 3).map((node) => node.target.join(' ') + ' ' + "
                        "(node.any[0]?.message ?? '')).join('; ') + ' (' + fault.nodes.length + ')'))")

    def picture(self, path):
        """The whole page as a PNG file; returns its first pixel."""
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png",
                                          captureBeyondViewport=True)["data"])
        with open(path, "wb") as file:
            file.write(data)
        return first_pixel(data)

    def print(self, path):
        """The page as a PDF file; returns the number of its pages."""
        data = base64.b64decode(self.call("Page.printToPDF", printBackground=True,
                                          preferCSSPageSize=True)["data"])
        with open(path, "wb") as file:
            file.write(data)
        return data.count(b"/Type /Page\n") + data.count(b"/Type /Page\r")


def first_pixel(png):
    """Red, green and blue of the top left corner: whatever the filter of its line, these bytes are
    themselves, since nothing is above or to the left."""
    import zlib
    at, packed = 8, b""
    while at < len(png):
        size = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            packed += png[at + 8:at + 8 + size]
        at += size + 12
    return tuple(zlib.decompressobj().decompress(packed, 4)[1:4])


def read_axe(path):
    """The text of axe.min.js: a file, or the first one below a folder."""
    if os.path.isdir(path):
        path = next(os.path.join(folder, "axe.min.js") for folder, _, names in sorted(os.walk(path)) if "axe.min.js" in names)
    with open(path, encoding="utf-8") as file:
        return file.read()
