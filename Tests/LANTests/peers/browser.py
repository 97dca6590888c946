"""People at phones: windows of one headless Chromium, each a phone of its own.

Each line of standard input is a request, each line of standard output the answer to one: {"id", "lines", "isDone"}. A request is
{"id", "window": NAME, "do": VERB, "with": ARGUMENTS}; the verbs are the functions below.
"""
import asyncio
import json
import pathlib
import sys

from chromium import Browser, Failure

FOLDER = pathlib.Path(__file__).parent


class Phones:
    """The windows by name, and what can be done with one."""

    def __init__(self, browser):
        self.browser, self.pages = browser, {}

    async def new(self, name, width, height, is_dark, is_phone):
        self.pages[name] = await self.browser.page(width, height, is_dark, is_phone)

    async def shows(self, name, texts, others, limit):
        """Waits until a person sees all of the first texts, and none of the others."""
        lines = []

        async def is_shown():
            lines[:] = await self.pages[name].texts()
            return all(any(text in line for line in lines) for text in texts) and not any(text in line for line in lines for text in others)

        return await self.pages[name].soon(is_shown, limit), lines + [f"console: {line}" for line in self.pages[name].complaints]

    async def value(self, name, expression):
        return True, [json.dumps(await self.pages[name].value(expression))]

    async def run(self, name, script):
        """Runs a script of this folder, which tells the faults it has found."""
        faults = await self.pages[name].value((FOLDER / script).read_text())
        return not faults, faults

    async def focus_order(self, name):
        """What the Tab key reaches, in this order, from the top of the page."""
        page = self.pages[name]
        await page.value("document.activeElement.blur(), scrollTo(0, 0), visited = new Set()")
        names = []
        await page.press("Tab")
        while (reached := await page.value(FOCUSED)) is not None:
            names.append(reached)
            await page.press("Tab")
        return True, names

    async def requests(self, name):
        """All addresses that the window asked for."""
        return True, self.pages[name].requests

    async def complaints(self, name):
        return not self.pages[name].complaints, self.pages[name].complaints

    async def close(self, name):
        await self.pages.pop(name).close()

    async def serve(self, request):
        verb, name, arguments = request["do"], request["window"], request["with"]
        own = getattr(self, verb, None)
        try:
            answer = await (own(name, *arguments) if own else getattr(self.pages[name], verb)(*arguments))
        except (Failure, asyncio.TimeoutError) as error:
            lines = await self.pages[name].texts() if name in self.pages else []
            answer = False, [f"{verb}: {error}", *lines]
        is_done, lines = answer or (True, [])
        return {"event": "reply", "id": request["id"], "isDone": bool(is_done), "lines": lines}


# What has the focus, "-" before it if nobody can see that it has; null behind the last one.
FOCUSED = r"""(() => {
  const element = document.activeElement;
  if (!element || element === document.body || visited.has(element)) return null;
  visited.add(element);
  const label = element.labels && element.labels[0] ? element.labels[0].textContent : element.textContent.trim().replace(/\u00a0/g, " ");
  return (getComputedStyle(element).outlineStyle === "none" ? "-" : "") + (element.getAttribute("aria-label") || label);
})()"""


async def main():
    async with Browser() as browser:
        phones = Phones(browser)
        print(json.dumps({"event": "ready"}), flush=True)
        # One waits for a text while another one taps.
        tasks = set()

        async def answer(line):
            print(json.dumps(await phones.serve(json.loads(line))), flush=True)

        while line := await asyncio.to_thread(sys.stdin.readline):
            tasks.add(task := asyncio.create_task(answer(line)))
            task.add_done_callback(tasks.discard)


asyncio.run(main())
