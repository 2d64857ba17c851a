"""How Sphinx makes the site of the pages that docs/README.md lists; docs/site/build runs it."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

ROOT = Path(__file__).resolve().parents[2]
CONTENTS = (ROOT / "docs/README.md").read_text()

project = "csi4j"
release = re.search(r"<artifactId>csi4j-parent</artifactId>\s*<version>(.+?)</version>", (ROOT / "pom.xml").read_text())[1]
html_title = f"csi4j {release}"
root_doc = "README"
language = "en"
extensions = ["myst_parser"]
myst_heading_anchors = 6
include_patterns = ["*.md", "docs/*.md", "benchmarks/*.md", "benchmarks/results/*.md", "examples/*.md"] + [
    "examples/strangers/*.md",
    "testing/*.md",
    "testing/*/*.md",
]
exclude_patterns = ["**/target", "**/src"]
html_theme = "furo"
html_static_path = ["site.css", "search.js"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
highlight_language = "none"
# Light and dark, readable in both.
pygments_style = "friendly"
pygments_dark_style = "monokai"


# The files that pages lead to and that are no pages.
sources = set()


def contents(app, docname, source):
    """Gives the front page the contents: the sections of docs/README.md, and the pages in each."""
    if docname != root_doc:
        return
    for section in CONTENTS.split("\n## ")[1:]:
        caption, _, text = section.partition("\n")
        pages = re.findall(r"\[([^\]]+)\]\(([^)#]+\.md)\)", text)
        paths = [f"{name} </{(ROOT / 'docs' / page).resolve().relative_to(ROOT)}>" for name, page in pages]
        source[0] += "\n\n```{toctree}\n:hidden:\n:caption: " + caption + "\n\n" + "\n".join(paths) + "\n```\n"


def pictures_and_sources(app, doctree):
    """Draws mermaid's flowcharts, and leads links to source files to copies that a browser shows."""
    if not app.env.docname.startswith("docs/") or app.env.docname == "docs/README":
        app.env.metadata[app.env.docname]["orphan"] = True  # Needs no place in the contents.
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            block.replace_self(nodes.raw("", drawing(block.astext()), format="html"))
    for link in list(doctree.findall(addnodes.download_reference)):
        path = app.env.relfn2path(link["reftarget"])[0]
        up = "../" * app.env.docname.count("/")
        link.replace_self(nodes.reference("", "", *link.children, refuri=f"{up}sources/{path}.txt", internal=True))
        sources.add(path)


def drawing(flowchart):
    """A flowchart of mermaid that has nothing but arrows, drawn by Graphviz in the colours of the page."""
    head, *arrows = flowchart.strip().splitlines()
    graph = f"digraph {{ bgcolor=transparent; rankdir={head.split()[1].replace('TD', 'TB')}; edge [fontname=Helvetica fontsize=10]; "
    graph += "node [shape=box style=rounded fontname=Helvetica fontsize=11]; "
    for arrow in arrows:
        begin, label, end = re.fullmatch(r"(\S+) -->(?:\|(.+)\|)? (\S+)", arrow.strip()).groups()
        graph += f'"{begin}" -> "{end}" [label="  {label or ""}  "]; '
    svg = subprocess.run(["dot", "-Tsvg"], input=graph + "}", capture_output=True, check=True, text=True).stdout
    svg = re.sub(r"(?s)^.*?(?=<svg)|<title>.*?</title>", "", svg).replace('"black"', '"currentColor"')
    return '<div class="drawing">' + re.sub(r"(<text [^>]*)>", r'\1 fill="currentColor">', svg) + "</div>"


def search(app, page, template, context, doctree):
    """Gives the page of the search our ranking, and the text of all pages that it ranks."""
    if page == "search":
        app.add_js_file("pages.js")
        app.add_js_file("search.js")


def javadoc(app, page, template, context, doctree):
    """Puts the Javadoc below the contents."""
    link = context["pathto"]("javadoc/index.html", 1)
    context["furo_navigation_tree"] += (
        '<p class="caption"><span class="caption-text">Reference</span></p>'
        f'<ul><li class="toctree-l1"><a class="reference" href="{html.escape(link)}">Javadoc of all modules</a></li></ul>'
    )


def finish(app, failure):
    """Copies the sources that pages lead to, and makes the front page the index."""
    if failure or app.builder.name != "html":
        return
    out = Path(app.outdir)
    for path in sources:
        copy = out / "sources" / (path + ".txt")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, copy)
    pages = {page: Path(app.env.doc2path(page)).read_text() for page in sorted(app.env.found_docs)}
    (out / "_static/pages.js").write_text("const csi4jPages = " + json.dumps(pages, ensure_ascii=False) + ";\n")
    (out / "index.html").write_text(
        '<!DOCTYPE html><title>csi4j</title><meta http-equiv="refresh" content="0; url=README.html">'
        '<a href="README.html">csi4j</a>\n'
    )


def setup(app):
    app.connect("source-read", contents)
    # Before Sphinx makes downloads of them.
    app.connect("doctree-read", pictures_and_sources, priority=100)
    app.connect("html-page-context", search)
    app.connect("html-page-context", javadoc, priority=900)
    app.connect("build-finished", finish)
