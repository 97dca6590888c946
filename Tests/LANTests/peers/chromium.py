"""A headless Chromium on this host, driven over its own protocol (the DevTools protocol) with python3-websockets."""
import asyncio
import base64
import json
import os
import pathlib
import shutil
import signal
import tempfile

import websockets

PROGRAM = "chromium"
FONTS = str(pathlib.Path(__file__).with_name("fonts.conf"))

# Nothing but what the page does may be heard on the network.
OPTIONS = [
    "--headless=new", "--no-sandbox", "--no-first-run", "--disable-background-networking", "--disable-component-update",
    "--disable-crash-reporter", "--disable-breakpad", "--disable-default-apps", "--disable-extensions", "--disable-sync",
    "--disable-gpu", "--disable-dev-shm-usage", "--mute-audio",
    "--disable-features=MediaRouter,OptimizationHints,Translate", "--hide-scrollbars", "--remote-debugging-port=0",
]


class Failure(Exception):
    """What the browser, or a page's script, answers instead of a result."""


class Browser:
    """A Chromium with a profile of its own, which goes with it."""

    async def __aenter__(self):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        environment = dict(os.environ, HOME=self.folder, XDG_CONFIG_HOME=self.folder, XDG_CACHE_HOME=self.folder, FONTCONFIG_FILE=FONTS)
        self.process = await asyncio.create_subprocess_exec(
            PROGRAM, *OPTIONS, f"--user-data-dir={self.folder}/profile", "about:blank", env=environment, start_new_session=True,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
        try:
            port, path = await asyncio.wait_for(self._endpoint(), 30)
            self.socket = await websockets.connect(f"ws://127.0.0.1:{port}{path}", max_size=None, ping_interval=None)
        except BaseException:
            await self._end()
            raise
        self.replies, self.listeners, self.count = {}, [], 0
        self.reader = asyncio.create_task(self._read())
        return self

    async def __aexit__(self, *_):
        self.reader.cancel()
        await self._end()

    async def _endpoint(self):
        file = pathlib.Path(self.folder, "profile", "DevToolsActivePort")
        while True:
            lines = file.read_text().split("\n") if file.exists() else []
            if len(lines) > 1:
                return lines[0], lines[1]
            if self.process.returncode is not None:
                raise Failure(f"{PROGRAM} ended with code {self.process.returncode}")
            await asyncio.sleep(0.03)

    async def _end(self):
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    async def _read(self):
        async for text in self.socket:
            message = json.loads(text)
            if "id" in message:
                self.replies.pop(message["id"]).set_result(message)
            else:
                for listener in self.listeners:
                    listener(message.get("sessionId"), message["method"], message.get("params", {}))

    async def call(self, method, session=None, **parameters):
        self.count += 1
        self.replies[self.count] = reply = asyncio.get_running_loop().create_future()
        message = {"id": self.count, "method": method, "params": parameters}
        await self.socket.send(json.dumps(dict(message, sessionId=session) if session else message))
        answer = await asyncio.wait_for(reply, 30)
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']}")
        return answer["result"]

    async def page(self, width, height, is_dark=False, is_phone=True):
        """Opens a window that knows nothing of the others: another phone."""
        context = (await self.call("Target.createBrowserContext"))["browserContextId"]
        target = (await self.call("Target.createTarget", url="about:blank", browserContextId=context))["targetId"]
        session = (await self.call("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
        page = Page(self, session, context)
        await page.set_up(width, height, is_dark, is_phone)
        return page


class Page:
    """A window of a phone's size, with fingers instead of a mouse."""

    def __init__(self, browser, session, context):
        self.browser, self.session, self.context = browser, session, context
        # What the page says to the console, and what it should not have done.
        self.complaints = []
        # Each address that was asked for.
        self.requests = []
        self.loaded = asyncio.Event()
        browser.listeners.append(self._listen)

    def _listen(self, session, method, parameters):
        if session != self.session:
            return
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["source"] not in ("network", "javascript"):
            self.complaints.append(parameters["entry"]["text"])
        elif method == "Page.loadEventFired":
            self.loaded.set()
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(parameters["url"])

    async def call(self, method, **parameters):
        return await self.browser.call(method, self.session, **parameters)

    async def set_up(self, width, height, is_dark, is_phone):
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.call(f"{domain}.enable")
        await self.resize(width, height, is_phone)
        await self.look(is_dark)

    async def resize(self, width, height, is_phone=True):
        await self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=2 if is_phone else 1, mobile=is_phone)
        await self.call("Emulation.setTouchEmulationEnabled", enabled=is_phone)

    async def look(self, is_dark, is_still=True):
        features = [{"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}]
        features += [{"name": "prefers-reduced-motion", "value": "reduce" if is_still else "no-preference"}]
        await self.call("Emulation.setEmulatedMedia", features=features)

    async def open(self, address):
        """Opens an address, in a new document even if only the fragment is another one."""
        if (await self.value("location.href")).split("#")[0] == address.split("#")[0]:
            await self.open("about:blank")
        self.loaded.clear()
        await self.call("Page.navigate", url=address)
        await asyncio.wait_for(self.loaded.wait(), 30)

    async def reload(self):
        self.loaded.clear()
        await self.call("Page.reload")
        await asyncio.wait_for(self.loaded.wait(), 30)

    async def offline(self, is_offline):
        await self.call("Network.emulateNetworkConditions", offline=is_offline, latency=0, downloadThroughput=-1, uploadThroughput=-1)

    async def value(self, expression):
        """The value of an expression in the page, or of its promise."""
        answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failure(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    async def texts(self):
        """The lines that a person sees."""
        lines = await self.value(
            "Array.from(document.body ? document.body.children : []).filter((part) => part.getClientRects().length && !part.matches('.unseen')).map((part) => part.innerText).join('\\n')")
        # Names are set apart by characters that nobody sees; nor does anybody see which spaces break no line.
        visible = (lines or "").translate({0x2068: None, 0x2069: None, 0xA0: " "})
        return [line.strip() for line in visible.split("\n") if line.strip()]

    async def tap(self, name):
        """Taps what can be pressed and has this text, or this label; waits until it is there."""
        box = await self.soon(lambda: self.value(f"({PLACE})({json.dumps(name)})"), 5)
        if not box:
            raise Failure(f"there is nothing to tap that is called '{name}'")
        point = {"x": box[0], "y": box[1]}
        await self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[point])
        await self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    async def soon(self, ask, limit):
        """Asks until there is a value."""
        deadline = asyncio.get_running_loop().time() + limit
        while True:
            answer = await ask()
            if answer or asyncio.get_running_loop().time() > deadline:
                return answer
            await asyncio.sleep(0.05)

    async def write(self, text):
        """Writes into what has the focus."""
        await self.call("Input.insertText", text=text)

    async def press(self, key):
        code = {"Enter": 13, "Tab": 9, "Escape": 27, "Space": 32}.get(key) or ord(key.upper())
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
        name = " " if key == "Space" else key
        await self.call("Input.dispatchKeyEvent", type="keyDown", key=name, code=key, windowsVirtualKeyCode=code, text=text)
        await self.call("Input.dispatchKeyEvent", type="keyUp", key=name, code=key, windowsVirtualKeyCode=code)

    async def live_regions(self):
        """What the browser's own accessibility tree has to say by itself: lines of `polite` or `assertive`, and what a region says now."""
        lines = []
        nodes = (await self.call("Accessibility.getFullAXTree"))["nodes"]
        known = {node["nodeId"]: node for node in nodes}

        def texts(node):
            if node.get("role", {}).get("value") == "StaticText":
                return [node["name"]["value"]]
            return [text for child in node.get("childIds", []) if child in known for text in texts(known[child])]

        for node in nodes:
            values = {entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])}
            if values.get("live", "off") != "off" and values.get("root", {}) is not None:
                parent = known.get(node.get("parentId"), {})
                inherited = {entry["name"]: entry["value"].get("value") for entry in parent.get("properties", [])}
                if inherited.get("live", "off") == "off":
                    lines.append(f"{values['live']}: {' | '.join(texts(node))}")
        return True, lines

    async def picture(self, path):
        answer = await self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(answer["data"]))

    async def close(self):
        self.browser.listeners.remove(self._listen)
        await self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)


# The middle of the element with a name, scrolled into view; null if there is none that can be pressed.
PLACE = r"""(name) => {
  const called = (element) => {
    const label = element.getAttribute("aria-label") || "";
    const text = element.textContent.trim().replace(/\u00a0/g, " ").replace(/[\u2068\u2069]/g, "");
    return [text, label].includes(name) || label.startsWith(name + ", from ");
  };
  const all = Array.from(document.querySelectorAll("button, summary, input, a, label"));
  // Of two cards with the same number, the one that is not chosen.
  const isFree = (element) => !element.disabled && element.getClientRects().length && element.getAttribute("aria-pressed") !== "true";
  const element = all.find((element) => isFree(element) && called(element));
  if (!element) return null;
  element.scrollIntoView({ block: "center", behavior: "instant" });
  const box = element.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const top = document.elementFromPoint(x, y);
  return top && (element.contains(top) || top.contains(element)) ? [x, y] : null;
}"""
