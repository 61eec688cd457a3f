"""Edits that are tried: made on an overlay of the documents, after which the rules they touch are evaluated again."""
