"""Chunks: opened, read within limits, decoded, and kept."""
