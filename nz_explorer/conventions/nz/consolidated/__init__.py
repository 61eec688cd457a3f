"""NZ: consolidated metadata agree with the documents (NZ-1.0, Consolidated Metadata)."""
