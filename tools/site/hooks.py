"""What MkDocs does not do by itself: the navigation, the notebooks, and the linked files of the repository.

The documents are Markdown for any reader: their links are paths in the repository. On the site
    docs/README.md                gives the navigation: its headings, and the links of its lists
    docs/**/x.ipynb               becomes the page x.md, with the stored outputs; the notebook itself stays beside it
    a linked file outside docs/   becomes the page repository/PATH.md: Markdown as it is, other files as code
A page that docs/README.md does not list stops the build.
"""

import json
import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, InclusionLevel

ROOT = pathlib.Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)(`{3,}).*?^\1\2 *$", re.M | re.S)
CODE = re.compile(FENCE.pattern + r"|(`+)(?!`).+?(?<!`)\3(?!`)", re.M | re.S)
LINK = re.compile(r"(\]\(\s*<?)([^)\s>#]*)(#[^)\s>]*)?(>?(?:\s+\"[^\"]*\")?\s*\))")
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
LIST_LINK = re.compile(r"(?:^-|: | and|,) ?\[([^\]]+)\]\(([^)#\s]+)\)")
LANGUAGES = {".c": "c", ".h": "c", ".py": "python", ".json": "json", ".sh": "sh"}


def outside(code, text, function):
    """`text` with `function` applied to its parts outside of the matches of `code`."""
    parts, end = [], 0
    for start, stop in (match.span() for match in code.finditer(text)):
        parts += [function(text[end:start]), text[start:stop]]
        end = stop
    return "".join(parts + [function(text[end:])])


def page_of(path):
    """The page of a repository's file: its path below docs/ of the site."""
    if path.startswith("docs/"):
        return re.sub(r"\.ipynb$", ".md", path[len("docs/"):])
    return "repository/" + path + ("" if path.endswith(".md") else ".md")


def links_of(text, path):
    """Paths in the repository of the files that a Markdown file links to."""
    found = []

    def note(part):
        found.extend(match[2] for match in LINK.finditer(part) if match[2] and not SCHEME.match(match[2]))
        return part

    outside(CODE, text, note)
    return [posixpath.normpath(posixpath.join(posixpath.dirname(path), link)) for link in found]


def rewritten(text, path):
    """The links of a Markdown file, from paths in the repository to paths of the site."""
    here = posixpath.dirname(page_of(path))

    def replace(match):
        opening, link, anchor, closing = match.groups()
        if not link or SCHEME.match(link):
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
        return opening + posixpath.relpath(page_of(target), here or ".") + (anchor or "") + closing

    return outside(CODE, text, lambda part: LINK.sub(replace, part))


def lists_apart(text):
    """`text` with an empty line before each list that follows a line of prose, which Python-Markdown needs."""
    lines, is_list = [], False
    for line in text.split("\n"):
        begins = re.match(r" {0,3}(?:[-*+]|1[.)]) +\S", line)
        if begins and not is_list and lines and lines[-1].strip():
            lines.append("")
        is_list = bool(begins) or (is_list and bool(line.strip()))
        lines.append(line)
    return "\n".join(lines)


def table_codes(text):
    """`text` without the backslash of \\| in the code of tables: GitHub needs it there, and Python-Markdown shows it."""
    return re.sub(r"^\|.*$", lambda row: re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", lambda code: code[0].replace("\\|", "|"), row[0]), text, flags=re.M)


def fenced(language, text):
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}\n"


def text_of_output(output):
    """A stored output of a cell as Markdown."""
    language = "{ .text .output .no-copy }"
    if output["output_type"] == "stream":
        return fenced(language, "".join(output["text"]))
    if output["output_type"] == "error":
        return fenced(language, f"{output['ename']}: {output['evalue']}")
    data = output["data"]
    if "image/svg+xml" in data:
        return "".join(data["image/svg+xml"]) + "\n"
    return fenced(language, "".join(data["text/plain"]))


def notebook(text, name):
    """A notebook as Markdown."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif cell["cell_type"] == "code":
            parts.append(fenced("python", source))
            parts.extend(map(text_of_output, cell["outputs"]))
    title, _, rest = "\n\n".join(parts).partition("\n")
    return f'{title}\n\n<a href="{name}" download>Download this notebook</a>\n{rest}\n'


def read(path):
    """A repository's file as the Markdown of its page."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    if path.endswith(".ipynb"):
        return notebook(text, posixpath.basename(path))
    shown = re.match(r"\.\w+$", pathlib.Path(path).suffix) and LANGUAGES.get(pathlib.Path(path).suffix, "text")
    return f"---\nsearch: {{exclude: true}}\n---\n# {path}\n\n" + fenced(shown or "text", text)


def navigation(text):
    """The lists of docs/README.md as MkDocs' navigation."""
    nav = [{"Home": "README.md"}]
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        pages = [{match[1]: page_of(posixpath.normpath(posixpath.join("docs", match[2])))}
                 for line in lines for match in LIST_LINK.finditer(line)]
        if pages:
            nav.append({title: pages})
    return nav


def on_config(config):
    config.nav = navigation((ROOT / "docs/README.md").read_text(encoding="utf-8"))
    return config


def on_files(files, config):
    own = [file.src_uri for file in files if file.src_uri.endswith((".md", ".ipynb"))]
    waiting, seen = ["docs/" + uri for uri in own], set()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        text = read(path)
        if path.endswith((".md", ".ipynb")):
            waiting += [link for link in links_of(text, path) if not link.startswith("docs/")]
        if not (path.startswith("docs/") and path.endswith(".md")):
            file = File.generated(config, page_of(path), content=text)
            file.sotto_path = path
            files.append(file)
    listed = {page for section in config.nav for pages in section.values()
              for page in ([pages] if isinstance(pages, str) else [p for item in pages for p in item.values()])}
    missing = sorted(page_of("docs/" + uri) for uri in own if page_of("docs/" + uri) not in listed)
    if missing:
        raise PluginError(f"docs/README.md does not list {', '.join(missing)}")
    return files


def on_page_markdown(markdown, page, config, files):
    path = getattr(page.file, "sotto_path", "docs/" + page.file.src_uri)
    return outside(FENCE, rewritten(markdown, path), lambda part: table_codes(lists_apart(part)))


def on_page_content(html, page, config, files):
    """An empty cell of a table's first row names no column."""
    return re.sub(r"<th( [^>]*)?>\s*</th>", r"<td\1></td>", html)


def on_post_build(config):
    """The theme's page for a server's error 404 has links from a server's root, which files do not have."""
    (pathlib.Path(config.site_dir) / "404.html").unlink()
