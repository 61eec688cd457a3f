"""How Sphinx makes the site; `build.py` assembles its pages."""

import importlib.metadata

project = "nz_explorer"
copyright = "the nz_explorer developers"  # noqa: A001  # Sphinx reads this name
version = release = importlib.metadata.version("nz_explorer")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}
html_title = "nz_explorer"
html_sidebars = {page: [] for page in ("index", "api", "security", "contributing", "changelog")}
html_show_sourcelink = False
pygments_style = "default"
default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # docstrings have the types
napoleon_google_docstring = False
napoleon_use_rtype = False
myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 3
