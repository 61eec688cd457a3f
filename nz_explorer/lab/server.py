"""JupyterLab's server as the launcher runs it: ``python -m nz_explorer.lab.server``, with the options of ``jupyter lab``.

It is JupyterLab's own, with `nz_explorer.lab.contents` where the configuration names no other contents manager, with
a list of formats for export that does not delay the first notebook, and without a grammar of internationalised
addresses, whose compilation takes two thirds of the processor time of its imports: jsonschema would check the format
``iri`` with it, which no schema of the server has, and does without it where it is not installed.
"""

from __future__ import annotations

import sys

GRAMMAR = "rfc3987_syntax"


def main() -> None:
    """Run JupyterLab."""
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]  # Python's mark of what cannot be imported
    from jupyter_server.serverapp import ServerApp
    from jupyter_server.services.nbconvert import handlers
    from jupyterlab.labapp import main as lab  # type: ignore[import-untyped]

    from nz_explorer.lab.contents import Contents, Exporters

    # a default, which the configuration of whoever runs it may replace, as an option could not be
    ServerApp.contents_manager_class.default_value = Contents
    handlers.default_handlers[:] = [
        (address, Exporters) for address, _ in handlers.default_handlers
    ]
    lab()


if __name__ == "__main__":
    main()
