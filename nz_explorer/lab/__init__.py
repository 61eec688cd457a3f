"""JupyterLab: the launcher and the sample dataset."""
