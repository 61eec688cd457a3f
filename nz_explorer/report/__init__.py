"""What an evaluation has found, as reports in every format, for one store, many stores, or two compared."""
