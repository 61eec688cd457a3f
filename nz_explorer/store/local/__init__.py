"""Stores of the local file system: folders and zip files."""
