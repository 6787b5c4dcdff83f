#!/usr/bin/env python3
"""Checks the built site: its links, its independence of the network, and its pages in a headless Chromium.

    run.py --site build/site --axe AXE.js [--pictures DIR]   every page, in light, dark and on a phone
    run.py --site build/site --axe AXE.js --self-test        spoils copies of pages and must catch every fault

A link of a page leads to a file of the site, and its anchor is an id there. No page, style or script fetches from elsewhere: the
addresses in the pages are checked, and Chromium must ask for files of the site only, while its network is off. axe-core finds no
violation in any view, no page is wider than its window, and a search from a file: address finds a page.
"""

import argparse
import html.parser
import os
import re
import shutil
import sys
import tempfile
import urllib.parse

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "report"))
from browser import Browser, read_axe  # noqa: E402

VIEWS = [("desk", 1280, 900, "light"), ("dark", 1280, 900, "dark"), ("phone", 360, 740, "light")]
FETCHING = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("video", "src"), ("audio", "src"),
            ("object", "data"), ("embed", "src"), ("form", "action"), ("img", "srcset"), ("image", "href"), ("image", "xlink:href"), ("use", "href")}
ADDRESS_IN_STYLE = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+(?:url\()?['\"](?:https?:)?//")


class Page(html.parser.HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.fetched, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id" or (tag == "a" and name == "name"):
                self.anchors.add(value)
            if (tag, name) in FETCHING:
                self.fetched.append(value)
            if name in ("href", "src") and value:
                self.links.append(value)


def files_of(site, *endings):
    found = [os.path.join(folder, name) for folder, _, names in os.walk(site) for name in names]
    return sorted(path for path in found if path.endswith(endings))


def check_files(site):
    """(number of links, faults): links and foreign addresses, without a browser."""
    pages, faults, count = {}, [], 0
    for path in files_of(site, ".html"):
        with open(path, encoding="utf-8") as file:
            pages[path] = Page(file.read())
    for path, page in pages.items():
        name = os.path.relpath(path, site)
        faults += [f"{name}: fetches {address}" for address in page.fetched if re.match(r"(?:[a-z]+:)?//", address or "")]
        for link in page.links:
            target, _, anchor = link.partition("#")
            if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:", target):
                continue
            count += 1
            there = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(target.partition("?")[0]))) if target else path
            if not os.path.isfile(there):
                faults.append(f"{name}: the link {link} has no file")
            elif anchor and there in pages and urllib.parse.unquote(anchor) not in pages[there].anchors:
                faults.append(f"{name}: the link {link} has no anchor")
    for path in files_of(site, ".css", ".svg"):
        with open(path, encoding="utf-8") as file:
            if ADDRESS_IN_STYLE.search(file.read()):
                faults.append(f"{os.path.relpath(path, site)}: a style fetches from elsewhere")
    return count, faults


def look_at(browser, axe, path, view, site, picture=None):
    """The faults of one page in one view."""
    name, width, height, scheme = view
    asked, said = browser.open(path, width, height, scheme)
    own = "file://" + os.path.abspath(site) + "/"
    faults = [f"asks for {url}" for url in asked if not url.startswith((own, "about:"))]
    faults += [f"the browser says: {text}" for text in said]
    wide, window = browser.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    if wide > window:
        faults.append(f"wider than the window: {wide} > {window}")
    faults += browser.violations(axe)
    if picture:
        browser.picture(picture)
    return [f"{os.path.relpath(path, site)} ({name}): {fault}" for fault in faults]


def search(browser, site, words):
    """The pages that the site's own search finds, in a page that was opened as a file."""
    browser.open(os.path.join(site, "index.html"), 1280, 900, "light")
    browser.run("""(() => { const field = document.querySelector('[data-md-component=search-query]'); field.focus();
        field.value = %r; field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
        field.dispatchEvent(new Event('input', {bubbles: true})); })()""" % words)
    return browser.run("""new Promise((resolve) => { const start = Date.now(); const look = () => {
        const found = [...document.querySelectorAll('.md-search-result__link')].map((link) => link.getAttribute('href'));
        if (found.length || Date.now() - start > 20000) resolve(found); else setTimeout(look, 100); }; look(); })""")


def copied(browser, site):
    """The text that the copy button of the first tutorial's first console block takes."""
    browser.open(os.path.join(site, "tutorial", "first-model.html"), 1280, 900, "light")
    return browser.run("""new Promise((resolve) => { const start = Date.now(); const look = () => {
        const block = [...document.querySelectorAll('pre')].find((pre) => pre.textContent.startsWith('$ '));
        const button = block?.parentElement.querySelector('[data-clipboard-target]');
        if (button) { button.click(); resolve(button.dataset.clipboardText ?? null); }
        else if (Date.now() - start > 20000) resolve(null); else setTimeout(look, 100); }; look(); })""")


def offline(browser):
    browser.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0)


SPOILED = [  # text of index.html, what replaces it; each is one fault
    ("<body", "<body data-x><a href=none.html>x</a><div "),
    ("<body", "<body><a href=index.html#none>x</a><div "),
    ("<body", "<body><img alt=x src=https://example.org/x.png><div "),
    ("</head>", "<script src=//example.org/x.js></script></head>"),
]
SPOILED_VIEWS = [
    ("</article>", "<p style='color:#ccc;background:#fff'>hard to read</p></article>"),
    ("</article>", "<img src=assets/favicon.svg></article>"),
    ("</article>", "<div style='width:5000px'>wide</div></article>"),
    ("</article>", "<script>fetch('https://example.org/x')</script></article>"),
    ("</article>", "<script>new Image().src = 'https://example.org/x.png'</script></article>"),
]


def self_test(site, axe):
    failures = []
    with tempfile.TemporaryDirectory() as directory, Browser() as browser:
        offline(browser)
        copy = os.path.join(directory, "site")
        shutil.copytree(site, copy)
        path = os.path.join(copy, "index.html")
        with open(path, encoding="utf-8") as file:
            whole = file.read()
        for old, new in SPOILED + SPOILED_VIEWS:
            assert old in whole
            with open(path, "w", encoding="utf-8") as file:
                file.write(whole.replace(old, new, 1))
            found = check_files(copy)[1] if (old, new) in SPOILED else look_at(browser, axe, path, VIEWS[0], copy)
            if not found:
                failures.append(f"missed: {new}")
        with open(path, "w", encoding="utf-8") as file:
            file.write(whole)
        if search(browser, copy, "xyzzyqux"):
            failures.append("the search finds a word that no page has")
    print(*failures, sep="\n", end="\n" if failures else "")
    print(f"site: self-test: {len(SPOILED) + len(SPOILED_VIEWS) + 1} faults planted, {len(failures)} failures")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--site", required=True)
    parser.add_argument("--axe", required=True, help="axe.min.js, or a folder below which it lies")
    parser.add_argument("--pictures", help="folder for pictures of the pages")
    parser.add_argument("--only", default="", help="look only at pages whose path contains this")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    axe = read_axe(arguments.axe)
    if arguments.self_test:
        return self_test(arguments.site, axe)
    count, faults = check_files(arguments.site)
    pages = [path for path in files_of(arguments.site, ".html") if arguments.only in path]
    with Browser() as browser:
        offline(browser)
        if not any("known-weaknesses" in link for link in search(browser, arguments.site, "known weaknesses")):
            faults.append("the search does not find the page of known weaknesses")
        if copied(browser, arguments.site) != "head -n 3 examples/clinic.csv\n":
            faults.append("a copied console block is not its commands")
        for path in pages:
            name = os.path.relpath(path, arguments.site)[:-len(".html")].replace(os.sep, "-")
            for view in VIEWS:
                picture = None
                if arguments.pictures:
                    os.makedirs(arguments.pictures, exist_ok=True)
                    picture = os.path.join(arguments.pictures, f"{name}-{view[0]}.png")
                faults += look_at(browser, axe, path, view, arguments.site, picture)
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"site: {len(pages)} pages in {len(VIEWS)} views, {count} links: {len(faults)} faults")
    return 1 if faults or not pages or not count else 0


if __name__ == "__main__":
    sys.exit(main())
