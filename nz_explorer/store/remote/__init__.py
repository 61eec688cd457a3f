"""Stores that are asked over a network: object stores, HTTP, and any zarr ``Store``."""
