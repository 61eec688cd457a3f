"""JupyterLab's server as the launcher runs it: ``python -m nz_explorer.lab.server``, with the options of ``jupyter lab``.

It is JupyterLab's own, with `nz_explorer.lab.contents` where the configuration names no other contents manager, with
a list of formats for export and a search for language servers that do not delay the first notebook, and without a grammar of internationalised
addresses, whose compilation takes two thirds of the processor time of its imports: jsonschema would check the format
``iri`` with it, which no schema of the server has, and does without it where it is not installed. Its first kernel is
one that is getting ready while the server starts (`nz_explorer.lab.warm_kernel`).
"""

from __future__ import annotations

import sys
from contextlib import suppress

from nz_explorer.lab.warm_kernel import WarmKernel

GRAMMAR = "rfc3987_syntax"


def main() -> None:
    """Run JupyterLab."""
    warm = None if sys.platform == "win32" else WarmKernel()
    sys.modules[GRAMMAR] = None  # type: ignore[assignment]  # Python's mark of what cannot be imported
    from jupyter_client.provisioning import local_provisioner
    from jupyter_server.serverapp import ServerApp
    from jupyter_server.services.nbconvert import handlers
    from jupyterlab.labapp import main as lab  # type: ignore[import-untyped]

    from nz_explorer.lab.contents import Contents, Exporters, later

    # a default, which the configuration of whoever runs it may replace, as an option could not be
    ServerApp.contents_manager_class.default_value = Contents
    handlers.default_handlers[:] = [
        (address, Exporters) for address, _ in handlers.default_handlers
    ]
    with suppress(ImportError):  # it is optional
        from jupyter_lsp import serverextension  # type: ignore[import-untyped]

        serverextension.initialize = later(serverextension.initialize)
    if warm is not None:
        launch = warm.launching(vars(local_provisioner)["launch_kernel"])
        setattr(local_provisioner, "launch_kernel", launch)  # noqa: B010  # it is imported there, not exported
    lab()


if __name__ == "__main__":
    main()
