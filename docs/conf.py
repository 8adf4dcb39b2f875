# Sphinx with MyST: pages stay Markdown that GitHub shows too, links and anchors are checked, the search needs no server. Furo loads nothing from a network.
import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.environ.get("GPUSNAP_ROOT", os.path.dirname(here)), "tools", "python"))
project, author, copyright = "gpusnap", "the gpusnap authors", "the gpusnap authors"
release = version = open(os.path.join(here, "release.txt"), encoding="ascii").read().strip()  # written by make docs
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx_copybutton"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "gpusnap"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
exclude_patterns = ["examples"]
copybutton_prompt_text = r"\$ |>>> |\.\.\. |> "
copybutton_prompt_is_regexp = True
autodoc_mock_imports = ["torch", "cupy", "rmm", "lightning", "pytorch_lightning", "transformers", "pyarrow", "duckdb", "pyspark", "ray", "pandas"]
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
smartquotes = False  # options begin with two dashes
suppress_warnings = ["myst.header"]
linkcheck_ignore = [r"^http://127\.0\.0\.1"]
nitpick_ignore_regex = [("py:.*", r"(gpusnap\.fleet\..*|datetime\..*|Source|Page|Snapshot|Table|Diagnosis|Picture|.*PathLike.*|Any|.*pandas.*|.*polars.*|.*arrow.*)")]  # names of annotations alone
