"""Which colours a picture has by default, which it can have, and what its limits are taken from."""
